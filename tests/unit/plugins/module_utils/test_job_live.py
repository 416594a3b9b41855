# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._api_error import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_live import JobReader


def pod(index: int, owner: str = "TFJob", uid: str = "1") -> dict[str, Any]:
    labels = {"training.kubeflow.org/replica-type": "worker", "training.kubeflow.org/replica-index": str(index)}
    owners = [{"kind": owner, "name": "j", "uid": uid}]
    return {
        "metadata": {"name": f"j-worker-{index}", "labels": labels, "ownerReferences": owners},
        "status": {"phase": "Running"},
    }


class Store:
    """A cluster with one job. queries: what was asked for."""

    def __init__(self) -> None:
        self.job: dict[str, Any] | None = {"metadata": {"uid": "1"}, "status": {}}
        self.pods: list[dict[str, Any]] = []
        self.queries: list[Any] = []
        self.client = self

    def read(self, _ref: Any) -> dict[str, Any] | None:
        return self.job

    def list(self, _api: str, kind: str, _namespace: str, selector: str = "", fields: str = "") -> list[dict[str, Any]]:
        self.queries.append((kind, selector, fields))
        return self.pods if kind == "Pod" else [{"type": "Normal"}, {"type": "Warning", "reason": "FailedCreatePod"}]

    def text(self, path: str, query: Any) -> str:
        self.queries.append((path, *query))
        if "gone" in path:
            raise ApiError(404, "NotFound", "no such pod")
        return "line\n"


def reader(store: Store) -> JobReader:
    return JobReader(store, TFJOB, TFJOB.ref("j", "n"))  # type: ignore[arg-type]


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
    assert ("Event", "", "involvedObject.uid=1") in store.queries
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
    assert found.job == {"metadata": {"uid": "1"}, "status": {}}


def test_logs_are_of_the_main_container() -> None:
    store = Store()
    assert reader(store).log("j-worker-0", 5) == "line\n"
    assert store.queries == [
        ("/api/v1/namespaces/n/pods/j-worker-0/log", ("container", "tensorflow"), ("tailLines", "5"))
    ]
    assert reader(store).log("gone") is None
