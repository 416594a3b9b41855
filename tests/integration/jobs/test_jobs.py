# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many jobs in one task: mixed ends, all refusals together, what the playbook shows and ends with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Run
from tests.integration.jobs.test_tfjob import Operator
from tests.integration.kube.test_playbook import run_playbook
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import job_condition, later
from tests.support.paths import ROOT

LIST = {"image": "t:1", "replicas": {"Worker": {}}}


@pytest.fixture
def jobs(api: ApiServer, kubeflow: None, namespace: str) -> dict[str, Operator]:
    """Return a player of the operator for each of some jobs."""
    return {name: Operator(api, namespace, name) for name in ("good", "bad", "gone", "slow", "held")}


def test_each_job_of_a_list_ends_in_its_own_way(run: Run, jobs: dict[str, Operator], namespace: str) -> None:
    def play() -> None:
        jobs["bad"].pods("Worker", 0, terminated={"exitCode": 3, "reason": "Error"})
        jobs["bad"].job("Failed", message="1 Worker replica(s) failed")
        jobs["held"].job("Suspended")
        jobs["gone"].delete()
        time.sleep(1.5)
        jobs["good"].job("Succeeded")

    listed = [{"name": name, "suspend": name == "held"} for name in jobs]
    with later(1.5, play):
        result = run("tfjob", namespace=namespace, **LIST, jobs=listed, wait=True, timeout=6)
    assert [(job["name"], job["changed"], job["end"]) for job in result["jobs"]] == [
        ("good", True, "succeeded"),
        ("bad", True, "failed"),
        ("gone", True, "vanished"),
        ("slow", True, "timed_out"),
        ("held", True, "suspended"),
    ]
    assert (result["failed"], result["changed"]) == (True, True)
    assert result["jobs"][0]["ended_by"] == "its worker 0 ended well"
    assert result["jobs"][1]["ended_by"] == "Worker-0 ended with exit code 3, under restart_policy Never"
    lines = result["msg"].splitlines()
    assert lines[0] == "3 of 5 jobs did not end well:"
    assert f"TFJob {namespace}/bad failed after 42 s: TFJobFailed: 1 Worker replica(s) failed" in lines
    assert any(line.startswith("  Worker-0, pod bad-worker-0 on node-0: failed") for line in lines)
    assert any(line.startswith(f"TFJob {namespace}/gone vanished") for line in lines)
    assert any(line.startswith(f"TFJob {namespace}/slow did not end within 6 s") for line in lines)


def test_a_list_is_made_changed_and_removed_with_no_write_in_between(
    api: ApiServer, run: Run, jobs: dict[str, Operator], namespace: str
) -> None:
    here = {"namespace": namespace, **LIST}
    listed: list[dict[str, Any]] = [{"name": name} for name in jobs]
    mark = api.audit_mark()
    predicted = run("tfjob", check=True, **here, jobs=listed)
    assert ([job["changed"] for job in predicted["jobs"]], api.writes(mark)) == ([True] * 5, [])
    assert [entry["before"] for entry in predicted["diff"]] == [""] * 5
    assert run("tfjob", **here, jobs=listed)["changed"]
    mark = api.audit_mark()
    again = run("tfjob", **here, jobs=listed)
    assert ([job["changed"] for job in again["jobs"]], again["diff"], api.writes(mark)) == ([False] * 5, [], [])

    listed[1] = {**listed[1], "ttl_seconds_after_finished": 60}
    changed = run("tfjob", **here, jobs=listed)
    assert [job["changed"] for job in changed["jobs"]] == [False, True, False, False, False]
    assert [write.split("?")[0] for write in api.writes(mark)] == [f"patch {jobs['bad'].path}"]

    mark = api.audit_mark()
    listed += [{"name": "new"}, {"name": "new2", "gpus": 99}]
    listed[0] = {**listed[0], "image": "t:2"}
    listed[2] = {**listed[2], "replicas": {"Worker": {"replicas": 2}}}
    refused = run("tfjob", **here, jobs=listed)
    for part in ("2 problems, nothing was changed", f"TFJob {namespace}/good: spec", f"TFJob {namespace}/gone: spec"):
        assert part in refused["msg"]
    assert api.writes(mark) == []

    assert [job["changed"] for job in run("tfjob", **here, jobs=listed[:5], state="absent")["jobs"]] == [True] * 5
    assert not run("tfjob", **here, jobs=listed[:5], state="absent")["changed"]


def test_suspended_and_resumed(api: ApiServer, run: Run, jobs: dict[str, Operator], namespace: str) -> None:
    options = {"name": "held", "namespace": namespace, **LIST}

    def suspend() -> Any:
        return api.client.call("GET", jobs["held"].path)["spec"]["runPolicy"].get("suspend")

    assert run("tfjob", **options)["changed"]
    with later(1.0, lambda: jobs["held"].job("Suspended")):
        stopped = run("tfjob", **options, state="suspended", wait=True, timeout=60)
    assert (stopped["changed"], stopped["end"], suspend()) == (True, "suspended", True)
    assert not run("tfjob", **options, state="suspended")["changed"]

    # The operator leaves the condition of before, as False.
    resumed_condition = job_condition("Running")
    resumed_condition["conditions"].insert(0, {"type": "Suspended", "status": "False", "reason": "TFJobResumed"})

    def resume() -> None:
        api.patch_status(jobs["held"].path, resumed_condition)
        time.sleep(1.5)
        jobs["held"].job("Succeeded")

    with later(1.5, resume):
        resumed = run("tfjob", **options, wait=True, timeout=60)
    assert (resumed["changed"], resumed["end"], suspend()) == (True, "succeeded", False)


def test_a_job_made_anew_under_the_same_name_is_not_waited_for(
    api: ApiServer, run: Run, jobs: dict[str, Operator], namespace: str
) -> None:
    def replace() -> None:
        manifest = api.client.call("GET", jobs["good"].path)
        jobs["good"].delete()
        kept = {key: manifest["metadata"][key] for key in ("name", "namespace")}
        api.create({**manifest, "metadata": kept}, jobs["good"].path.rpartition("/")[0])
        jobs["good"].job("Succeeded")

    with later(1.5, replace):
        result = run("tfjob", name="good", namespace=namespace, **LIST, wait=True, timeout=60)
    assert (result["failed"], result["end"]) == (True, "vanished")
    assert "another job took its name" in result["message"]


def test_the_module_for_all_kinds(api: ApiServer, run: Run, jobs: dict[str, Operator], namespace: str) -> None:
    listed = [{"kind": "tfjob", "name": "good"}, {"kind": "tfjob", "name": "slow"}]
    with later(1.0, lambda: jobs["good"].job("Succeeded")):
        result = run("jobs", jobs=listed, defaults={"namespace": namespace, **LIST}, wait=True, timeout=3)
    assert [(job["kind"], job["end"]) for job in result["jobs"]] == [("tfjob", "succeeded"), ("tfjob", "timed_out")]
    mark = api.audit_mark()
    again = run("jobs", jobs=listed, defaults={"namespace": namespace, **LIST})
    assert ([job["state"] for job in again["jobs"]], api.writes(mark)) == (["succeeded", "created"], [])
    assert run("jobs", jobs=listed, defaults={"namespace": namespace}, state="absent")["changed"]


def test_the_playbook_shows_jobs_moving_and_fails_when_one_did(
    api: ApiServer, jobs: dict[str, Operator], namespace: str, tmp_path: Path
) -> None:
    def until_there() -> None:
        end = time.monotonic() + 60
        while len(api.client.call("GET", jobs["good"].path.rpartition("/")[0])["items"]) < 2:
            assert time.monotonic() < end
            time.sleep(0.1)

    def play() -> None:
        until_there()
        time.sleep(1.2)
        jobs["good"].pods("Worker", 0, running={"startedAt": "2026-11-28T00:00:00Z"})
        time.sleep(2.0)
        jobs["good"].job("Succeeded")
        jobs["bad"].pods("Worker", 0, terminated={"exitCode": 9, "reason": "Error"})
        jobs["bad"].job("Failed", message="1 Worker replica(s) failed")

    content = {
        "defaults": {"namespace": namespace, **LIST},
        "jobs": [{"kind": "tfjob", "name": name} for name in ("good", "bad")],
    }
    (tmp_path / "jobs.yml").write_text(json.dumps(content), encoding="utf-8")
    report = tmp_path / "report.json"
    variables = {
        "mlstack_kubeconfig": str(api.kubeconfig),
        "mlstack_jobs_file": str(tmp_path / "jobs.yml"),
        "mlstack_jobs_timeout": 60,
        "mlstack_report_file": str(report),
    }
    (tmp_path / "nobody.ini").touch()
    command = (ROOT / "playbooks" / "jobs.yml", "-i", str(tmp_path / "nobody.ini"), "-e", json.dumps(variables))
    with later(0.0, play):
        status, screen = run_playbook(*command)
    assert status == 2, screen
    rows = [line.split() for line in screen.splitlines()]
    for row in (
        ["jobs:", "2", "jobs:", "2", "created"],
        ["jobs:", "2", "jobs:", "1", "running,", "1", "created"],
        ["jobs:", "2", "jobs:", "1", "failed,", "1", "succeeded"],
        [f"{namespace}/good", "tfjob", "running", "Worker", "1/1"],
        ["JOB", "KIND", "CHANGED", "STATE", "TIME", "WHY"],
        [f"{namespace}/bad", "tfjob", "yes", "failed", "42", "s", "Worker-0", "ended", "with", "exit", "code", "9,"],
    ):
        assert any(found[: len(row)] == row for found in rows), (row, screen)
    written = json.loads(report.read_text(encoding="utf-8"))
    assert ([job["end"] for job in written["jobs"]], written["ok"]) == (["succeeded", "failed"], False)

    # Nobody collects garbage on this server.
    for name in ("good", "bad"):
        options = {"gracePeriodSeconds": 0}
        api.client.call("DELETE", f"/api/v1/namespaces/{namespace}/pods/{name}-worker-0", (), options)
    removed, screen = run_playbook(*command, "-e", "mlstack_jobs_state=absent")
    assert (removed, "changed=1" in screen) == (0, True), screen


LAUNCH = """
import importlib, sys
from ansible.module_utils import basic
basic._ANSIBLE_ARGS, basic._ANSIBLE_PROFILE = sys.stdin.buffer.read(), "legacy"
importlib.import_module("ansible_collections.trainyard.mlstack.plugins.modules.tfjob").main()
"""


def test_a_run_that_is_killed_midway_is_completed_by_the_next_one(
    api: ApiServer, run: Run, jobs: dict[str, Operator], namespace: str
) -> None:
    options = {"namespace": namespace, **LIST, "jobs": [{"name": f"j{number}"} for number in range(150)]}
    arguments = {"kubeconfig": str(api.kubeconfig), **options}
    path = jobs["good"].path.rpartition("/")[0]

    def there() -> int:
        return len(api.client.call("GET", path)["items"])

    with subprocess.Popen(
        [sys.executable, "-c", LAUNCH],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT / ".ansible" / "collections")},
    ) as killed:
        assert killed.stdin is not None
        killed.stdin.write(json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode())
        killed.stdin.close()
        end = time.monotonic() + 60
        while not there():
            assert killed.poll() is None
            assert time.monotonic() < end
        killed.kill()
    before = there()
    assert 0 < before < 150, "it was killed too early or too late to show anything"
    result = run("tfjob", **options)
    made = [job["changed"] for job in result["jobs"]]
    assert (made.count(False), there()) == (before, 150)
    mark = api.audit_mark()
    assert not run("tfjob", **options)["changed"]
    assert api.writes(mark) == []
