# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

"""Planning and writing against a store that is handed in; with a real server: tests/integration/jobs/test_tfjob.py."""

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.live import JobsReader
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.run import JobsRefused, JobsRunner, Outcomes
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.discovery import KindUnknown
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import ObjectsFailed
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Manifest, Ref

GROUP_API = "scheduling.k8s.io/v1beta1"


class Store:
    """A cluster in memory. refuse: what a write of an object of this name is refused with. writes: in their order."""

    field_manager = "trainyard.mlstack"

    def __init__(self) -> None:
        self.objects: dict[Ref, Manifest] = {}
        self.refuse: dict[str, ApiError] = {}
        self.refuse_only_writes = False
        self.writes: list[str] = []
        self.unknown: list[str] = []
        self.asked = 0
        # API versions and kinds that this user may not list.
        self.forbidden: list[tuple[str, str]] = []
        self.discovery = self

    def served(self, api_version: str, kind: str, fresh: bool = False) -> None:
        """Every kind is served but the unknown ones."""
        if kind in self.unknown:
            self.asked += 1
            raise KindUnknown(api_version, kind)

    def offers(self, _api_version: str) -> bool:
        return True

    def read(self, ref: Ref) -> Manifest | None:
        return self.objects.get(ref)

    def read_all(self, refs: list[Ref], *_how: Any, **_more: Any) -> dict[Ref, Manifest | None]:
        return {ref: self.objects.get(ref) for ref in refs}

    def list(self, api: str, kind: str, namespace: str, selector: str = "", **_more: Any) -> list[Manifest]:
        if (api, kind) in self.forbidden:
            raise ApiError(403, "Forbidden", f"may not list {kind}")
        found = [ref for ref in self.objects if (ref.api_version, ref.kind, ref.namespace) == (api, kind, namespace)]
        return [self.objects[ref] for ref in found]

    def takes_over(self, _live: Manifest) -> bool:
        return False

    def apply(self, ref: Ref, manifest: Manifest, dry_run: bool) -> Manifest:
        if ref.name in self.refuse and not (dry_run and self.refuse_only_writes):
            raise self.refuse[ref.name]
        uid = (self.objects.get(ref) or {"metadata": {"uid": f"uid-{len(self.objects)}"}})["metadata"]["uid"]
        result = {**manifest, "metadata": {**manifest["metadata"], "uid": uid, "resourceVersion": "1"}}
        if not dry_run:
            self.writes.append(f"{ref.kind} {ref.name}")
            self.objects[ref] = result
        return result

    def delete(self, ref: Ref, _uid: str) -> None:
        self.writes.append(f"delete {ref.name}")
        owners = [(ref.kind, ref.name)]
        for each in [each for each, item in self.objects.items() if _owners(item) == owners]:
            del self.objects[each]
        del self.objects[ref]


def _owners(manifest: Manifest) -> list[tuple[str, str]]:
    return [(owner["kind"], owner["name"]) for owner in manifest["metadata"].get("ownerReferences", [])]


def job(name: str, replicas: int = 1, gang: bool = False) -> Job:
    worker = {"replicas": replicas, "template": {"spec": {"containers": [{"name": "tensorflow"}]}}}
    root = {
        "apiVersion": TFJOB.api_version,
        "kind": "TFJob",
        "metadata": {"name": name, "namespace": "n"},
        "spec": {"tfReplicaSpecs": {"Worker": worker}},
    }
    group = {"apiVersion": GROUP_API, "kind": "PodGroup", "metadata": {"name": f"tfjob-{name}", "namespace": "n"}}
    return Job(TFJOB, name, "n", root, [group] if gang else [])


def present(store: Store, *jobs: Job, recreate: bool = False, check: bool = False) -> Outcomes:
    reader = JobsReader(store, [(each.kind, each.ref) for each in jobs])  # type: ignore[arg-type]
    return JobsRunner(store, reader, lambda _text: None, check).present(jobs, recreate)  # type: ignore[arg-type]


def results(outcomes: Outcomes) -> list[list[str]]:
    return [[outcome.result for outcome in each] for each in outcomes.values()]


def test_root_first_then_what_it_owns_and_nothing_the_second_time() -> None:
    store = Store()
    assert results(present(store, job("a", gang=True), check=True)) == [["created", "created"]]
    assert store.writes == []
    assert results(present(store, job("a", gang=True))) == [["created", "created"]]
    assert store.writes == ["TFJob a", "PodGroup tfjob-a"]
    group = store.objects[Ref(GROUP_API, "PodGroup", "tfjob-a", "n")]
    assert group["metadata"]["ownerReferences"][0]["uid"] == store.objects[job("a").ref]["metadata"]["uid"]
    store.writes.clear()
    assert results(present(store, job("a", gang=True))) == [["unchanged", "unchanged"]]
    assert store.writes == []


def test_groups_of_a_scheduler_that_this_user_may_not_see() -> None:
    """A cluster has Volcano, and who makes other jobs there has no rights on its PodGroups."""
    store = Store()
    store.forbidden = [("scheduling.volcano.sh/v1beta1", "PodGroup")]
    assert results(present(store, job("a", gang=True))) == [["created", "created"]]
    store.forbidden.append(("batch/v1", "Job"))
    root = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "namespace": "n"}}
    with pytest.raises(ApiError, match="may not list Job"):
        present(store, Job(PS_JOB, "b", "n", root))


def test_what_a_killed_run_left_out_is_made_by_the_next_one() -> None:
    store = Store()
    store.refuse, store.refuse_only_writes = {"tfjob-a": ApiError(500, "", "the run ends here")}, True
    with pytest.raises(ObjectsFailed, match="1 object refused, after 1 object had been written"):
        present(store, job("a", gang=True))
    store.refuse, store.writes = {}, []
    assert results(present(store, job("a", gang=True))) == [["unchanged", "created"]]
    assert store.writes == ["PodGroup tfjob-a"]


def test_all_refusals_of_all_jobs_before_any_write() -> None:
    store = Store()
    present(store, job("a"), job("b"))
    store.refuse = {"c": ApiError(403, "Forbidden", "denied the request"), "d": ApiError(400, "", "no")}
    store.writes.clear()
    with pytest.raises(JobsRefused) as refused:
        present(store, job("a", 2), job("b", 3), job("c"), job("d"), job("e"))
    assert str(refused.value).splitlines() == [
        "4 problems, nothing was changed:",
        "  1. TFJob n/a: spec.tfReplicaSpecs.Worker.replicas = 1 on the live job, 2 wanted: cannot be changed on a "
        "live job. Set recreate to delete the job and create it anew, or give the new job another name",
        "  2. TFJob n/b: spec.tfReplicaSpecs.Worker.replicas = 1 on the live job, 3 wanted: cannot be changed on a "
        "live job. Set recreate to delete the job and create it anew, or give the new job another name",
        "  3. TFJob n/c: denied the request",
        "  4. TFJob n/d: no",
    ]
    assert store.writes == []


def test_recreate_replaces_only_what_cannot_be_changed() -> None:
    store = Store()
    present(store, job("a", gang=True), job("b"))
    store.writes.clear()
    assert results(present(store, job("a", 2, gang=True), job("b"), recreate=True, check=True)) == [
        ["changed", "created"],
        ["unchanged"],
    ]
    assert store.writes == []
    assert results(present(store, job("a", 2, gang=True), job("b"), recreate=True)) == [
        ["changed", "created"],
        ["unchanged"],
    ]
    assert store.writes == ["delete a", "TFJob a", "PodGroup tfjob-a"]


def test_a_group_that_a_former_job_left_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The garbage collector has not come to it yet, when a job of the same name is made."""
    store, ref = Store(), Ref(GROUP_API, "PodGroup", "tfjob-a", "n")
    present(store, job("a", gang=True))
    del store.objects[job("a").ref]
    pauses: list[float] = []

    def collect(_deadline: Any, seconds: float) -> bool:
        pauses.append(seconds)
        store.objects.pop(ref)
        return True

    monkeypatch.setattr(Deadline, "pause", collect)
    store.writes.clear()
    assert results(present(store, job("a", gang=True))) == [["created", "created"]]
    assert (len(pauses), store.writes) == (1, ["TFJob a", "PodGroup tfjob-a"])


def quota_of(store: Store, **hard: int) -> None:
    """Give the namespace a quota of which nothing is used."""
    ref = Ref("v1", "ResourceQuota", "q", "n")
    store.objects[ref] = {"metadata": {"name": "q"}, "spec": {"hard": hard}, "status": {"hard": hard, "used": {}}}


def checked(store: Store, *jobs: Job, mode: str) -> list[str]:
    """Bring jobs to their state and return the warnings."""
    reader = JobsReader(store, [(each.kind, each.ref) for each in jobs])  # type: ignore[arg-type]
    runner = JobsRunner(store, reader, lambda _text: None, False, mode)  # type: ignore[arg-type]
    runner.present(jobs, recreate=False)
    return runner.warnings


def test_a_quota_without_room_warns_or_refuses() -> None:
    store = Store()
    quota_of(store, pods=3)
    with pytest.raises(
        JobsRefused, match=r"1 problem.*\n.*pods 3, 0 used: 1 is left after the others of the list, TFJob b needs 2"
    ):
        checked(store, job("a", 2), job("b", 2), mode="refuse")
    assert store.writes == []
    assert checked(store, job("a", 2), job("b", 2), mode="ignore") == []
    store.writes.clear()
    # What runs already is not held against the quota again.
    assert checked(store, job("a", 2), job("b", 2), mode="warn") == []
    assert "TFJob c needs 4, more than it ever allows" in checked(store, job("c", 4), mode="warn")[0]
    assert store.writes == ["TFJob c"]


def test_a_suspended_job_is_held_against_the_quota_when_it_goes_on() -> None:
    store = Store()
    quota_of(store, pods=1)
    waiting = job("a", 2)
    waiting.root["spec"]["runPolicy"] = {"suspend": True}
    assert checked(store, waiting, mode="refuse") == []
    with pytest.raises(JobsRefused, match="needs 2, more than it ever allows"):
        checked(store, job("a", 2), mode="refuse")


def test_a_kind_that_nobody_serves_is_asked_for_once_for_all_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    store.unknown = ["TFJob"]
    monkeypatch.setattr(Deadline, "pause", lambda *_arguments: False)
    with pytest.raises(
        JobsRefused, match=r"1 problem, nothing was changed:\n  1. kind = tfjob: the API server knows no kind"
    ):
        present(store, job("a"), job("b"))
    assert (store.asked, store.writes) == (1, [])
    assert results(present(store, job("a"), check=True)) == [["created"]]


def test_somebodys_config_map_of_a_job_s_name_is_left_alone() -> None:
    store, ref = Store(), PS_JOB.ref("a", "n")
    reader = JobsReader(store, [(PS_JOB, ref)])  # type: ignore[arg-type]
    runner = JobsRunner(store, reader, lambda _text: None, check_mode=False)  # type: ignore[arg-type]
    for labels, result in (({}, "absent"), ({PS_JOB.labels.job: "a"}, "deleted")):
        store.objects[ref] = {"metadata": {"name": "a", "namespace": "n", "uid": "1", "labels": labels}, "data": {}}
        assert [outcome.result for outcome in runner.absent([ref])[ref]] == [result]
    assert store.writes == ["delete a"]


def test_a_live_job_keeps_the_failure_policy_with_which_it_was_made() -> None:
    def task(number: int, **policy: Any) -> Job:
        labels = {"labels": {PS_JOB.labels.job: "a"}}
        metadata = {"name": "a", "namespace": "n", **labels}
        root = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"number": str(number)}}
        spec = {"template": {"spec": {"containers": [{"name": "main"}]}}, **policy}
        named = {"metadata": {"name": "worker-0-a", "namespace": "n", **labels}, "spec": spec}
        return Job(PS_JOB, "a", "n", root, [{"apiVersion": "batch/v1", "kind": "Job", **named}])

    store, policy = Store(), {"podFailurePolicy": {"rules": [{"action": "Ignore"}]}}
    present(store, task(1))
    store.writes.clear()
    # The server takes no other one later.
    assert results(present(store, task(1, **policy))) == [["unchanged", "unchanged"]]
    assert store.writes == []
    assert results(present(store, task(2, **policy), recreate=True)) == [["changed", "created"]]
    assert store.objects[Ref("batch/v1", "Job", "worker-0-a", "n")]["spec"]["podFailurePolicy"]


@pytest.mark.parametrize("refused", ["b", "tfjob-b"])
def test_one_refusal_of_the_server_keeps_all_jobs_from_being_written(refused: str) -> None:
    store = Store()
    store.refuse = {refused: ApiError(403, "Forbidden", "denied the request")}
    with pytest.raises(JobsRefused, match=f"1 problem, nothing was changed:\n  1. .* n/{refused}: denied the request"):
        present(store, job("a", gang=True), job("b", gang=True))
    assert store.writes == []
