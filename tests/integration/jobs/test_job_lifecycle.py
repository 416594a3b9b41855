# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every job module, with the real operator: made, repeated, changed, refused, suspended, removed.

Modules are found by themselves, so a new one is held to the same the day it comes.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any, Callable, Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS
from tests.integration.conftest import Run, run_module
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import namespace_object
from tests.integration.support.strict import job_types

# Nobody here runs what makes a Volcano Job's pods: test_volcano_job.py plays it.
MODULES = sorted(name for name in job_types() if not JOB_KINDS[name].gang_backend)
# The smallest job of a kind, where workers alone are none.
SMALL = {"ps_job": {"PS": {}, "Worker": {}}}

Result = dict[str, Any]


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """Return a server without any CRD."""
    server = ApiServer(tmp_path_factory.mktemp("bare"))
    yield server
    server.stop()


def options(module: str) -> Result:
    """Return the options of the smallest job, in a namespace of the module's own."""
    namespace = f"lifecycle-{module.replace('_', '-')}"
    return {"name": "small", "namespace": namespace, "image": "t:1", "replicas": SMALL.get(module, {"Worker": {}})}


def ran(result: Result) -> Result:
    """Return a result that is no failure."""
    assert not result.get("failed"), result["msg"]
    return result


def until(state: str, look: Callable[[], Result]) -> None:
    """Return once a job is in a state."""
    end = time.monotonic() + 30
    while (result := ran(look()))["state"] != state:
        assert time.monotonic() < end, result
        time.sleep(0.2)


def pods(cluster: ApiServer, namespace: str) -> list[str]:
    """Return the uids of the pods in a namespace."""
    items = cluster.client.call("GET", f"/api/v1/namespaces/{namespace}/pods")["items"]
    return [pod["metadata"]["uid"] for pod in items]


@pytest.mark.parametrize("module", MODULES)
def test_from_its_making_to_its_end(cluster: ApiServer, nodes: list[str], run_on_cluster: Run, module: str) -> None:
    job, run = options(module), partial(run_on_cluster, module)
    namespace = job["namespace"]
    run_on_cluster("objects", objects=[namespace_object(namespace)])

    with cluster.quiet():
        predicted = ran(run(check=True, **job))
    assert (predicted["changed"], predicted["state"]) == (True, "absent")
    made = ran(run(**job))
    assert made["changed"]
    assert {entry["before_header"] for entry in made["diff"]} == {entry["before_header"] for entry in predicted["diff"]}
    until("running", partial(run, **job))

    with cluster.quiet():
        again = ran(run(**job))
    assert (again["changed"], again["diff"]) == (False, [])

    changed = {**job, "labels": {"team": "a"}}
    with cluster.quiet():
        assert ran(run(check=True, **changed))["changed"]
    before, uids = ran(run(**changed)), pods(cluster, namespace)
    assert before["changed"]
    assert before["diff"]
    assert before["diff"][0]["after"]["metadata"]["labels"]["team"] == "a"
    with cluster.quiet():
        assert not ran(run(**changed))["changed"]

    other = {**changed, "image": "t:2"}
    for check in (True, False):
        with cluster.quiet():
            refused = run(check=check, **other)
        assert refused["failed"]
        for part in ('"t:1" on the live job, "t:2" wanted', "cannot be changed on a live job", "Set recreate"):
            assert part in refused["msg"]
    assert pods(cluster, namespace) == uids

    assert ran(run(**changed, state="suspended"))["changed"]
    waited = ran(run(**changed, state="suspended", wait=True, timeout=30))
    assert (waited["changed"], waited["end"]) == (False, "suspended")
    with cluster.quiet():
        assert not ran(run(**changed, state="suspended"))["changed"]
    assert ran(run(**changed))["changed"]
    until("running", partial(run, **changed))

    with cluster.quiet():
        assert ran(run(check=True, **other, recreate=True))["changed"]
    assert ran(run(**other, recreate=True))["changed"]
    until("running", partial(run, **other))
    assert not set(pods(cluster, namespace)) & set(uids)

    with cluster.quiet():
        assert ran(run(check=True, **other, state="absent"))["changed"]
    gone = ran(run(**other, state="absent"))
    assert (gone["changed"], gone["state"], pods(cluster, namespace)) == (True, "absent", [])
    with cluster.quiet():
        assert not ran(run(**other, state="absent"))["changed"]


@pytest.mark.parametrize("module", MODULES)
def test_where_nothing_is_installed(bare: ApiServer, module: str) -> None:
    run = partial(run_module, bare, module)
    for namespace in ("default", "not-there"):
        job = {**options(module), "namespace": namespace}
        for state in ("present", "suspended"):
            assert ran(run(check=True, **job, state=state))["changed"]
        for check in (True, False):
            assert not ran(run(check=check, **job, state="absent"))["changed"]
