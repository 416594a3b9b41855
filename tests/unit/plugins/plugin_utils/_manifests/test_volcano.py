# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volcano's objects: what is rewritten, what is left, what is added."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.scheduler_deployment import one_at_a_time
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.volcano import (
    DEPLOYMENTS,
    INIT_JOB,
    Settings,
    volcano_objects,
    with_flags,
)

SETTINGS = Settings(
    images={image: f"registry.example.org/{image}:v1.15.1" for image in DEPLOYMENTS.values()},
    scheduler_conf="actions: allocate\n",
    period=0.5,
    webhook_replicas=3,
    webhook_timeout=20,
    threads={"job": 9, "gc": 2},
    api_qps=70,
    api_burst=80,
    resources={"volcano-scheduler": {"requests": {"cpu": "1"}}},
    tolerations=[{"operator": "Exists"}],
    pull_secrets=["site"],
)


def workload(kind: str, name: str, **container: Any) -> dict[str, Any]:
    """Return a workload of the manifest, shortened where nothing depends on it."""
    labels = {"app": name}
    pod = {"containers": [{"name": "main", "image": "docker.io/volcanosh/x:v1.15.1", **container}]}
    template = {"metadata": {"labels": labels}, "spec": pod}
    selector = {"selector": {"matchLabels": labels}} if kind == "Deployment" else {}
    metadata = {"name": name, "namespace": "volcano-system", "annotations": {"helm.sh/hook": "pre-install"}}
    return {"kind": kind, "metadata": metadata, "spec": {"replicas": 1, **selector, "template": template}}


MANIFEST: list[Any] = [
    {"kind": "Namespace", "metadata": {"name": "volcano-system"}},
    {"kind": "Namespace", "metadata": {"name": "volcano-monitoring"}},
    None,
    {"kind": "ConfigMap", "metadata": {"name": "volcano-scheduler-configmap"}, "data": {"volcano-scheduler.conf": "x"}},
    {
        "kind": "ConfigMap",
        "metadata": {"name": "volcano-controller-configmap"},
        "data": {"volcano-controller.conf": ""},
    },
    {
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "queues"},
        "webhooks": [{"name": "mutatequeue.volcano.sh", "timeoutSeconds": 10}],
    },
    workload("Deployment", "volcano-admission", args=["--port=8443", "2>&1"]),
    workload("Deployment", "volcano-controllers", args=["--worker-threads=3", "--worker-threads-for-gc=5", "2>&1"]),
    workload("Deployment", "volcano-scheduler", args=["--schedule-period=1s", "-v=3"]),
    workload("Job", INIT_JOB, command=["./gen-admission-secret.sh", "--secret", "volcano-admission-secret"]),
]


def made(**changed: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the objects by kind and name, those of Jobs without what follows the name."""
    objects = volcano_objects(MANIFEST, dataclasses.replace(SETTINGS, **changed))
    return {(item["kind"], item["metadata"]["name"].partition("-init-")[0]): item for item in objects}


def container(objects: dict[tuple[str, str], dict[str, Any]], name: str) -> dict[str, Any]:
    (found,) = objects["Deployment", name]["spec"]["template"]["spec"]["containers"]
    return dict(found)


def test_the_manifest_itself_stays_as_it_is() -> None:
    before = copy.deepcopy(MANIFEST)
    made()
    assert before == MANIFEST


def test_every_object_has_a_field_of_ours() -> None:
    assert {item["metadata"]["labels"]["app.kubernetes.io/part-of"] for item in made().values()} == {"volcano"}


def test_what_all_pods_have() -> None:
    for (kind, _name), item in made().items():
        if kind in ("Deployment", "Job"):
            pod = item["spec"]["template"]["spec"]
            assert pod["containers"][0]["image"].startswith("registry.example.org/vc-")
            assert pod["containers"][0]["imagePullPolicy"] == "IfNotPresent"
            assert (pod["tolerations"], pod["imagePullSecrets"]) == ([{"operator": "Exists"}], [{"name": "site"}])


def test_the_webhooks() -> None:
    objects = made()
    spec = objects["Deployment", "volcano-admission"]["spec"]
    assert (spec["replicas"], spec.get("strategy")) == (3, None)
    (spread,) = spec["template"]["spec"]["topologySpreadConstraints"]
    assert spread["labelSelector"] == spec["selector"]
    assert container(objects, "volcano-admission")["readinessProbe"]["tcpSocket"] == {"port": 8443}
    assert objects["MutatingWebhookConfiguration", "queues"]["webhooks"][0]["timeoutSeconds"] == 20
    assert objects["PodDisruptionBudget", "volcano-admission"]["spec"]["maxUnavailable"] == 1
    # A budget for a single pod would only keep its node from being drained.
    assert ("PodDisruptionBudget", "volcano-admission") not in made(webhook_replicas=1)


def test_programs_of_which_there_may_be_one() -> None:
    objects = made()
    for name in ("volcano-controllers", "volcano-scheduler"):
        assert objects["Deployment", name]["spec"]["strategy"] == one_at_a_time()
    assert container(objects, "volcano-controllers")["args"] == [
        "--kube-api-qps=70",
        "--kube-api-burst=80",
        "--worker-threads=9",
        "--worker-threads-for-gc=2",
    ]
    scheduler = container(objects, "volcano-scheduler")
    assert (scheduler["args"], scheduler["resources"]) == (
        ["-v=3", "--schedule-period=0.5s"],
        {"requests": {"cpu": "1"}},
    )


def test_another_configuration_brings_another_pod() -> None:
    before, after = made(), made(scheduler_conf="actions: reclaim\n")
    assert after["ConfigMap", "volcano-scheduler-configmap"]["data"] == {"volcano-scheduler.conf": "actions: reclaim\n"}
    assert after["ConfigMap", "volcano-controller-configmap"] == before["ConfigMap", "volcano-controller-configmap"]
    key = ("Deployment", "volcano-scheduler")
    assert after[key]["spec"]["template"]["metadata"] != before[key]["spec"]["template"]["metadata"]


def test_the_certificate_is_made_once() -> None:
    job = made()["Job", "volcano-admission"]
    shell, option, text, _name, *script = job["spec"]["template"]["spec"]["containers"][0]["command"]
    assert (shell, option, script[0]) == ("/bin/sh", "-c", "./gen-admission-secret.sh")
    assert text.startswith("kubectl get secret volcano-admission-secret --namespace volcano-system")
    # A Job's template is fixed: another one is another Job.
    other = made(tolerations=[])["Job", "volcano-admission"]
    assert (job["metadata"]["name"] == other["metadata"]["name"], job["metadata"]["labels"]) == (
        False,
        {"app": INIT_JOB, "app.kubernetes.io/part-of": "volcano"},
    )
    assert made()["Job", "volcano-admission"] == job


def test_nothing_of_the_monitoring_of_a_chart() -> None:
    assert [name for kind, name in made() if kind == "Namespace"] == ["volcano-system"]


@pytest.mark.parametrize("image", ["vc-scheduler", "vc-scheduler:latest", "registry.example.org:5000/vc-scheduler"])
def test_a_tag_that_names_no_version_is_refused(image: str) -> None:
    with pytest.raises(ValueError, match="a tag must name one version"):
        made(images={**SETTINGS.images, "vc-scheduler": image})


@pytest.mark.parametrize("threads", [{"pods": 3}, {"job": 0}, {"job": True}, {"job": "many"}])
def test_threads_of_which_the_controllers_know_nothing_are_refused(threads: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be 1 or more, of one of job, cronjob, podgroup, queue, gc"):
        made(threads=threads)


def test_a_digest_names_one_version() -> None:
    image = f"registry.example.org/vc-scheduler@sha256:{'0' * 64}"
    assert container(made(images={**SETTINGS.images, "vc-scheduler": image}), "volcano-scheduler")["image"] == image


def test_another_manifest_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must hold volcano-admission, .*; found: none"):
        volcano_objects(MANIFEST[:3], SETTINGS)


def test_flags_are_set_where_they_stood_or_not() -> None:
    assert with_flags(["--a=1", "-b=2", "--c", "2>&1"], {"b": 3, "d": "x"}) == ["--a=1", "--c", "--b=3", "--d=x"]
