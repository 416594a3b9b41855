# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of job that the collection does not have, against a real API server; the test plays its controller.

Its file is tests/support/jobset.py. Without a server: tests/unit/contracts/test_job_kinds.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS
from tests.integration.conftest import Run, apply_crds
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import open_crd
from tests.support.jobset import JOBSET

TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i:1"}]}}


def play(api: ApiServer, namespace: str, root: dict[str, Any]) -> None:
    """Play the controllers: a batch Job and a pod for each replica."""
    for name in JOBSET.maker_names(root):
        group, index = name[len(root["metadata"]["name"]) + 1 :].rsplit("-", 1)
        keys = JOBSET.labels
        labels = {keys.job: root["metadata"]["name"], keys.type: group, keys.index: index}
        job = {"metadata": {"name": name, "labels": labels, **owner(root)}, "spec": {"template": TEMPLATE}}
        made = api.create(
            {"apiVersion": "batch/v1", "kind": "Job", **job}, f"/apis/batch/v1/namespaces/{namespace}/jobs"
        )
        made.update(apiVersion="batch/v1", kind="Job")
        pod = {"metadata": {"name": f"{name}-0-x", "labels": labels, **owner(made)}, "spec": TEMPLATE["spec"]}
        api.create({"apiVersion": "v1", "kind": "Pod", **pod}, f"/api/v1/namespaces/{namespace}/pods")


def owner(item: dict[str, Any]) -> dict[str, Any]:
    reference = {key: item[key] for key in ("apiVersion", "kind")}
    return {"ownerReferences": [{**reference, **{key: item["metadata"][key] for key in ("name", "uid")}}]}


def test_a_kind_that_nobody_here_knows(
    api: ApiServer, run: Run, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(JOB_KINDS, JOBSET.name, JOBSET)
    group, version = JOBSET.api_version.split("/")
    apply_crds(api, [open_crd(group, JOBSET.kind, version)])
    job = {"kind": JOBSET.name, "name": "bert", "image": "i:1", "replicated_jobs": [{"name": "worker", "replicas": 2}]}
    task: dict[str, Any] = {"jobs": [job], "defaults": {"namespace": namespace}}
    assert run("jobs", check=True, **task)["changed"]
    assert run("jobs", **task)["changed"]
    with api.quiet():
        assert not run("jobs", **task)["changed"]
    late = run("jobs", **task, wait=True, timeout=1)
    assert late["jobs"][0]["why"]["sentence"] == (
        "Nobody makes worker-0 and worker-1: there is no JobSet controller in this cluster"
    )
    path = f"/apis/{JOBSET.api_version}/namespaces/{namespace}/jobsets/bert"
    play(api, namespace, api.client.call("GET", path))
    shown = run("job_info", kinds=[JOBSET.name], namespace=namespace)["jobs"]
    assert [(each["kind"], each["state"], each["ready"]) for each in shown] == [
        ("jobset", "queued", {"worker": {"ready": 0, "total": 2}})
    ]
    condition = {"type": "Completed", "status": "True", "reason": "AllJobsCompleted", "message": "jobset completed"}
    api.patch_status(path, {"conditions": [condition]})
    ended = run("jobs", **task, wait=True, timeout=30)["jobs"][0]
    assert (ended["end"], ended["ended_by"]) == ("succeeded", "jobset completed")
    assert [each["type"] for each in ended["replicas"]] == ["worker", "worker"]
    for name in JOBSET.maker_names(api.client.call("GET", path)):
        # Kubernetes' own controllers do not run here.
        api.client.call("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}-0-x?gracePeriodSeconds=0")
    assert run("jobs", **task, state="absent")["changed"]
