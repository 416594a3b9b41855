# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One job, one PodGroup, in the right group: with the real scheduler, and with an operator that makes a second one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from tests.integration.conftest import Run
from tests.integration.kube.test_playbook import run_playbook
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import namespace_object
from tests.support.paths import ROOT

NAMESPACE = "gang-proof"
JOB: dict[str, Any] = {"namespace": NAMESPACE, "image": "t:1", "replicas": {"Worker": {"replicas": 2}}}
PROOF: dict[str, Any] = {"namespace": NAMESPACE, "kind": "tfjob", "backend": "native", "pods": 2}


@pytest.fixture(scope="module", autouse=True)
def place(cluster: ApiServer, nodes: list[str]) -> None:
    """Make the namespace."""
    cluster.create(namespace_object(NAMESPACE), "/api/v1/namespaces")


def test_one_job_gives_one_group(cluster: ApiServer, run_on_cluster: Run) -> None:
    assert run_on_cluster("tfjob", name="right", gang={}, **JOB)["changed"]
    mark = cluster.audit_mark()
    proof = run_on_cluster("gang_proof", name="right", **PROOF)
    assert "failed" not in proof, proof["msg"]
    assert (proof["groups"], proof["placed"]) == (["scheduling.k8s.io/v1beta1 tfjob-right"], 2)
    assert cluster.writes(mark) == []
    assert run_on_cluster("tfjob", name="right", namespace=NAMESPACE, state="absent")["changed"]
    gone = run_on_cluster("gang_proof", name="right", **PROOF)
    assert "there is no such job whose pods start together" in gone["msg"]


def test_a_second_group(cluster: ApiServer, run_on_cluster: Run) -> None:
    """The operator plays one with a gang flag: a PodGroup named as the job, which is its owner."""
    assert run_on_cluster("tfjob", name="double", gang={}, suspend=True, **JOB)["changed"]
    root = cluster.client.call("GET", f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/tfjobs/double")
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "name": "double", "uid": root["metadata"]["uid"]}
    version = BACKENDS["native"].api_version
    metadata = {"name": "double", "namespace": NAMESPACE, "ownerReferences": [owner]}
    spec = {"schedulingPolicy": {"gang": {"minCount": 2}}}
    group = {"apiVersion": version, "kind": "PodGroup", "metadata": metadata, "spec": spec}
    cluster.create(group, f"/apis/{version}/namespaces/{NAMESPACE}/podgroups")
    refused = run_on_cluster("gang_proof", name="double", **PROOF)
    assert "has 2 PodGroups, and its pods can be in one of them only" in refused["msg"]
    assert run_on_cluster("tfjob", name="double", namespace=NAMESPACE, state="absent")["changed"]


def test_pods_that_find_no_node(run_on_cluster: Run) -> None:
    assert run_on_cluster("tfjob", name="large", gang={}, gpus=9, **JOB)["changed"]
    refused = run_on_cluster("gang_proof", name="large", timeout=3, **PROOF)
    assert "0 of 2 pods have a node after 3 s" in refused["msg"]
    assert "nvidia.com/gpu" in refused["msg"]
    assert run_on_cluster("tfjob", name="large", namespace=NAMESPACE, state="absent")["changed"]


def test_the_playbook_leaves_nothing_and_changes_nothing(cluster: ApiServer, tmp_path: Path) -> None:
    nobody = tmp_path / "hosts.ini"
    nobody.touch()
    variables = {"mlstack_kubeconfig": str(cluster.kubeconfig), "gang_proof_namespace": NAMESPACE}
    book = ROOT / "playbooks" / "gang_proof.yml"
    status, screen = run_playbook(book, "-i", str(nobody), "-e", json.dumps(variables))
    assert (status, "changed=0" in screen) == (0, True), screen
    for kind in ("api/v1", "apis/batch/v1", f"apis/{BACKENDS['native'].api_version}"):
        plural = {"api/v1": "pods", "apis/batch/v1": "jobs"}.get(kind, "podgroups")
        assert cluster.client.call("GET", f"/{kind}/namespaces/{NAMESPACE}/{plural}")["items"] == []
    variables["mlstack_gang_scheduler"] = "none"
    status, screen = run_playbook(book, "-i", str(nobody), "-e", json.dumps(variables))
    assert (status, "skipping" in screen) == (0, True), screen
