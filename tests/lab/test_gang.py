# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two jobs that do not fit together, with real pods: each waits for all of its job, as training does.

Without gangs both wait for ever, with them one runs whole, then the other. A node's GPUs are numbers in its status.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.client import Client, connect
from tests.integration.support.samples import namespace_object
from tests.lab.support.lab import Lab, Run
from tests.support.gang_contest import DEFAULTS, GPUS, JOBS, KINDS, SIZE, Contest, until
from tests.support.paths import RELEASE
from tests.support.placements import Placements

pytestmark = pytest.mark.lab

# Its end is the job's: nobody goes on before everybody answers.
PROGRAM = """
import json, os, socket, time
config = json.loads(os.environ["TF_CONFIG"])
own = config["cluster"][config["task"]["type"]][config["task"]["index"]]
server = socket.create_server(("", int(own.rpartition(":")[2])))
for host, _colon, port in (each.rpartition(":") for each in sum(config["cluster"].values(), [])):
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=5).close()
            break
        except OSError:
            time.sleep(0.2)
print("all are here")
time.sleep(10)
"""


@pytest.fixture(scope="module")
def client(verifiable_lab: Lab) -> Iterator[Client]:
    """Return a client of the lab's cluster, whose nodes have two GPUs each meanwhile."""
    client = connect(str(verifiable_lab.kubeconfig), None)
    nodes = [f"/api/v1/nodes/{name}" for name in verifiable_lab.groups["kube_node"]]
    assert len(nodes) * 2 == GPUS

    def give(gpus: str | None) -> None:
        for node in nodes:
            status = {"status": {"capacity": {"nvidia.com/gpu": gpus}}}
            client.call("PATCH", f"{node}/status", (), status, "application/merge-patch+json")

    give("2")
    until(
        lambda: all(client.call("GET", node)["status"]["allocatable"].get("nvidia.com/gpu") == "2" for node in nodes),
        "the kubelets tell of two GPUs",
    )
    yield client
    give(None)


@pytest.fixture
def contest(verifiable_lab: Lab, client: Client, request: pytest.FixtureRequest) -> Iterator[Contest]:
    """Return the two jobs in a namespace that goes with the test."""
    namespace = request.node.originalname.replace("_", "-")
    client.call("POST", "/api/v1/namespaces", (), namespace_object(namespace))
    with Placements(verifiable_lab.kubeconfig, namespace) as seen:
        yield Contest(client, namespace, seen)
        client.call("DELETE", f"/api/v1/namespaces/{namespace}")
        until(lambda: not any(seen.holding(job) for job in KINDS), "their GPUs are free again")


def submit(lab: Lab, folder: Path, namespace: str, **options: Any) -> Run:
    """Start a playbook that submits both jobs by one task."""
    # As the first process of its container it has no ear for a polite end.
    template = {"spec": {**DEFAULTS["template"]["spec"], "terminationGracePeriodSeconds": 1}}
    defaults = {
        **DEFAULTS,
        "template": template,
        "namespace": namespace,
        "image": RELEASE["images"]["tensorflow"],
        "image_pull_policy": "IfNotPresent",
        "command": ["python3", "-c", PROGRAM],
        "contract": ["tf_config"],
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}},
        **options.pop("defaults", {}),
    }
    arguments = {"kubeconfig": str(lab.kubeconfig), "jobs": JOBS, "defaults": defaults, **options}
    playbook = folder / "jobs.yml"
    tasks = [{"trainyard.mlstack.jobs": arguments}]
    playbook.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]))
    return lab.start(str(playbook))


def test_without_gangs_they_block_each_other(verifiable_lab: Lab, tmp_path: Path, contest: Contest) -> None:
    run = submit(verifiable_lab, tmp_path, contest.namespace)
    assert run.wait() == 0, run.output
    contest.let_in(looked_at=True)
    contest.assert_blocked()


def test_with_gangs_one_runs_whole_and_then_the_other(verifiable_lab: Lab, tmp_path: Path, contest: Contest) -> None:
    report = tmp_path / "report.json"
    options = {"defaults": {"gang": {}}, "wait": True, "timeout": 300, "report_file": str(report)}
    run = submit(verifiable_lab, tmp_path, contest.namespace, **options)
    try:
        contest.let_in()
        _first, second = contest.first()
        assert run.wait() == 0, run.output
    finally:
        run.kill()
    assert [job["end"] for job in json.loads(report.read_text())["jobs"]] == ["succeeded", "succeeded"]
    assert (contest.seen.placed(second), contest.seen.most(second)) == (SIZE, SIZE)
