# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.slim import slim_pod

SPEC = {
    "nodeName": None,
    "nodeSelector": {"a": "b"},
    "schedulingGroup": {"podGroupName": "g"},
    "tolerations": [],
    "serviceAccountName": "default",
    "containers": [{"name": "c", "image": "i", "env": [{"name": "LONG"}], "resources": {"limits": {"cpu": "1"}}}],
    "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "d"}}, {"name": "e", "emptyDir": {}}],
}
ANNOTATIONS = {"long": "text", "scheduling.k8s.io/group-name": "g"}
METADATA = {"name": "p", "labels": {"l": "v"}, "managedFields": [1], "annotations": ANNOTATIONS}


def pod(phase: str, **spec: Any) -> dict[str, Any]:
    return {"metadata": METADATA, "spec": {**SPEC, **spec}, "status": {"phase": phase}}


def test_of_a_pod_that_runs_its_state_is_kept() -> None:
    kept = {"metadata": {"name": "p", "labels": {"l": "v"}}, "spec": {"nodeName": "n"}, "status": {"phase": "Running"}}
    assert slim_pod(pod("Running", nodeName="n")) == kept


def test_of_a_pod_that_waits_what_says_why_is_kept() -> None:
    assert slim_pod(pod("Pending"))["metadata"]["annotations"] == {"scheduling.k8s.io/group-name": "g"}
    assert slim_pod(pod("Pending"))["spec"] == {
        "nodeName": None,
        "nodeSelector": {"a": "b"},
        "schedulingGroup": {"podGroupName": "g"},
        "containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "1"}}}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "d"}}],
    }
