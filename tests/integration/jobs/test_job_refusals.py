# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that a living namespace has no name or no room for: said before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import namespace_object

GPUS = "requests.nvidia.com/gpu"
JOB = {"image": "i:1", "replicas": {"Worker": {"replicas": 2}}, "gpus": 1}

pytestmark = pytest.mark.usefixtures("kubeflow")


def quota(api: ApiServer, namespace: str, hard: dict[str, Any], used: dict[str, Any]) -> None:
    """Make a quota as its controller leaves it."""
    manifest = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": hard}}
    path = f"/api/v1/namespaces/{namespace}/resourcequotas"
    api.create(manifest, path)
    api.patch_status(f"{path}/team", {"hard": hard, "used": used})


def warnings(result: dict[str, Any]) -> str:
    """Return the warnings of a result, and of those before it: Ansible gathers them in the process."""
    return str(result.get("warnings"))


def test_a_name_of_another_kind(api: ApiServer, run: Run, namespace: str) -> None:
    """FC-26: a PyTorchJob bert is there, a TFJob bert comes."""
    assert run("pytorchjob", name="bert", namespace=namespace, **JOB)["changed"]
    mark = api.audit_mark()
    for check in (True, False):
        refused = run("tfjob", name="bert", namespace=namespace, check=check, **JOB)
        assert refused["failed"]
        rule = f"name = TFJob {namespace}/bert: a PyTorchJob of this name is in the namespace"
        assert rule in refused["msg"]
        assert "1 problem, nothing was changed" in refused["msg"]
    assert api.writes(mark) == []
    # Ten at once are found by lists.
    many = [{"name": name} for name in ("bert", *(f"j{number}" for number in range(9)))]
    assert "1 problem, nothing was changed" in run("tfjob", namespace=namespace, jobs=many, **JOB)["msg"]
    assert api.writes(mark) == []
    # In another namespace it is nobody's business, and the one that is there is not disturbed.
    api.create(namespace_object(f"{namespace}-b"), "/api/v1/namespaces")
    assert run("tfjob", name="bert", namespace=f"{namespace}-b", **JOB)["changed"]
    assert not run("pytorchjob", name="bert", namespace=namespace, **JOB)["changed"]


def test_a_name_of_a_job_without_operator(api: ApiServer, run: Run, namespace: str) -> None:
    options = {"name": "bert", "namespace": namespace, **JOB}
    bare = {**options, "command": ["train"], "replicas": {"PS": {}, "Worker": {}}}
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    somebodys = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "bert"}, "data": {"mine": "1"}}
    api.create(somebodys, path)
    refused = run("ps_job", **bare)
    assert "a ConfigMap of this name is in the namespace and belongs to no job" in refused["msg"]
    assert api.client.call("GET", f"{path}/bert")["data"] == {"mine": "1"}
    # It is in nobody else's way.
    assert run("tfjob", check=True, **options)["changed"]
    api.client.call("DELETE", f"{path}/bert")
    assert run("ps_job", **bare)["changed"]
    assert "a parameter-server job of this name is in the namespace" in run("tfjob", **options)["msg"]


def test_a_service_that_is_somebodys(api: ApiServer, run: Run, namespace: str) -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "bert-worker-1"}}
    api.create({**service, "spec": {"ports": [{"port": 80}]}}, f"/api/v1/namespaces/{namespace}/services")
    refused = run("tfjob", name="bert", namespace=namespace, **JOB)
    assert "its Service bert-worker-1 is there already and belongs to nobody's job" in refused["msg"]
    assert run("tfjob", name="gpt", namespace=namespace, **JOB)["changed"]


def test_a_quota_without_room(api: ApiServer, run: Run, namespace: str) -> None:
    """FC-28: 4 GPUs, 3 of them used, a gang of 2."""
    quota(api, namespace, {GPUS: "4"}, {GPUS: "3"})
    options = {"name": "bert", "namespace": namespace, "gang": {}, **JOB}
    said = f"ResourceQuota {namespace}/team = {GPUS} 4, 3 used: 1 is left, TFJob bert needs 2."
    mark = api.audit_mark()
    refused = run("tfjob", quota_check="refuse", **options)
    assert refused["failed"]
    assert said in refused["msg"]
    assert api.writes(mark) == []
    assert said not in warnings(run("tfjob", quota_check="ignore", check=True, **options))
    assert said in warnings(run("tfjob", check=True, **options))
    assert run("tfjob", **options)["changed"]
    again = run("tfjob", quota_check="refuse", **options)
    assert (again.get("failed"), again["changed"]) == (None, False)


def test_what_a_quota_wants_of_every_container(api: ApiServer, run: Run, namespace: str) -> None:
    quota(api, namespace, {"limits.memory": "100Gi"}, {"limits.memory": "0"})
    mark = api.audit_mark()
    refused = run("tfjob", name="bert", namespace=namespace, **JOB)
    assert (
        "TFJob bert: Worker: container tensorflow.resources.limits[memory] = none: ResourceQuota team" in refused["msg"]
    )
    assert api.writes(mark) == []
    limits = [{"type": "Container", "default": {"memory": "1Gi"}}]
    filled = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "default"}, "spec": {"limits": limits}}
    api.create(filled, f"/api/v1/namespaces/{namespace}/limitranges")
    assert run("tfjob", name="bert", namespace=namespace, **JOB)["changed"]


def test_a_user_who_may_make_jobs_and_nothing_else(api: ApiServer, run: Run, namespace: str, tmp_path: Path) -> None:
    """What may not be read is in nobody's way; a quota that may not be read is said."""
    verbs = ["get", "list", "create", "patch"]
    rules = [{"apiGroups": ["kubeflow.org"], "resources": ["tfjobs"], "verbs": verbs}]
    rules += [{"apiGroups": [""], "resources": ["pods", "events"], "verbs": ["list"]}]
    rules += [{"apiGroups": ["scheduling.k8s.io"], "resources": ["podgroups"], "verbs": verbs}]
    options = {"namespace": namespace, "kubeconfig": str(api.user(tmp_path, namespace, rules)), **JOB}
    made = run("tfjob", name="bert", gang={}, **options)
    assert made.get("changed"), made
    assert f"the quotas of namespace {namespace} may not be read" in warnings(made)
    refused = run("tfjob", name="gpt", quota_check="refuse", **options)
    assert "may not be read. Let the user list resourcequotas and limitranges" in refused["msg"]
