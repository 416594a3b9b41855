# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of Volcano Jobs against a store whose admission does what Volcano's does: fills in, and refuses changes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.run import JobsRefused
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Manifest, Ref
from tests.support.volcano_jobs import job, tasks
from tests.unit.plugins.module_utils._job_kinds.test_volcano_live import without_numbers
from tests.unit.plugins.module_utils._jobs import test_run
from tests.unit.plugins.module_utils._jobs.test_run import present, results


class Store(test_run.Store):
    """A cluster with Volcano's admission. asked_changes: how often it was asked for a change, dry runs too."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_changes = 0

    def list(self, api: str, kind: str, namespace: str = "", selector: str = "", **more: Any) -> list[Manifest]:
        return super().list(api, kind, namespace, selector, **more)

    def apply(self, ref: Ref, manifest: Manifest, dry_run: bool) -> Manifest:
        if ref.kind != "Job":
            return super().apply(ref, manifest, dry_run)
        manifest, live = copy.deepcopy(manifest), self.objects.get(ref)
        if live is None:
            for task in manifest["spec"]["tasks"]:
                task.setdefault("maxRetry", 3)
                task.setdefault("minAvailable", task["replicas"])
                task["template"]["spec"].setdefault("dnsPolicy", "ClusterFirst")
        else:
            self.asked_changes += 1
            # The list of tasks is one value; other fields that we do not send stay.
            manifest["spec"] = {**live["spec"], **manifest["spec"]}
            if without_numbers(manifest["spec"]) != without_numbers(live["spec"]):
                raise ApiError(400, "BadRequest", "job updates may not change fields other than")
        return super().apply(ref, manifest, dry_run)


def test_made_repeated_and_scaled() -> None:
    store, ref = Store(), job().ref
    assert results(present(store, job(), check=True)) == [["created"]]
    assert results(present(store, job())) == [["created"]]
    made = copy.deepcopy(store.objects[ref]["spec"])
    store.writes.clear()
    assert results(present(store, job())) == [["unchanged"]]
    for replicas in (5, 1, 0):
        wanted = job(tasks=tasks(replicas=replicas))
        assert results(present(store, wanted, check=True)) == [["changed"]]
        assert results(present(store, wanted)) == [["changed"]]
        assert results(present(store, wanted)) == [["unchanged"]]
        live = store.objects[ref]["spec"]
        assert (live["tasks"][1]["replicas"], live["minAvailable"]) == (replicas, replicas + 1)
        assert without_numbers(live) == without_numbers(made)
    assert store.writes == ["Job j"] * 3


def test_other_changes_are_refused_without_asking_and_recreate_makes_the_job_anew() -> None:
    store, wanted = Store(), job(image="i:2", tasks=tasks(replicas=3))
    present(store, job())
    store.writes.clear()
    for check in (True, False):
        with pytest.raises(JobsRefused) as refused:
            present(store, wanted, check=check)
        assert '"i:1" on the live job, "i:2" wanted: cannot be changed on a live job' in str(refused.value)
    assert (store.asked_changes, store.writes) == (0, [])
    assert results(present(store, wanted, recreate=True, check=True)) == [["changed"]]
    assert results(present(store, wanted, recreate=True)) == [["changed"]]
    assert store.writes == ["delete j", "Job j"]
    live = store.objects[wanted.ref]
    assert live["spec"]["tasks"][1]["template"]["spec"]["containers"][0]["image"] == "i:2"
    assert live["spec"]["tasks"][1]["maxRetry"] == 3


def test_one_of_several_that_cannot_change_holds_back_all() -> None:
    store = Store()
    present(store, job(), job(name="k"))
    store.writes.clear()
    with pytest.raises(JobsRefused) as refused:
        present(store, job(tasks=tasks(replicas=3)), job(name="k", queue="team-a"), job(name="new"))
    # FC-26
    assert "Job n/k: spec.queue" in str(refused.value)
    assert '"team-a" wanted: is immutable, it cannot be changed on a live job' in str(refused.value)
    with pytest.raises(JobsRefused, match="queue = team-a: there is no such queue"):
        present(store, job(name="k", queue="team-a"), recreate=True)
    assert store.writes == []


def test_a_job_that_has_ended_is_left_alone_and_begun_anew_on_demand() -> None:
    store, ref = Store(), job().ref
    present(store, job())
    store.objects[ref]["status"] = {"state": {"phase": "Aborted"}}
    store.writes.clear()
    assert results(present(store, job())) == [["unchanged"]]
    with pytest.raises(JobsRefused, match="the job has failed and makes no pod any more"):
        present(store, job(tasks=tasks(replicas=3)))
    assert results(present(store, job(), recreate=True)) == [["changed"]]
    assert store.writes == ["delete j", "Job j"]
