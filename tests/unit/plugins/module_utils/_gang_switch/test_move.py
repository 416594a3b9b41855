# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that move to another scheduler become what their modules would have made there, wherever a run is killed."""

from __future__ import annotations

import copy
import itertools
import json
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.jobs import SAVED
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.move import Plan, goal_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.move_run import Mover, predicted
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.backend import Backend
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.backend_native import SHAPES
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.shape import reshaped
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import job_options as ps_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import render as render_ps
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import job_options as tf_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import render as render_tf
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import identity_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.plan import owned
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.discovery import KindUnknown
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref, ref_of

Object = dict[str, Any]
PAIRS = list(itertools.permutations(BACKENDS, 2))


class Killed(Exception):
    """The run ends here."""


class Cluster:
    """A store with the objects of a cluster, its operator and its controller of Jobs.

    kill: the number of writes after which the run ends; none without it. starts: jobs whose pods get a node as soon as
    so many writes were made.
    """

    field_manager = "trainyard.mlstack"

    def __init__(self, *objects: Object) -> None:
        self.objects: dict[Ref, Object] = {}
        self.number = 0
        self.kill = 10**6
        self.writes = 0
        self.client = self.discovery = self
        for item in objects:
            self._put(copy.deepcopy(item))
        self.controllers()

    def _put(self, item: Object) -> None:
        self.number += 1
        item["metadata"].setdefault("uid", f"uid-{self.number}")
        self.objects[ref_of(item)] = item

    def _write(self) -> None:
        if self.writes >= self.kill:
            raise Killed
        self.writes += 1

    def served(self, _version: str, kind: str, fresh: bool = False) -> Any:
        if kind not in {"TFJob", "ConfigMap", "PodGroup", "Workload", "Queue", "Pod", "Job", "Service"}:
            raise KindUnknown(_version, kind)

    def path(self, ref: Ref) -> Any:
        return ref

    def list(
        self, version: str, kind: str, namespace: str = "", selector: str = "", fields: str = "", shape: Any = None
    ) -> list[Any]:
        found = [item for ref, item in self.objects.items() if (ref.api_version, ref.kind) == (version, kind)]
        found = [item for item in found if not selector or selector in (item["metadata"].get("labels") or {})]
        return [shape(item) if shape else copy.deepcopy(item) for item in found]

    def read(self, ref: Ref) -> Any:
        return copy.deepcopy(self.objects.get(ref))

    def read_all(self, refs: Any) -> Any:
        return {ref: self.read(ref) for ref in refs}

    def apply(self, ref: Ref, manifest: Object, dry_run: bool) -> Object:
        self._write()
        assert ref not in self.objects, f"{ref} is there"
        self._put(copy.deepcopy(manifest))
        self.controllers()
        return self.objects[ref]

    def delete(self, ref: Ref, uid: str) -> None:
        self._write()
        assert self.objects[ref]["metadata"]["uid"] == uid
        del self.objects[ref]
        for other, item in list(self.objects.items()):
            owners = [owner["uid"] for owner in item["metadata"].get("ownerReferences") or []]
            if uid in owners and other.kind == "Pod":
                del self.objects[other]
        self.controllers()

    def call(self, _method: str, ref: Ref, _query: Any, body: Any, _content_type: str) -> Object:
        self._write()
        item = self.objects[ref]
        if isinstance(body, dict):
            annotations = item["metadata"].setdefault("annotations", {})
            annotations.update(body["metadata"]["annotations"])
            item["metadata"]["annotations"] = {key: value for key, value in annotations.items() if value is not None}
            return item
        for step in body:
            *way, last = step["path"].strip("/").split("/")
            place = item
            for key in way:
                place = place[key]
            if step["op"] == "test":
                assert place[last] == step["value"]
            else:
                place[last] = copy.deepcopy(step["value"])
        return item

    def controllers(self) -> None:
        """Make the pods that are missing."""
        for ref, item in list(self.objects.items()):
            if ref.kind == "TFJob" and not item["spec"]["runPolicy"].get("suspend"):
                for name, spec in item["spec"]["tfReplicaSpecs"].items():
                    for index in range(spec["replicas"]):
                        labels = {"job-name": ref.name, "replica-type": name.lower(), "replica-index": str(index)}
                        labels = {f"training.kubeflow.org/{key}": value for key, value in labels.items()}
                        self._pod(item, f"{ref.name}-{name.lower()}-{index}", spec["template"], labels)
            if ref.kind == "Job" and ref.group == "batch":
                item["spec"]["template"]["metadata"]["labels"]["job-name"] = ref.name
                item["spec"]["selector"] = {"matchLabels": {"job-name": ref.name}}
                self._pod(item, f"{ref.name}-x", item["spec"]["template"], {})

    def _pod(self, owner: Object, name: str, template: Object, labels: dict[str, str]) -> None:
        ref = Ref("v1", "Pod", name, owner["metadata"]["namespace"])
        if ref in self.objects:
            return
        metadata = copy.deepcopy(template.get("metadata") or {})
        metadata.update(name=name, namespace=ref.namespace, labels={**metadata.get("labels", {}), **labels})
        reference = {"kind": owner["kind"], "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}
        metadata["ownerReferences"] = [reference]
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": copy.deepcopy(template["spec"])}
        self._put({**pod, "status": {"phase": "Pending"}})

    def place(self, job: str) -> None:
        """Give the pods of a job a node."""
        for ref, item in self.objects.items():
            if ref.kind == "Pod" and job in ref.name:
                item["spec"]["nodeName"] = "gpu-1"

    def seen(self) -> dict[str, Object]:
        """Return the objects without what the server makes of them."""
        shown = {}
        for ref, item in self.objects.items():
            item = json.loads(json.dumps(item))
            for owner in item["metadata"].get("ownerReferences") or []:
                del owner["uid"]
            del item["metadata"]["uid"]
            item["metadata"] = {key: value for key, value in item["metadata"].items() if value not in ({}, None)}
            shown[str(ref)] = item
        return shown


def job(kind: str, backend: str, name: str = "bert", **options: Any) -> Job:
    """Return a job of three pods as its module makes it."""
    spec, render = (tf_options(), render_tf) if kind == "tfjob" else (ps_options(), render_ps)
    replicas = {"PS": {}, "Worker": {"replicas": 2}}
    scheduler = {"scheduler": options.pop("scheduler")} if "scheduler" in options else {}
    least = {"min_available": options.pop("least")} if "least" in options else {}
    raw = {"name": name, "namespace": "team-a", "image": "i:1", "command": ["train"], "replicas": replicas, "gpus": 1}
    raw.update(gang={"backend": backend, **scheduler, **least}, priority_class="high", labels={"team": "a"}, **options)
    found = ArgumentSpecValidator({**identity_options(), **spec}).validate(raw)
    assert not found.error_messages
    made, problems = render(found.validated_parameters)
    assert made, [problem.line() for problem in problems]
    return made


def objects_of(number: int, made: Job) -> list[Object]:
    """Return the objects of the job with this number, as they stand in a cluster."""
    root = {**made.root, "metadata": {**made.root["metadata"], "uid": f"root-{number}"}}
    return [root, *(owned(part, root) for part in made.parts)]


def cluster(*jobs: Job) -> Cluster:
    """Return a cluster with jobs."""
    return Cluster(*(item for number, each in enumerate(jobs) for item in objects_of(number, each)))


def move(found: Cluster, name: str, scheduler: str = "") -> Plan:
    """Move all jobs; return what was done."""
    # A pause is long enough for what the test has started.
    mover = Mover(found, goal_of(BACKENDS[name], scheduler), "", Deadline(5), lambda _text: None, lambda _seconds: None)  # type: ignore[arg-type]
    plan = mover.plan()
    assert plan.problems == []
    return mover.run(plan, mover.queues()[0])


@pytest.mark.parametrize(("old", "new"), PAIRS)
@pytest.mark.parametrize("kind", ["tfjob", "ps_job"])
def test_a_job_becomes_what_its_module_makes_for_the_other_scheduler(kind: str, old: str, new: str) -> None:
    found, wanted = cluster(job(kind, old, least=2)), cluster(job(kind, new, least=2))
    done = move(found, new)
    assert found.seen() == wanted.seen()
    assert [item.job.ref.name for item in done.moves] == ["bert"]
    writes = found.writes
    again = move(found, new)
    assert (again.moves, again.left, found.writes) == ([], [], writes)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["tfjob", "ps_job"])
def test_native_gangs_in_the_shape_of_every_version(kind: str, shape: Backend) -> None:
    native, volcano = reshaped(job(kind, "native", least=2), shape), job(kind, "volcano", least=2)
    found = cluster(native)
    assert [item.job.backend for item in move(found, "volcano").moves] == ["native"]
    assert found.seen() == cluster(volcano).seen()
    mover = Mover(found, goal_of(shape), "", Deadline(5), lambda _text: None, lambda _seconds: None)  # type: ignore[arg-type]
    mover.run(mover.plan(), [])
    assert found.seen() == cluster(native).seen()


@pytest.mark.parametrize("kind", ["tfjob", "ps_job"])
@pytest.mark.parametrize(("old", "new"), [("kube_batch", "volcano"), ("volcano", "native")])
def test_a_run_that_is_killed_anywhere_is_finished_by_the_next(kind: str, old: str, new: str) -> None:
    wanted = cluster(job(kind, new, least=2))
    for kill in range(40):
        found = cluster(job(kind, old, least=2))
        found.kill = kill
        try:
            move(found, new)
        except Killed:
            found.kill = 10**6
            move(found, new)
            assert found.seen() == wanted.seen(), f"killed after {kill} writes"
        else:
            break
    assert 4 < kill < 39
    assert SAVED not in json.dumps(found.seen())


@pytest.mark.parametrize("kind", ["tfjob", "ps_job"])
def test_a_killed_move_to_one_scheduler_is_followed_by_one_to_another(kind: str) -> None:
    wanted = cluster(job(kind, "native"))
    for kill in range(40):
        found = cluster(job(kind, "kube_batch"))
        found.kill = kill
        try:
            move(found, "volcano")
        except Killed:
            found.kill = 10**6
            move(found, "native")
            assert found.seen() == wanted.seen(), f"killed after {kill} writes"
        else:
            break


def test_what_has_begun_or_ended_stays() -> None:
    found = cluster(job("tfjob", "volcano", "runs"), job("tfjob", "volcano", "done"), job("ps_job", "volcano", "works"))
    found.place("runs")
    found.place("works")
    ended = found.objects[Ref("kubeflow.org/v1", "TFJob", "done", "team-a")]
    ended["status"] = {"conditions": [{"type": "Succeeded", "status": "True"}]}
    before = found.seen()
    done = move(found, "native")
    assert found.seen() == before
    assert [(left.job.ref.name, left.why) for left in done.left] == [
        ("runs", "it has begun, and finishes under Volcano"),
        ("works", "it has begun, and finishes under Volcano"),
    ]
    # Nor does it change a job without a gang.
    plain = cluster(job("tfjob", "native"))
    assert move(plain, "native").moves == []


@pytest.mark.parametrize("kind", ["tfjob", "ps_job"])
def test_a_job_that_begins_meanwhile_gets_its_group_back(kind: str) -> None:
    found, wanted = cluster(job(kind, "volcano")), cluster(job(kind, "volcano"))
    goal = goal_of(BACKENDS["native"])
    mover = Mover(found, goal, "", Deadline(5), lambda _text: None, lambda _seconds: found.place("bert"))  # type: ignore[arg-type]
    done = mover.run(mover.plan(), [])
    wanted.place("bert")
    assert found.seen() == wanted.seen()
    assert (done.moves, [left.job.ref.name for left in done.left]) == ([], ["bert"])


@pytest.mark.parametrize("kind", ["tfjob", "ps_job"])
def test_a_job_that_comes_meanwhile_is_left_to_the_next_run(kind: str) -> None:
    found = cluster(job(kind, "volcano"))

    def come(_seconds: float) -> None:
        for item in objects_of(1, job(kind, "volcano", "late")):
            found._put(copy.deepcopy(item))
        found.controllers()

    mover = Mover(found, goal_of(BACKENDS["native"]), "", Deadline(5), lambda _text: None, come)  # type: ignore[arg-type]
    done = mover.run(mover.plan(), [])
    assert [item.job.ref.name for item in done.moves] == ["bert"]
    assert found.seen() == cluster(job(kind, "native"), job(kind, "volcano", "late")).seen()
    assert [item.job.ref.name for item in move(found, "native").moves] == ["late"]
    assert found.seen() == cluster(job(kind, "native"), job(kind, "native", "late")).seen()


@pytest.mark.parametrize("kill", range(4))
def test_a_job_that_begins_while_no_run_looks_gets_its_group_back(kill: int) -> None:
    found, wanted = cluster(job("tfjob", "volcano", least=2)), cluster(job("tfjob", "volcano", least=2))
    found.kill = kill
    with pytest.raises(Killed):
        move(found, "native")
    found.kill = 10**6
    for ready in (found, wanted):
        ready.place("bert")
    root = found.objects[Ref("kubeflow.org/v1", "TFJob", "bert", "team-a")]
    done = move(found, "native")
    if "schedulingGroup" in json.dumps(root):
        # Its templates were changed already: its pods are made again, and none of them had trained.
        assert kill == 3
        return
    assert found.seen() == wanted.seen()
    assert [left.job.ref.name for left in done.left] == ["bert"]


def test_a_job_of_volcanos_own_kind_stays() -> None:
    metadata = {"name": "own", "namespace": "team-a"}
    tasks = [{"name": "worker", "replicas": 2, "template": {"spec": {"containers": []}}}]
    own = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": metadata, "spec": {"tasks": tasks}}
    found = Cluster({**own, "status": {"state": {"phase": "Pending"}}})
    before = found.seen()
    (left,) = move(found, "native").left
    assert (left.job.backend, left.why) == ("volcano", "it is a Volcano Job, which only Volcano starts")
    assert (move(found, "volcano").left, found.seen()) == ([], before)


def test_schedulers_that_have_names_of_their_own() -> None:
    found = cluster(job("tfjob", "kube_batch", scheduler="batch-gpu"))
    wanted = cluster(job("tfjob", "volcano", scheduler="volcano-gpu"))
    move(found, "volcano", "volcano-gpu")
    assert found.seen() == wanted.seen()


def test_a_suspended_job_moves_without_pods() -> None:
    found, wanted = (cluster(job("tfjob", name, suspend=True)) for name in ("volcano", "kube_batch"))
    move(found, "kube_batch")
    assert found.seen() == wanted.seen()


def test_a_queue_comes_along_or_is_named() -> None:
    def in_queue(backend: str) -> Cluster:
        found = cluster(job("tfjob", backend))
        group = found.objects[Ref(BACKENDS[backend].api_version, "PodGroup", "tfjob-bert", "team-a")]
        group["spec"]["queue"] = "vision"
        return found

    found = in_queue("volcano")
    assert [item.notes for item in move(found, "kube_batch").moves] == [[]]
    assert found.seen() == in_queue("kube_batch").seen()
    done = move(in_queue("volcano"), "native")
    assert [item.notes for item in done.moves] == [["leaves queue vision: Kubernetes' own scheduler has none"]]


def test_a_group_that_is_gone_wants_all_pods() -> None:
    found = cluster(job("tfjob", "volcano", least=2))
    del found.objects[Ref(BACKENDS["volcano"].api_version, "PodGroup", "tfjob-bert", "team-a")]
    done = move(found, "native")
    assert done.moves[0].notes == ["its PodGroup was gone: the new one wants all of its pods"]
    assert found.seen() == cluster(job("tfjob", "native", least=3)).seen()


def planned(found: Cluster, name: str) -> Plan:
    mover = Mover(found, goal_of(BACKENDS[name]), "", Deadline(5), lambda _text: None)  # type: ignore[arg-type]
    return mover.plan()


def test_what_stands_in_the_way() -> None:
    found = cluster(job("tfjob", "volcano"))
    foreign = {"name": "tfjob-bert", "namespace": "team-a"}
    found._put({"apiVersion": BACKENDS["native"].api_version, "kind": "PodGroup", "metadata": foreign, "spec": {}})
    (problem,) = planned(found, "native").problems
    assert "PodGroup tfjob-bert: is there in scheduling.k8s.io/v1beta1 already" in problem.line()


def test_groups_of_no_known_job_are_named() -> None:
    found = cluster(job("tfjob", "volcano"))
    for number in range(7):
        metadata = {"name": f"own-{number}", "namespace": "team-a"}
        found._put({"apiVersion": BACKENDS["volcano"].api_version, "kind": "PodGroup", "metadata": metadata})
    (note,) = planned(found, "native").notes
    assert note.startswith("PodGroups of Volcano that are of no job known here stay: team-a/own-0, team-a/own-1")
    assert note.endswith("own-4 and 2 more")
    assert planned(found, "volcano").notes == []


def test_a_name_that_the_other_scheduler_does_not_take() -> None:
    found = cluster(job("tfjob", "volcano"))
    rename(found, "tfjob-bert", "g" * 64)
    (problem,) = planned(found, "scheduler_plugins").problems
    assert "has 64 characters, and the coscheduling plugin finds pods by names of at most 63" in problem.line()
    assert planned(found, "native").problems == []


def rename(found: Cluster, old: str, new: str) -> None:
    """Give templates and pods another PodGroup."""
    for ref, item in found.objects.items():
        if ref.kind in ("TFJob", "Pod"):
            found.objects[ref] = json.loads(json.dumps(item).replace(old, new))


def test_jobs_that_share_a_group_stay() -> None:
    found = cluster(job("tfjob", "volcano", "one"), job("tfjob", "volcano", "two"))
    rename(found, "tfjob-two", "tfjob-one")
    before = found.seen()
    done = move(found, "native")
    assert {left.why.partition(" with")[0] for left in done.left} == {"it shares PodGroup tfjob-one"}
    assert found.seen() == before


@pytest.mark.parametrize("kind", ["tfjob", "ps_job"])
def test_check_mode_says_what_a_run_does(kind: str) -> None:
    found = cluster(job(kind, "volcano"))
    mover = Mover(found, goal_of(BACKENDS["native"]), "", Deadline(5), lambda _text: None, lambda _seconds: None)  # type: ignore[arg-type]
    plan = mover.plan()
    said = [(outcome.ref, outcome.result) for outcome in predicted(plan, [])]
    assert found.writes == 0
    mover.run(plan, [])
    assert said == [(outcome.ref, outcome.result) for outcome in mover.outcomes]
