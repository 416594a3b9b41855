# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Native gangs on real API servers of the versions that have them as alpha, each in a shape of its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.integration.conftest import run_module
from tests.integration.support.api_server import Alpha, ApiServer
from tests.lab.support.unpacked_image import unpacked
from tests.support.paths import bundle_dir

pytestmark = pytest.mark.long

# Of 1.36 there is a release; of 1.35 somebody may have the program.
PROGRAM_1_35 = "TRAINYARD_KUBE_APISERVER_1_35"
GATES = ("GenericWorkload", "GangScheduling")
VERSIONS = {"1.35": "scheduling.k8s.io/v1alpha1", "1.36": "scheduling.k8s.io/v1alpha2"}
JOB: dict[str, Any] = {
    "name": "bert",
    "namespace": "default",
    "image": "t:1",
    "command": ["train"],
    "replicas": {"PS": {}, "Worker": {"replicas": 2}},
    "gang": {},
}


def program(version: str) -> Path:
    """Return the path of kube-apiserver of a version; without it the test is skipped, and says so."""
    if version == "1.36":
        archive = bundle_dir("2026.08") / "images" / "kube-apiserver.tar"
        if archive.is_file():
            return unpacked(archive) / "usr" / "local" / "bin" / "kube-apiserver"
        pytest.skip(f"{archive} does not exist: build the bundle of release 2026.08")
    given = os.environ.get(PROGRAM_1_35)
    if not given:
        pytest.skip(f"{PROGRAM_1_35} names no kube-apiserver of 1.35")
    return Path(given)


@pytest.fixture(scope="module", params=VERSIONS)
def older(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ApiServer]]:
    """Return a version and its API server."""
    alpha = Alpha(program(request.param), GATES, f"{VERSIONS[request.param]}=true")
    server = ApiServer(tmp_path_factory.mktemp("older"), alpha=alpha)
    yield request.param, server
    server.stop()


def test_a_job_of_its_making_and_its_second_run(older: tuple[str, ApiServer]) -> None:
    version, server = older
    assert version in server.client.call("GET", "/version")["gitVersion"]
    made = run_module(server, "ps_job", **JOB)
    assert made.get("changed"), made
    kind, plural = ("Workload", "workloads") if version == "1.35" else ("PodGroup", "podgroups")
    (group,) = server.client.call("GET", f"/apis/{VERSIONS[version]}/namespaces/default/{plural}")["items"]
    assert group["metadata"]["name"] == "ps-job-bert"
    assert [(item["apiVersion"], item["kind"]) for item in made["manifests"]][1] == (VERSIONS[version], kind)
    mark = {"podGroupName": "ps-job-bert"}
    if version == "1.35":
        assert group["spec"]["podGroups"] == [{"name": "pods", "policy": {"gang": {"minCount": 3}}}]
        mark = {"name": "ps-job-bert", "podGroup": "pods"}
    else:
        assert group["spec"]["schedulingPolicy"] == {"gang": {"minCount": 3}}
    for job in server.client.call("GET", "/apis/batch/v1/namespaces/default/jobs")["items"]:
        spec = job["spec"]["template"]["spec"]
        assert spec["workloadRef" if version == "1.35" else "schedulingGroup"] == mark
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
        server.client.call("POST", "/api/v1/namespaces/default/pods", [("dryRun", "All")], pod)
    with server.quiet():
        again = run_module(server, "ps_job", **JOB)
        assert again.get("changed") is False, again
        # There the minimum is fixed, and we say so first.
        fewer = run_module(server, "ps_job", **{**JOB, "gang": {"min_available": 2}})
    assert f"{kind} ps-job-bert: spec." in fewer["msg"]
    assert "3 on the live job, 2 wanted: cannot be changed on a live job" in fewer["msg"]


def test_a_group_alone(older: tuple[str, ApiServer]) -> None:
    version, server = older
    options = {"name": "alone", "min_available": 2}
    made = run_module(server, "pod_group", **options)
    assert (made.get("result"), made["manifest"]["apiVersion"]) == ("created", VERSIONS[version]), made
    with server.quiet():
        assert run_module(server, "pod_group", **options)["result"] == "unchanged"
        refused = run_module(server, "pod_group", **{**options, "min_available": 3})
        urgent = run_module(server, "pod_group", **{**options, "name": "urgent", "priority_class": "high"})
    assert "cannot be changed on a live PodGroup" in refused["msg"]
    assert f"Kubernetes {version}'s own scheduler has no priority in a PodGroup" in urgent["msg"]


def test_a_priority_is_the_pods_alone(older: tuple[str, ApiServer]) -> None:
    _version, server = older
    group = "scheduling.k8s.io/v1"
    high = {"apiVersion": group, "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
    server.create(high, f"/apis/{group}/priorityclasses")
    made = run_module(server, "ps_job", **{**JOB, "name": "urgent", "priority_class": "high"})
    assert made.get("changed"), made
    assert "does not know the priority of a gang" in made["notes"][-1]
