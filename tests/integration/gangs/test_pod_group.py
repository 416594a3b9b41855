# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""pod_group: on a server with every kind of gang; Kubernetes' controllers let a native one go."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.conftest import Run, apply_crds
from tests.integration.support.api_server import ApiServer
from tests.integration.support.gang_kinds import foreign_gang_crds
from tests.integration.support.samples import config_map, namespace_object

PATHS = {
    "native": "scheduling.k8s.io/v1beta1",
    "volcano": "scheduling.volcano.sh/v1beta1",
    "kube_batch": "scheduling.incubator.k8s.io/v1alpha1",
    "scheduler_plugins": "scheduling.x-k8s.io/v1alpha1",
}
OPTIONS: dict[str, dict[str, Any]] = {
    "native": {},
    "volcano": {"queue": "team-a", "min_resources": {"nvidia.com/gpu": 4, "memory": "64Gi"}},
    "kube_batch": {"queue": "team-a"},
    "scheduler_plugins": {"timeout": 60},
}


NAMESPACE = "pod-groups"


@pytest.fixture(scope="module")
def every(volcano_cluster: ApiServer) -> ApiServer:
    apply_crds(volcano_cluster, foreign_gang_crds())
    volcano_cluster.create(namespace_object(NAMESPACE), "/api/v1/namespaces")
    return volcano_cluster


@pytest.fixture
def run(run_on_cluster: Run) -> Run:
    return run_on_cluster


@pytest.mark.parametrize("backend", PATHS)
def test_from_making_to_removal(every: ApiServer, run: Run, backend: str) -> None:
    options = {"backend": backend, "name": "g", "namespace": NAMESPACE}
    wanted = {**options, **OPTIONS[backend], "min_available": 3}
    with every.quiet():
        assert run("pod_group", check=True, **wanted)["result"] == "created"
    made = run("pod_group", **wanted)
    assert (made["changed"], made["result"]) == (True, "created"), made
    with every.quiet():
        again = run("pod_group", **wanted)
    assert (again["changed"], again["result"], again["manifest"]) == (False, "unchanged", made["manifest"])

    # The server takes a pod that says what we return, with nothing unknown in it.
    pod: dict[str, Any] = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "main", "image": "main:1"}]}}
    metadata = {**made["template"].get("metadata", {}), **pod["metadata"]}
    marked = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {**made["template"]["spec"], **pod["spec"]},
    }
    query = [("fieldValidation", "Strict"), ("dryRun", "All")]
    taken = every.client.call("POST", f"/api/v1/namespaces/{NAMESPACE}/pods", query, marked)
    assert {key: taken["spec"].get(key) for key in made["template"]["spec"]} == made["template"]["spec"]

    fewer = run("pod_group", **{**wanted, "min_available": 2})
    assert (fewer["result"], len(fewer["diff"])) == ("changed", 1)
    if "queue" in wanted:
        with every.quiet():
            moved = run("pod_group", **{**wanted, "queue": "team-b"})
        assert 'spec.queue = "team-a" on the live job, "team-b" wanted: cannot be changed' in moved["msg"]
    assert run("pod_group", state="absent", **options)["result"] == "deleted"
    with every.quiet():
        assert run("pod_group", state="absent", **options)["result"] == "absent"


def test_the_group_of_a_job_is_left_alone(every: ApiServer, run: Run) -> None:
    path = f"/apis/{PATHS['volcano']}/namespaces/{NAMESPACE}/podgroups"
    # Kubernetes takes away what belongs to nothing: the owner is a real one, as a ps_job has it.
    root = every.create(config_map("bert", NAMESPACE), f"/api/v1/namespaces/{NAMESPACE}/configmaps")
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "bert", "uid": root["metadata"]["uid"]}
    metadata = {"name": "ps-job-bert", "ownerReferences": [owner]}
    group = {"apiVersion": PATHS["volcano"], "kind": "PodGroup", "metadata": metadata, "spec": {"minMember": 2}}
    every.create(group, path)
    options = {"backend": "volcano", "name": "ps-job-bert", "namespace": NAMESPACE, "min_available": 3}
    for state in ("present", "absent"):
        with every.quiet():
            refused = run("pod_group", state=state, **options)
        assert "belongs to ConfigMap bert" in refused["msg"]


def test_a_cluster_without_gangs(without_gangs: ApiServer, run: Run) -> None:
    options = {"kubeconfig": str(without_gangs.kubeconfig), "name": "g", "min_available": 2}
    with without_gangs.quiet():
        refused = run("pod_group", **options)
        assert "gang.backend = native: the API server does not serve PodGroup" in refused["msg"]
        assert run("pod_group", check=True, **options)["result"] == "created"
        assert run("pod_group", state="absent", **options)["result"] == "absent"
