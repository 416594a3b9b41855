# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Role gang_scheduler with kube-batch on an API server of Kubernetes 1.24.

Nobody runs the Deployment's pod there, and a stand-in says that it is ready. That the program works with these
definitions, flags and rights is shown by test_kube_batch.py, in which the real one runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.gang_scheduler_role import CRDS, names, play, quiet
from tests.integration.support.volcano_stand_in import ReadyWorkloads

# kube-batch and its Kubernetes are built for the long tests alone.
pytestmark = pytest.mark.long

SPACE = "kube-batch"
QUEUES = "/apis/scheduling.incubator.k8s.io/v1alpha1/queues"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
KUBE_BATCH = {"mlstack_gang_scheduler": "kube_batch"}


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """Return Kubernetes 1.24, on which namespaces come to an end and nothing else works."""
    server = ApiServer(tmp_path_factory.mktemp("old"), gangs=False, minor="1.24")
    server.start_controllers("--controllers=namespace,garbagecollector")
    with ReadyWorkloads(server, SPACE):
        yield server
    server.stop()


def test_it_is_installed_once_and_taken_away_whole(old: ApiServer, tmp_path: Path) -> None:
    with quiet(old):
        status, screen = play(old, tmp_path, "--check", **KUBE_BATCH)
    assert (status, "changed=2" in screen) == (0, True), screen

    queues = [{"name": "research", "weight": 3}]
    status, screen = play(old, tmp_path, gang_scheduler_queues=queues, **KUBE_BATCH)
    assert (status, "changed=2" in screen) == (0, True), screen
    live = {item["metadata"]["name"]: item["spec"] for item in old.client.call("GET", QUEUES)["items"]}
    assert live == {"default": {"weight": 1}, "research": {"weight": 3}}
    with quiet(old):
        status, screen = play(old, tmp_path, gang_scheduler_queues=queues, **KUBE_BATCH)
    assert (status, "changed=0" in screen) == (0, True), screen

    status, screen = play(old, tmp_path, gang_scheduler_state="absent", **KUBE_BATCH)
    assert (status, "changed=1" in screen) == (0, True), screen
    assert names(old, CRDS) == set()
    assert SPACE not in names(old, "/api/v1/namespaces")
    assert SPACE not in names(old, f"{RBAC}/clusterroles") | names(old, f"{RBAC}/clusterrolebindings")


def test_versions_that_have_dropped_what_it_reads(run: Run, old: ApiServer) -> None:
    refused = run("cluster_checks", gang_scheduler="kube_batch", priority_classes=True)
    fields = [problem["field"] for problem in refused["problems"]]
    assert fields == ["mlstack_gang_scheduler", "gang_scheduler_priority_classes"]
    for words in ("policy/v1beta1, which Kubernetes 1.25 has dropped", "Use volcano", "or native"):
        assert words in refused["msg"]
    options = {"kubeconfig": str(old.kubeconfig), "gang_scheduler": "kube_batch", "oldest_kubernetes": "1.22"}
    assert run("cluster_checks", **options)["problems"] == []
    (problem,) = run("cluster_checks", **options, priority_classes=True)["problems"]
    assert problem["field"] == "gang_scheduler_priority_classes"
