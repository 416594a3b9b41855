# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between kinds of job is asked in one place, and a new kind is one file, one row and one module."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.info import JobsInfo, Selection
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.live import JobsReader
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import job_type
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.read import read, read_mixed
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.run import JobsRefused, JobsRunner, Outcomes
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.wait import Ending, JobsWait
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Manifest, Ref
from tests.support.jobset import JOBSET
from tests.unit.contracts import tree
from tests.unit.plugins.module_utils._jobs.test_run import Store

HELPERS = tree.ROOT / "plugins" / "module_utils"
# Here kinds are told apart: each answers for itself.
DOORS = ("_job_kinds", "_job_model")
CONSTANTS = {"TFJOB", "PYTORCHJOB", "PS_JOB", "VOLCANO_JOB"}
CLASSES = {"OperatorJob", "TFJob", "PyTorchJob", "PsJob", "VolcanoJob"}
# What only some kinds have, and none but they should be asked for.
OWN_FIELDS = {"replica_specs", "all_workers", "fixed", "maker"}
KNOWN = tuple(JOB_KINDS)


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_kind(node: ast.AST) -> bool:
    """Return True if an expression is a kind of job, by its name: kind, job.kind, watch.kind."""
    word = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return word in ("kind", "_kind")


def _asks(node: ast.AST) -> bool:
    """Return True if a node of code asks which kind a job is."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        if any(_names(side) & CONSTANTS for side in sides):
            return True
        # A name of a kind, as text.
        texts = {each.value for side in sides for each in ast.walk(side) if isinstance(each, ast.Constant)}
        of_kind = any(
            isinstance(side, ast.Attribute) and side.attr == "name" and _is_kind(side.value) for side in sides
        )
        return of_kind and bool(texts & set(JOB_KINDS))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "isinstance":
            return bool(_names(node) & CLASSES)
        return node.func.id in ("getattr", "hasattr") and bool(node.args) and _is_kind(node.args[0])
    if isinstance(node, ast.Attribute) and node.attr in OWN_FIELDS:
        return _is_kind(node.value) or bool(_names(node.value) & CONSTANTS)
    return isinstance(node, ast.Dict) and any(key and _names(key) & CONSTANTS for key in node.keys)


# Without one of these no code asks: parsing every file takes long.
_WORDS = re.compile(rf"\b(?:{'|'.join(CONSTANTS | CLASSES | OWN_FIELDS)}|[gh](?:et|as)attr|kind\.name)\b")


def questions(code: str) -> int:
    """Return how often code asks which kind a job is."""
    return sum(map(_asks, ast.walk(ast.parse(code)))) if _WORDS.search(code) else 0


@pytest.mark.parametrize(
    "code",
    [
        "kind is PS_JOB",
        "job.kind is not VOLCANO_JOB",
        "kind == TFJOB",
        "kind in (TFJOB, PYTORCHJOB)",
        "ref.kind == PS_JOB.kind",
        "(manifest['kind']) == VOLCANO_JOB.kind",
        "job.kind.name == 'volcano_job'",
        "kind.name in ('tfjob', 'pytorchjob')",
        "isinstance(kind, OperatorJob)",
        "getattr(job.kind, 'replica_specs', '')",
        "1 if self._kind.replica_specs else 2",
        "kind.maker",
        "TFJOB.replica_specs",
        "{PS_JOB: 1}",
    ],
)
def test_a_question_is_seen(code: str) -> None:
    assert questions(code) == 1


@pytest.mark.parametrize(
    "code", ["kind.specs(root)", "TFJOB.ref(name, namespace)", "kind is None", "ref.kind == 'Pod'", "kind != job.kind"]
)
def test_what_is_no_question(code: str) -> None:
    assert questions(code) == 0


def test_kinds_are_told_apart_in_one_place() -> None:
    files = [path for path in HELPERS.glob("**/*.py") if path.parent.name not in DOORS]
    assert len(files) > 100
    files += [path for folder in ("modules", "plugin_utils", "action") for path in _files(folder)]
    found = {str(path.relative_to(tree.ROOT)): questions(path.read_text()) for path in files}
    asking = {path: number for path, number in found.items() if number}
    assert asking == {}


def _files(folder: str) -> list[Path]:
    return sorted((tree.ROOT / "plugins" / folder).glob("**/*.py"))


def test_each_kind_has_a_module() -> None:
    assert [name for name in KNOWN if name not in tree.MODULES] == []


# A kind that nobody here knows: the fixture is its file, this its row.


@pytest.fixture(autouse=True)
def row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JOB_KINDS, JOBSET.name, JOBSET)


class Cluster(Store):
    """A cluster in memory that has logs, lists over all namespaces, and shapes what it lists."""

    def __init__(self) -> None:
        super().__init__()
        self.client: Any = self
        self.logs: dict[str, str] = {}

    def list(
        self,
        api: str,
        kind: str,
        namespace: str = "",
        selector: str = "",
        fields: str = "",
        shape: Any = None,
        **_more: Any,
    ) -> list[Manifest]:
        label = selector.split("=")[0].split(" ")[0].split(",")[-1]
        found = [
            item
            for ref, item in self.objects.items()
            if (ref.api_version, ref.kind) == (api, kind)
            and namespace in ("", ref.namespace)
            and (not label or label in (item["metadata"].get("labels") or {}))
        ]
        return [shape(item) if shape else item for item in found]

    def text(self, path: str, _query: Any) -> str:
        name = path.split("/")[-2]
        if name not in self.logs:
            raise ApiError(404, "NotFound", "no log")
        return self.logs[name]

    def add(self, api: str, kind: str, manifest: Manifest, name: str) -> None:
        metadata = {"name": name, "namespace": "n", "uid": f"uid-{name}", **manifest.pop("metadata", {})}
        self.objects[Ref(api, kind, name, "n")] = {"apiVersion": api, "kind": kind, "metadata": metadata, **manifest}

    def play(self, job: Job, phase: str, **status: Any) -> None:
        """Play the JobSet controller and Kubernetes' own: a batch Job and a pod for each replica."""
        root = self.objects[job.ref]
        for group, count in JOBSET.counts(root).items():
            for index in range(count):
                name = f"{job.name}-{group}-{index}"
                keys = (JOBSET.labels.job, JOBSET.labels.type, JOBSET.labels.index)
                labels = dict(zip(keys, (job.name, group, str(index))))
                self.add("batch/v1", "Job", {"metadata": {"labels": labels, **_owner(root)}}, name)
                owner = _owner(self.objects[Ref("batch/v1", "Job", name, "n")])
                pod = {"metadata": {"labels": labels, **owner}, "spec": {}, "status": {"phase": phase, **status}}
                self.add("v1", "Pod", pod, f"{name}-0-x")

    def end(self, job: Job, word: str, message: str) -> None:
        condition = {"type": word, "status": "True", "reason": word, "message": message}
        self.objects[job.ref]["status"] = {"conditions": [condition]}


def _owner(item: Manifest) -> dict[str, Any]:
    owner = {"apiVersion": item["apiVersion"], "kind": item["kind"]}
    return {"ownerReferences": [{**owner, **{key: item["metadata"][key] for key in ("name", "uid")}}]}


def job(workers: int = 2, **options: Any) -> Job:
    groups = [{"name": "driver"}, {"name": "worker", "replicas": workers, "gpus": 1}]
    task = {"name": "bert", "namespace": "n", "image": "i:1", "replicated_jobs": groups, **options}
    found, problems = read(job_type(JOBSET), task)
    assert [problem.line() for problem in problems] == []
    assert found[0].job
    return found[0].job


def runner(cluster: Cluster, *jobs: Job) -> JobsRunner:
    reader = JobsReader(cluster, [(each.kind, each.ref) for each in jobs])  # type: ignore[arg-type]
    return JobsRunner(cluster, reader, lambda _text: None, False)  # type: ignore[arg-type]


def present(cluster: Cluster, *jobs: Job, recreate: bool = False) -> Outcomes:
    return runner(cluster, *jobs).present(jobs, recreate)


def wait(cluster: Cluster, of: Job, seconds: float = 5) -> Ending:
    reader = JobsReader(cluster, [(of.kind, of.ref)])  # type: ignore[arg-type]
    return JobsWait(reader, lambda _text: None, 5, whole_logs=True).run(Deadline(seconds))[of.ref]


def test_options_of_a_new_kind_become_its_object() -> None:
    root = job(labels={"team": "a"}, state="suspended").root
    assert (root["apiVersion"], root["kind"]) == ("jobset.x-k8s.io/v1alpha2", "JobSet")
    assert root["metadata"] == {"name": "bert", "namespace": "n", "labels": {"team": "a"}}
    assert root["spec"]["suspend"] is True
    assert [(each["name"], each["replicas"]) for each in root["spec"]["replicatedJobs"]] == [
        ("driver", 1),
        ("worker", 2),
    ]
    pod = root["spec"]["replicatedJobs"][1]["template"]["spec"]["template"]["spec"]
    assert pod["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "1"}


def test_all_that_is_wrong_with_a_new_kind_at_once() -> None:
    task = {"name": "bert", "image": "I", "replicated_jobs": [{"name": "worker", "gpu": 1}]}
    assert [problem.line().partition(":")[0] for problem in read(job_type(JOBSET), task)[1]] == [
        "replicated_jobs[0].gpu = 1",
        "image = I",
    ]


def test_a_new_kind_in_a_list_of_several() -> None:
    jobs = [
        {"kind": "jobset", "name": "a", "replicated_jobs": [{"name": "worker"}]},
        {"kind": "tfjob", "name": "b", "replicas": {"Worker": {}}},
    ]
    types = {name: job_type(kind) for name, kind in JOB_KINDS.items()}
    found, problems = read_mixed(types, {"jobs": jobs, "defaults": {"image": "i:1"}})
    assert problems == []
    assert [each.job.root["kind"] for each in found if each.job] == ["JobSet", "TFJob"]


def test_a_job_of_a_new_kind_is_made_once() -> None:
    cluster = Cluster()
    assert [each.result for each in present(cluster, job())[job().ref]] == ["created"]
    assert [each.result for each in present(cluster, job())[job().ref]] == ["unchanged"]
    assert cluster.writes == ["JobSet bert"]


def test_nobody_takes_its_name_nor_its_room() -> None:
    cluster = Cluster()
    present(cluster, job())
    other = Job(TFJOB, "bert", "n", {"apiVersion": TFJOB.api_version, "kind": "TFJob", "metadata": {"name": "bert"}})
    with pytest.raises(JobsRefused, match="a JobSet of this name is in the namespace"):
        present(cluster, other)
    hard = {"requests.nvidia.com/gpu": "1"}
    quota = {"metadata": {"name": "q"}, "spec": {"hard": hard}, "status": {"hard": hard, "used": {}}}
    cluster.objects[Ref("v1", "ResourceQuota", "q", "n")] = quota
    makes = runner(cluster, job(name="big"))
    makes._quota_check = "warn"
    makes.present([job(name="big")], False)
    assert "JobSet big needs 2, more than it ever allows" in makes.warnings[0]


def test_a_new_kind_is_waited_for_to_its_end() -> None:
    cluster = Cluster()
    present(cluster, job())
    cluster.play(job(), "Succeeded")
    cluster.logs["bert-driver-0-0-x"] = "accuracy 0.9"
    cluster.end(job(), "Completed", "jobset completed successfully")
    ending = wait(cluster, job())
    assert (ending.end, ending.state.rule, ending.log) == (
        "succeeded",
        "jobset completed successfully",
        "accuracy 0.9",
    )
    assert [each.label for each in ending.state.replicas] == ["driver-0", "worker-0", "worker-1"]


def test_a_new_kind_says_why_it_failed() -> None:
    cluster = Cluster()
    present(cluster, job())
    ended = {"name": "main", "state": {"terminated": {"exitCode": 143}}}
    cluster.play(job(), "Failed", containerStatuses=[ended])
    cluster.end(job(), "Failed", "jobset failed due to one or more job failures")
    ending = wait(cluster, job())
    assert ending.end == "failed"
    assert ending.why.sentence.startswith(
        "driver-0, worker-0 and worker-1 failed: the container ended with exit code 143"
    )


def test_a_new_kind_says_why_it_waits() -> None:
    cluster = Cluster()
    present(cluster, job())
    assert wait(cluster, job(), 0).why.sentence == (
        "Nobody makes driver-0, worker-0 and worker-1: there is no JobSet controller in this cluster"
    )
    event = {"type": "Warning", "reason": "FailedCreate", "involvedObject": {"kind": "JobSet", "uid": "uid-0"}}
    refusal = "exceeded quota: q, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=1, limited: "
    cluster.add("v1", "Event", {**event, "message": f'pods "p" is forbidden: {refusal}requests.nvidia.com/gpu=1'}, "e")
    assert (
        "The quota q of namespace n has no room for driver-0, worker-0 and worker-1"
        in wait(cluster, job(), 0).why.sentence
    )
    ready = {"type": "Ready", "status": "True"}
    status = {"allocatable": {"cpu": "4", "pods": "9"}, "conditions": [ready]}
    cluster.add("v1", "Node", {"spec": {}, "status": status}, "node-1")
    unplaced = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes"}
    cluster.play(job(), "Pending", conditions=[unplaced])
    sentence = wait(cluster, job(), 0).why.sentence
    assert "nvidia.com/gpu" in sentence
    assert "worker-0 and worker-1" in sentence


def test_a_new_kind_is_listed_and_removed() -> None:
    cluster = Cluster()
    present(cluster, job())
    cluster.play(job(), "Running")
    (row,) = JobsInfo(cluster).find(Selection(kinds=tuple(JOB_KINDS)), with_why=False).rows  # type: ignore[arg-type]
    assert (row["kind"], row["state"]) == ("jobset", "running")
    assert row["ready"] == {"driver": {"ready": 1, "total": 1}, "worker": {"ready": 2, "total": 2}}
    cluster.writes.clear()
    for ref in [ref for ref in cluster.objects if ref.kind == "Pod"]:
        del cluster.objects[ref]
    runner(cluster, job()).absent([job().ref])
    assert cluster.writes == ["delete bert"]
