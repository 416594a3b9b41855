# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-batch's objects: definitions, flags, and the rights that it uses."""

from __future__ import annotations

import dataclasses
from typing import Any

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.kube_batch import (
    Settings,
    arguments,
    definitions,
    kube_batch_objects,
    rules,
)

SETTINGS = Settings("registry.example.org/kube-batch:v0.5", "actions: allocate\n", pull_secrets=["site"])


def of(kind: str, settings: Settings = SETTINGS) -> dict[str, Any]:
    (found,) = (item for item in kube_batch_objects(settings) if item["kind"] == kind)
    return found


def test_definitions_in_the_form_that_is_left() -> None:
    names = {item["metadata"]["name"] for item in definitions()}
    assert names == {
        f"{plural}.{group}"
        for plural in ("podgroups", "queues")
        for group in ("scheduling.incubator.k8s.io", "scheduling.sigs.dev")
    }
    for item in definitions():
        (version,) = item["spec"]["versions"]
        assert (item["apiVersion"], version["served"], version["storage"]) == ("apiextensions.k8s.io/v1", True, True)
        # It writes status and object in one request, which a subresource would cut in two.
        assert "subresources" not in version
        approved = "api-approved.kubernetes.io" in item["metadata"].get("annotations", {})
        assert approved == item["spec"]["group"].endswith(".k8s.io")


def test_no_right_that_would_make_it_an_administrator() -> None:
    granted = {
        (group, resource, verb)
        for rule in rules()
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert not [right for right in granted if "*" in right]
    assert not [right for right in granted if "secrets" in right or "escalate" in right or "bind" in right]
    written = {(resource, verb) for _group, resource, verb in granted if verb not in ("get", "list", "watch")}
    assert written == {
        ("pods", "delete"),
        ("pods/binding", "create"),
        ("pods/status", "update"),
        ("persistentvolumes", "update"),
        ("persistentvolumeclaims", "update"),
        ("podgroups", "update"),
        ("events", "create"),
        ("events", "patch"),
        ("events", "update"),
    }


def test_its_pod() -> None:
    spec = of("Deployment")["spec"]
    assert (spec["replicas"], spec["strategy"]["rollingUpdate"]) == (1, {"maxSurge": 0, "maxUnavailable": 1})
    pod = spec["template"]["spec"]
    assert pod["imagePullSecrets"] == [{"name": "site"}]
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["containers"][0]["image"] == SETTINGS.image
    other = of("Deployment", dataclasses.replace(SETTINGS, scheduler_conf="actions: reclaim\n"))
    assert other["spec"]["template"]["metadata"] != spec["template"]["metadata"]


def test_flags() -> None:
    found = arguments(dataclasses.replace(SETTINGS, period=0.25), "/conf")
    assert {"--schedule-period=0.25s", "--priority-class=false", "--scheduler-conf=/conf"} <= set(found)
    assert "--priority-class=true" in arguments(dataclasses.replace(SETTINGS, priority_classes=True), "/conf")
