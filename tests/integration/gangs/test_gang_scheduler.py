# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Role gang_scheduler with Volcano's real manifest on a real API server of its own.

Volcano's programs cannot run there. `volcano_stand_in.py` plays them, so that readiness, the webhooks' part in it and
the order of the removal are seen; what the real programs answer is not.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Iterator

import pytest
import yaml

from tests.integration.support.api_server import ApiServer
from tests.integration.support.gang_scheduler_role import CRDS, ENVIRONMENT, command, names, play, quiet
from tests.integration.support.volcano_stand_in import NAMESPACE, VolcanoStandIn
from tests.support.kill_tree import kill_tree
from tests.support.paths import ROOT
from tests.support.volcano import volcano_manifest

QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
RIGHTS = ("mlstack-installer.yaml", "mlstack-gang-scheduler.yaml")
WEBHOOKS = [f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations" for kind in ("mutating", "validating")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """Return an API server on which namespaces and what belongs to others come to an end, and nothing else works."""
    volcano_manifest()  # skips without it
    api = ApiServer(tmp_path_factory.mktemp("volcano"))
    api.start_controllers("--controllers=namespace-controller,garbage-collector-controller")
    yield api
    api.stop()


@pytest.fixture(scope="module")
def stand_in(server: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> VolcanoStandIn:
    """Return what plays Volcano's programs, with one certificate and one port for all tests."""
    return VolcanoStandIn(server, tmp_path_factory.mktemp("stand-in"))


@pytest.fixture
def programs(stand_in: VolcanoStandIn) -> Iterator[VolcanoStandIn]:
    """Return Volcano's programs, which nobody has started yet."""
    yield stand_in
    stand_in.stop()


@pytest.fixture(scope="module")
def user(server: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the variables of a user who has the documented rights and no others."""
    documents = [yaml.safe_load((ROOT / "docs" / "rbac" / name).read_text(encoding="utf-8")) for name in RIGHTS]
    rules = [rule for one in documents for item in one["items"] for rule in item.get("rules", [])]
    kubeconfig = server.user(tmp_path_factory.mktemp("user"), "", rules)
    return {"mlstack_kubeconfig": str(kubeconfig), "mlstack_gang_scheduler": "volcano"}


def test_check_mode_on_a_cluster_without_the_definitions(
    server: ApiServer, user: dict[str, str], tmp_path: Path
) -> None:
    with quiet(server):
        status, screen = play(server, tmp_path, "--check", "--diff", **user)
    assert (status, "changed=2" in screen) == (0, True), screen
    # Its table ends with 1.35, and this server is newer.
    assert "[WARNING]: Volcano 1.15 was released for Kubernetes 1.23 to 1.35, and this is 1.37" in screen
    assert names(server, CRDS) == set()


def test_gangs_of_kubernetes_itself_need_nothing_but_the_check(
    server: ApiServer, user: dict[str, str], tmp_path: Path
) -> None:
    with quiet(server):
        status, screen = play(server, tmp_path, **{**user, "mlstack_gang_scheduler": "native"})
    assert (status, "changed=0" in screen) == (0, True), screen


def test_what_somebody_else_installed_is_taken_over_by_name_only(
    server: ApiServer, user: dict[str, str], tmp_path: Path
) -> None:
    """As a guide of Volcano's does it; from here on the other tests take it over."""
    theirs = {item["metadata"]["name"]: item for item in volcano_manifest() if item["kind"] == "Deployment"}
    server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}, "/api/v1/namespaces")
    server.create(theirs["volcano-scheduler"], DEPLOYMENTS)
    with quiet(server):
        status, screen = play(server, tmp_path, **user)
    assert status != 0
    assert f"Deployment {NAMESPACE}/volcano-scheduler: it is there already and not ours" in screen
    assert "-e gang_scheduler_adopt=true" in screen
    user["gang_scheduler_adopt"] = "true"


def test_a_run_without_programs_fails_and_is_resumed_when_they_answer(
    server: ApiServer, programs: VolcanoStandIn, user: dict[str, str], tmp_path: Path
) -> None:
    # Killed while it waits: everything is written but the queues, which no webhook takes yet.
    running = subprocess.Popen(
        command(server, tmp_path, **user),
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 120
    try:
        while len(names(server, WEBHOOKS[1])) < 5:
            assert time.monotonic() < end
            assert running.poll() is None
            time.sleep(0.2)
    finally:
        kill_tree(running.pid)
        running.wait()

    status, screen = play(server, tmp_path, gang_scheduler_timeout=4, **user)
    assert status != 0
    assert "volcano-admission-service has no ready endpoint" in screen, screen
    assert names(server, QUEUES) == set()

    programs.start()
    queues = [{"name": "research", "weight": 3}, {"name": "teaching", "capability": {"nvidia.com/gpu": 8}}]
    status, screen = play(server, tmp_path, gang_scheduler_queues=queues, **user)
    assert (status, "changed=1 " in screen) == (0, True), screen
    assert {f"CREATE Queue {name}" for name in ("default", "research", "teaching")} <= set(programs.asked)
    live = {item["metadata"]["name"]: item for item in server.client.call("GET", QUEUES)["items"]}
    assert {name: item["status"]["state"] for name, item in live.items()} == dict.fromkeys(live, "Open")
    assert (live["research"]["spec"]["weight"], live["default"]["spec"]["weight"]) == (3, 1)
    assert live["teaching"]["spec"]["capability"] == {"nvidia.com/gpu": "8"}

    with quiet(server):
        status, screen = play(server, tmp_path, gang_scheduler_queues=queues, **user)
    assert (status, "changed=0" in screen) == (0, True), screen


def test_what_is_installed(server: ApiServer) -> None:
    """Two pods that answer, a budget, time and threads for many jobs, pinned images, metrics, the configuration."""
    made = {item["metadata"]["name"]: item for item in server.client.call("GET", DEPLOYMENTS)["items"]}
    images = {name: item["spec"]["template"]["spec"]["containers"][0]["image"] for name, item in made.items()}
    assert {image.rpartition(":")[2] for image in images.values()} == {"v1.15.1"}
    assert made["volcano-admission"]["spec"]["replicas"] == 2
    budgets = f"/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets"
    (budget,) = server.client.call("GET", budgets)["items"]
    assert budget["spec"] == {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "volcano-admission"}}}
    hooks = [
        hook for path in WEBHOOKS for item in server.client.call("GET", path)["items"] for hook in item["webhooks"]
    ]
    assert {hook["timeoutSeconds"] for hook in hooks} == {30}
    arguments = made["volcano-controllers"]["spec"]["template"]["spec"]["containers"][0]["args"]
    assert {"--worker-threads=10", "--worker-threads-for-podgroup=10", "--enable-metrics=true"} <= set(arguments)
    services = f"/api/v1/namespaces/{NAMESPACE}/services"
    assert {"volcano-scheduler-service", "volcano-controllers-service"} <= names(server, services)
    conf = server.client.call("GET", f"/api/v1/namespaces/{NAMESPACE}/configmaps/volcano-scheduler-configmap")
    document = yaml.safe_load(conf["data"]["volcano-scheduler.conf"])
    assert document["actions"] == "enqueue, allocate, backfill"
    plugins = [plugin["name"] for tier in document["tiers"] for plugin in tier["plugins"]]
    assert {"gang", "drf", "proportion", "nodeorder", "binpack"} <= set(plugins)


def test_another_configuration_brings_another_scheduler_and_no_queue_goes(
    server: ApiServer, programs: VolcanoStandIn, user: dict[str, str], tmp_path: Path
) -> None:
    programs.start()
    before = server.client.call("GET", f"{DEPLOYMENTS}/volcano-scheduler")["metadata"]["generation"]
    order = {"name": "nodeorder", "arguments": {"leastrequested.weight": 1}}
    tiers = [{"plugins": ["priority", "gang"]}, {"plugins": ["predicates", {"name": "capacity"}, order]}]
    conf = {"actions": ["enqueue", "allocate", "reclaim"], "tiers": tiers}
    queues = [{"name": "research", "weight": 3}, {"name": "vision", "parent": "research", "weight": 2}]
    status, screen = play(server, tmp_path, gang_scheduler_conf=conf, gang_scheduler_queues=queues, **user)
    assert (status, "changed=2" in screen) == (0, True), screen
    assert server.client.call("GET", f"{DEPLOYMENTS}/volcano-scheduler")["metadata"]["generation"] == before + 1
    assert {"default", "research", "teaching", "vision"} == names(server, QUEUES)


def test_bad_data_is_refused_at_once_before_the_cluster_is_asked(
    server: ApiServer, user: dict[str, str], tmp_path: Path
) -> None:
    conf = {"actions": ["alocate"], "tiers": [{"plugins": ["proportion"]}]}
    queues = [{"name": "a", "weight": 0}, {"name": "b", "parents": "a"}]
    status, screen = play(server, tmp_path, gang_scheduler_conf=conf, gang_scheduler_queues=queues, **user)
    assert (status, "Judge what the roles" in screen) == (2, False)
    for words in ("gang_scheduler_conf.actions = alocate", "no plugin gang", "gang_scheduler_queues[1]", "parents"):
        assert words in screen, screen


def test_removal_waits_for_jobs_and_leaves_nothing(
    server: ApiServer, programs: VolcanoStandIn, user: dict[str, str], tmp_path: Path
) -> None:
    programs.start()
    server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}, "/api/v1/namespaces")
    container = {"name": "main", "image": "main:1"}
    pod = {"schedulerName": "volcano", "containers": [container]}
    metadata = {"name": "waits", "namespace": "team"}
    pods = "/api/v1/namespaces/team/pods"
    server.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod}, pods)
    jobs = "/apis/batch.volcano.sh/v1alpha1/namespaces/team/jobs"
    tasks = [{"name": "worker", "replicas": 1, "template": {"spec": {"containers": [container]}}}]
    job = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "runs", "namespace": "team"}}
    server.create({**job, "spec": {"minAvailable": 1, "schedulerName": "volcano", "tasks": tasks}}, jobs)
    with quiet(server):
        status, screen = play(server, tmp_path, gang_scheduler_state="absent", **user)
    assert status != 0
    # That its own job has no pods yet makes no difference.
    assert "objects = Job team/runs, Pod team/waits: still needed" in screen, screen

    server.client.call("DELETE", f"{pods}/waits", (), {"gracePeriodSeconds": 0})
    server.patch_status(f"{jobs}/runs", {"state": {"phase": "Completed"}})
    # A queue that waits for a controller that nobody runs.
    server.patch(f"{QUEUES}/teaching", {"metadata": {"finalizers": ["example.test/nobody"]}})
    status, screen = play(server, tmp_path, gang_scheduler_state="absent", **user)
    assert (status, "changed=1" in screen) == (0, True), screen
    # Had a webhook been asked, it would have kept the queue default.
    assert not any(asked.startswith("DELETE") for asked in programs.asked)
    assert names(server, CRDS) == set()
    assert [names(server, path) for path in WEBHOOKS] == [set(), set()]
    assert NAMESPACE not in names(server, "/api/v1/namespaces")
    for kind in ("clusterroles", "clusterrolebindings"):
        left = names(server, f"/apis/rbac.authorization.k8s.io/v1/{kind}")
        assert not [name for name in left if name.startswith("volcano")]
