# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API tier: one real API server for the session, a namespace of its own for each test."""

from __future__ import annotations

import contextlib
import io
import json
import re
from functools import partial
from importlib import import_module
from typing import Any, Iterator, Protocol

import pytest
import yaml
from ansible.module_utils import _internal, basic

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.apply import Applier
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from tests.integration.support import volcano_programs
from tests.integration.support.api_server import ApiServer
from tests.integration.support.gang_kinds import foreign_gang_crds, make_queues
from tests.integration.support.training_operator import TrainingOperator
from tests.support.paths import bundle_dir
from tests.support.volcano import MANIFEST, missing, volcano_crds

# Nodes of fixture `room`, and what a job says that may use them.
ROOM_GPUS = 8
_ROOM_TAINT = {"key": "test.trainyard.mlstack/room", "value": "one-test", "effect": "NoSchedule"}
ROOM_TOLERATED = [{"key": _ROOM_TAINT["key"], "operator": "Exists"}]


class Run(Protocol):
    """Runs a module as Ansible would, in this process: fast enough for many calls."""

    def __call__(self, module: str, *, check: bool = ..., diff: bool = ..., **options: Any) -> dict[str, Any]: ...


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """Return a real API server; tests share it and keep to names of their own."""
    server = ApiServer(tmp_path_factory.mktemp("api"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def without_gangs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """Return an API server as most clusters have it: nobody switched on the gangs of Kubernetes itself."""
    server = ApiServer(tmp_path_factory.mktemp("without-gangs"), gangs=False)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """Return a second API server, with Kubernetes' own controllers: on `api` the tests play their part."""
    server = ApiServer(tmp_path_factory.mktemp("cluster"))
    server.start_controllers()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def training_operator(cluster: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Run the real training operator on `cluster`."""
    TrainingOperator(cluster, operator_manifest(), tmp_path_factory.mktemp("operator"))


@pytest.fixture(scope="session")
def nodes(cluster: ApiServer, training_operator: None) -> list[str]:
    """Give `cluster` a scheduler and KWOK nodes with two GPUs each; return their names. plays.py says how pods end."""
    names = ["gpu-1", "gpu-2"]
    cluster.start_scheduler()
    cluster.start_nodes(names, gpus=2)
    return names


@pytest.fixture(scope="session")
def judge(cluster: ApiServer, training_operator: None) -> ApiServer:
    """Return `cluster` with the operator's webhook, gangs and jobs of every kind, and a priority class of tests."""
    metadata, group = {"name": "high"}, "scheduling.k8s.io/v1"
    cluster.create(
        {"apiVersion": group, "kind": "PriorityClass", "metadata": metadata, "value": 1000},
        f"/apis/{group}/priorityclasses",
    )
    apply_crds(cluster, foreign_gang_crds())
    make_queues(cluster)
    if not missing():
        apply_crds(cluster, [crd for crd in volcano_crds() if crd["metadata"]["name"] == "jobs.batch.volcano.sh"])
    return cluster


@pytest.fixture
def namespace(api: ApiServer, request: pytest.FixtureRequest) -> str:
    """Return a namespace for one test."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:60].rstrip("-")
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}, "/api/v1/namespaces")
    return name


@pytest.fixture
def run(api: ApiServer) -> Run:
    """Return a function that runs a module against `api` and returns its result."""
    return partial(run_module, api)


@pytest.fixture
def run_on_cluster(cluster: ApiServer) -> Run:
    """Return a function that runs a module against `cluster` and returns its result."""
    return partial(run_module, cluster)


def run_module(
    server: ApiServer, module: str, *, check: bool = False, diff: bool = True, **options: Any
) -> dict[str, Any]:
    """Run a module against a server, as Ansible would; return its result."""
    internal = {"_ansible_check_mode": check, "_ansible_diff": diff, "_ansible_remote_tmp": "/tmp"}
    arguments = {"kubeconfig": str(server.kubeconfig), **options, **internal}
    output = io.StringIO()
    main = import_module(f"ansible_collections.trainyard.mlstack.plugins.modules.{module}").main
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode())
        patched.setattr(basic, "_ANSIBLE_PROFILE", "legacy")
        # Another test may have imported Ansible's own side, after which a warning would be shown and not returned.
        patched.setattr(_internal, "is_controller", False)
        with contextlib.redirect_stdout(output), pytest.raises(SystemExit):
            main()
    result: dict[str, Any] = json.loads(output.getvalue())
    return result


def operator_manifest() -> list[dict[str, Any]]:
    """Return the objects of the operator's manifest, from the bundle."""
    path = bundle_dir() / "manifests" / "training-operator.yaml"
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist. Run `make bundle` first.")
    return [item for item in yaml.safe_load_all(path.read_text(encoding="utf-8")) if item]


@pytest.fixture(scope="session")
def kubeflow(api: ApiServer) -> None:
    """Install the CRDs of TFJob and PyTorchJob without the operator: tests play its part."""
    names = ("tfjobs.kubeflow.org", "pytorchjobs.kubeflow.org")
    apply_crds(api, [item for item in operator_manifest() if item["metadata"]["name"] in names])


def apply_crds(server: ApiServer, crds: list[dict[str, Any]]) -> None:
    """Install CRDs on a server; return when it serves their kinds."""
    store, deadline = Store(server.client), Deadline(120)
    Applier(store, store.items(crds, ""), deadline, lambda _text: None, check_mode=False).run()


@pytest.fixture(scope="session")
def volcano_api(api: ApiServer) -> ApiServer:
    """Return `api` with Volcano's own CRDs, without its programs: tests play their part. Skips where they lie nowhere.

    Whatever says that no gang scheduler is installed belongs on a server without them: the session shares this one.
    """
    apply_crds(api, volcano_crds())
    return api


@pytest.fixture(scope="session")
def volcano_cluster(cluster: ApiServer) -> ApiServer:
    """Return `cluster` with Volcano's own CRDs; Kubernetes' controllers run there, Volcano's do not."""
    apply_crds(cluster, volcano_crds())
    return cluster


@pytest.fixture(scope="session")
def volcano_running(cluster: ApiServer, nodes: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Run Volcano's own programs on `cluster`; what wants them is skipped where nobody says where they are."""
    found = volcano_programs.folder()
    if found is None:
        pytest.skip(volcano_programs.told())
    volcano_programs.start_volcano(cluster, found, tmp_path_factory.mktemp("volcano"))


@pytest.fixture
def room(cluster: ApiServer, nodes: list[str], request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Add nodes for one test, as many as it is told, on which only its own jobs land; return their names."""
    assert nodes
    added = [f"room-{number:02d}" for number in range(request.param)]
    for name in added:
        cluster.add_node(name, gpus=ROOM_GPUS, taints=[_ROOM_TAINT])
    yield added
    for name in added:
        cluster.client.call("DELETE", f"/api/v1/nodes/{name}")


@pytest.fixture(params=["native", "volcano"])
def gang_backend(request: pytest.FixtureRequest) -> str:
    """Return each gang scheduler that can run on `cluster`, for what holds under all of them."""
    if request.param == "volcano":
        request.getfixturevalue("volcano_running")
    return str(request.param)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say of every run what Volcano's part was tested against: a quiet skip would look like a proof."""
    reason = missing()
    terminalreporter.write_line(f"Volcano: skipped, {reason}" if reason else f"Volcano: definitions of {MANIFEST}")
    terminalreporter.write_line(volcano_programs.told())
