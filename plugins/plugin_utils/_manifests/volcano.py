# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volcano's objects: its maintainers' manifest, made fit for use. Pure."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Sequence

from ...module_utils._kube.image_name import pull_secrets
from ...module_utils._kube.resource import Manifest
from .scheduler_deployment import conf_mark, one_at_a_time

NAMESPACE = "volcano-system"
WEBHOOK_PORT = 8443
CONF_FILE = "volcano-scheduler.conf"
# Deployment -> the image in a release that it runs.
DEPLOYMENTS: Mapping[str, str] = {
    "volcano-admission": "vc-webhook-manager",
    "volcano-controllers": "vc-controller-manager",
    "volcano-scheduler": "vc-scheduler",
}
INIT_JOB = "volcano-admission-init"
# What its controllers have threads for.
THREADS = ("job", "cronjob", "podgroup", "queue", "gc")
_CERTIFICATE = "volcano-admission-secret"
# Nothing that we install lives there: it is for the monitoring of Volcano's own chart.
_LEFT_OUT = ("Namespace", "volcano-monitoring")


@dataclass(frozen=True)
class Settings:
    """What a user may choose.

    images: name in a release -> reference. scheduler_conf: the scheduler's configuration, as text.
    period: seconds between two rounds of scheduling.
    webhook_replicas: pods that answer the webhooks. webhook_timeout: seconds that the API server waits for them.
    threads: what the controllers work on at the same time: one of THREADS -> number.
    api_qps, api_burst: requests a second of the controllers, on average and at a stroke.
    resources: Deployment -> requests and limits of its container. tolerations: of all pods.
    pull_secrets: names of Secrets in Volcano's namespace with which the images are pulled.
    """

    images: Mapping[str, str]
    scheduler_conf: str
    period: float = 1.0
    webhook_replicas: int = 2
    webhook_timeout: int = 30
    threads: Mapping[str, int] = field(default_factory=dict)
    api_qps: int = 50
    api_burst: int = 100
    resources: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tolerations: Sequence[Mapping[str, Any]] = ()
    pull_secrets: Sequence[str] = ()


def volcano_objects(documents: Sequence[Any], settings: Settings) -> List[Manifest]:
    """Return the objects to apply, without queues. Raises ValueError when the manifest is not Volcano's."""
    objects = [copy.deepcopy(item) for item in documents if item]
    objects = [item for item in objects if (item["kind"], item["metadata"]["name"]) != _LEFT_OUT]
    _check(objects, settings)
    for item in objects:
        name = item["metadata"]["name"]
        # Without any field of ours nobody could tell that an object, such as a bare ServiceAccount, is ours.
        item["metadata"].setdefault("labels", {})["app.kubernetes.io/part-of"] = "volcano"
        if item["kind"] == "Deployment":
            _deployment(name, item["spec"], settings)
        elif item["kind"] == "Job":
            _job(item, settings)
        elif item["kind"] == "ConfigMap" and CONF_FILE in (item.get("data") or {}):
            item["data"][CONF_FILE] = settings.scheduler_conf
        elif item["kind"].endswith("WebhookConfiguration"):
            for webhook in item["webhooks"]:
                webhook["timeoutSeconds"] = settings.webhook_timeout
    return objects + ([_disruption_budget()] if settings.webhook_replicas > 1 else [])


def _check(objects: Sequence[Manifest], settings: Settings) -> None:
    """Raise ValueError where something is missing that the rest relies on, or a tag says nothing."""
    found = sorted(item["metadata"]["name"] for item in objects if item["kind"] in ("Deployment", "Job"))
    wanted = sorted([*DEPLOYMENTS, INIT_JOB])
    if found != wanted:
        raise ValueError(f"the manifest must hold {', '.join(wanted)}; found: {', '.join(found) or 'none'}")
    for kind, number in settings.threads.items():
        # A flag that they do not know would keep the controllers from starting.
        if kind not in THREADS or isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"threads of {kind} = {number}: must be 1 or more, of one of {', '.join(THREADS)}")
    for name, image in settings.images.items():
        _path, _colon, tag = image.rpartition("/")[2].partition(":")
        if "@" not in image and tag in ("", "latest"):
            raise ValueError(f"image {name} = {image}: a tag must name one version, not whatever is newest")


def _pod(template: Manifest, image: str, settings: Settings) -> Manifest:
    """Rewrite what all pods have in common; return the container."""
    pod: Manifest = template["spec"]
    container: Manifest = pod["containers"][0]
    container.update(image=image, imagePullPolicy="IfNotPresent")
    pod["tolerations"] = [dict(one) for one in settings.tolerations]
    if settings.pull_secrets:
        pod["imagePullSecrets"] = pull_secrets(settings.pull_secrets)
    return container


def _deployment(name: str, spec: Manifest, settings: Settings) -> None:
    template = spec["template"]
    container = _pod(template, settings.images[DEPLOYMENTS[name]], settings)
    container["resources"] = dict(settings.resources.get(name) or {})
    if name == "volcano-admission":
        spec["replicas"] = settings.webhook_replicas
        # It listens once it knows the queues and its authority stands in the webhook configurations.
        container["readinessProbe"] = {"tcpSocket": {"port": WEBHOOK_PORT}, "periodSeconds": 2}
        template["spec"]["topologySpreadConstraints"] = [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": copy.deepcopy(spec["selector"]),
            }
        ]
        return
    spec["strategy"] = one_at_a_time()
    flags: Dict[str, Any] = {}
    if name == "volcano-controllers":
        threads = settings.threads
        flags = {"kube-api-qps": settings.api_qps, "kube-api-burst": settings.api_burst}
        flags.update({f"worker-threads{'' if kind == 'job' else f'-for-{kind}'}": threads[kind] for kind in threads})
    else:
        flags = {"schedule-period": f"{settings.period:g}s"}
        # The scheduler would read a new configuration by itself, a minute later or so.
        template["metadata"].setdefault("annotations", {}).update(conf_mark(settings.scheduler_conf))
    container["args"] = with_flags(container["args"], flags)


def with_flags(arguments: Sequence[str], flags: Mapping[str, Any]) -> List[str]:
    """Return a program's arguments with some flags set to other values; a shell's redirection is none of them."""
    kept = [text for text in arguments if text.startswith("-") and text.partition("=")[0].lstrip("-") not in flags]
    return [*kept, *(f"--{name}={value}" for name, value in flags.items())]


def _job(job: Manifest, settings: Settings) -> None:
    """Rewrite the Job that makes the webhooks' certificate.

    A Job's template is fixed, so what changes it gives it another name. Upstream's script would make another
    authority each time, which pods that run already do not know: it runs where there is no certificate yet.
    """
    template = job["spec"]["template"]
    container = _pod(template, settings.images["vc-webhook-manager"], settings)
    there = f"kubectl get secret {_CERTIFICATE} --namespace {NAMESPACE} >/dev/null 2>&1"
    container["command"] = ["/bin/sh", "-c", f'{there} || exec "$@"', "sh", *container["command"]]
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).hexdigest()[:8]
    job["metadata"]["name"] = f"{INIT_JOB}-{digest}"
    job["metadata"].pop("annotations", None)
    job["metadata"]["labels"]["app"] = INIT_JOB


def _disruption_budget() -> Manifest:
    """Return what keeps one pod that answers while a node is drained: without any, no job and no queue is taken."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {
            "name": "volcano-admission",
            "namespace": NAMESPACE,
            "labels": {"app.kubernetes.io/part-of": "volcano"},
        },
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "volcano-admission"}}},
    }
