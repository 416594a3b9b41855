# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.live import JobsReader
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref


def pod(index: int, owner: str = "TFJob", uid: str = "1") -> dict[str, Any]:
    labels = {
        "training.kubeflow.org/job-name": "j",
        "training.kubeflow.org/replica-type": "worker",
        "training.kubeflow.org/replica-index": str(index),
    }
    owners = [{"kind": owner, "name": "j", "uid": uid}]
    return {
        "metadata": {"name": f"j-worker-{index}", "labels": labels, "ownerReferences": owners},
        "status": {"phase": "Running"},
    }


class Store:
    """A cluster with one job. queries: what was asked for."""

    def __init__(self) -> None:
        self.job: dict[str, Any] | None = {"metadata": {"name": "j", "uid": "1"}, "spec": {}, "status": {}}
        self.pods: list[dict[str, Any]] = []
        self.queries: list[Any] = []
        self.client = self

    def read_all(self, refs: list[Ref], _shape: Any) -> dict[Ref, dict[str, Any] | None]:
        return dict.fromkeys(refs, self.job)

    def list(
        self, _api: str, kind: str, _namespace: str, selector: str = "", fields: str = "", shape: Any = None
    ) -> list[dict[str, Any]]:
        self.queries.append((kind, selector, fields))
        event = {"type": "Warning", "reason": "FailedCreatePod", "involvedObject": {"uid": "1"}}
        return [shape(item) for item in self.pods] if kind == "Pod" else [event]

    def text(self, path: str, query: Any) -> str:
        self.queries.append((path, *query))
        if "gone" in path:
            raise ApiError(404, "NotFound", "no such pod")
        return "line\n"


JOB = TFJOB.ref("j", "n")


class OneJob:
    """A reader of one job."""

    def __init__(self, store: Store) -> None:
        self._reader = JobsReader(store, [(TFJOB, JOB)])  # type: ignore[arg-type]
        self.watch = self._reader.watches[JOB]

    def look(self) -> JobState:
        return self._reader.look()[JOB]

    def log(self, pod: str, lines: int | None = None) -> str | None:
        return self._reader.log(JOB, pod, lines)


def reader(store: Store) -> OneJob:
    return OneJob(store)


def test_only_pods_of_this_very_job_count() -> None:
    store = Store()
    found = reader(store)
    found.look()
    store.pods = [pod(0), pod(1, owner="PyTorchJob"), pod(2, uid="2")]
    assert [replica.pod for replica in found.look().replicas] == ["j-worker-0"]
    assert ("Pod", "training.kubeflow.org/job-name=j", "") in store.queries


def test_events_are_asked_for_only_while_there_are_no_pods() -> None:
    store = Store()
    found = reader(store)
    assert found.look().message == "FailedCreatePod"
    assert ("Event", "", "involvedObject.uid=1,type=Warning") in store.queries
    store.pods, store.queries = [pod(0)], []
    found.look()
    assert [query[0] for query in store.queries] == ["Pod"]


def test_what_was_seen_is_remembered() -> None:
    store = Store()
    found = reader(store)
    assert found.look().state == "created"
    store.pods = [pod(0)]
    found.look()
    store.pods = []
    assert [(replica.pod, replica.state) for replica in found.look().replicas] == [("j-worker-0", "removed")]
    store.job = None
    assert found.look().state == "vanished"
    assert found.watch.job == {"metadata": {"name": "j", "uid": "1"}, "spec": {}, "status": {}}


def test_a_job_made_anew_under_the_same_name_is_another_one() -> None:
    store = Store()
    found = reader(store)
    found.look()
    store.job = {"metadata": {"name": "j", "uid": "2"}, "spec": {}, "status": {}}
    store.pods = [pod(0, uid="2")]
    state = found.look()
    assert (state.state, state.message, state.replicas) == (
        "vanished",
        "another job took its name before its end was seen",
        [],
    )


def test_a_job_that_was_just_written_is_known_before_the_first_look() -> None:
    store = Store()
    found = reader(store)
    found.watch.uid = "0"
    assert found.look().state == "vanished"


@pytest.mark.parametrize(
    ("names", "selector"),
    [
        (["a"], "training.kubeflow.org/job-name=a"),
        (["a", "b"], "training.kubeflow.org/job-name in (a,b)"),
        ([f"j{n}" for n in range(50)], "training.kubeflow.org/job-name"),
    ],
)
def test_one_list_of_pods_for_all_jobs_of_a_namespace(names: list[str], selector: str) -> None:
    store = Store()
    store.pods = [pod(0)]
    JobsReader(store, [(TFJOB, TFJOB.ref(name, "n")) for name in names]).look()  # type: ignore[arg-type]
    assert [query for query in store.queries if query[0] == "Pod"] == [("Pod", selector, "")]


def test_logs_are_of_the_main_container() -> None:
    store = Store()
    assert reader(store).log("j-worker-0", 5) == "line\n"
    assert store.queries == [
        ("/api/v1/namespaces/n/pods/j-worker-0/log", ("container", "tensorflow"), ("tailLines", "5"))
    ]
    assert reader(store).log("gone") is None
