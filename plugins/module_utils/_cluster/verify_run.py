# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the checks of a verification, all of them whatever the others found, and removes what it made."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .._common.deadline import Deadline
from .._gangs.backend import Backend
from .._gangs.gang import BACKENDS, GROUPS
from .._gangs.shape import shape_of
from .._job_kinds.tfjob import TFJOB
from .._job_model.job import Job
from .._jobs.info import JobsInfo, Selection
from .._jobs.live import JobsReader
from .._jobs.report import details, headline
from .._jobs.run import JobsRefused, JobsRunner
from .._jobs.wait import JobsWait
from .._kube.apply import Applier
from .._kube.cluster import LiveCluster
from .._kube.discovery import KindUnknown
from .._kube.errors import ApiError
from .._kube.outcome import ObjectsFailed
from .._kube.pod_reason import pod_reason
from .._kube.readiness import READY, readiness
from .._kube.remove import remove
from .._kube.resource import Item, Manifest, Ref, ref_of
from .._kube.store import Store, patiently, served
from .._kube.wait import Say, until_ready
from . import probe as _probe
from . import verify
from .checks import minor
from .gang_checks import effective
from .plan import Right, merged
from .read import Reader
from .verify_checks import Check, few, findings, gang_check, network_check, webhook_check

REMOVAL_S = 180.0
_PAUSE_S = 0.5
# What a client takes at most, and the time for its pod to start.
_CLIENTS_S = 60.0


class Verifier:
    """Verifies one cluster. timeout: seconds for everything to become ready, and for the probes' pods to start."""

    def __init__(self, store: Store, settings: _probe.Settings, timeout: float, say: Say) -> None:
        self._store = store
        self._settings = settings
        self._timeout = timeout
        self._say = say
        self.checks: List[Check] = []
        self.states: List[verify.Sample] = []

    def _timed(self, name: str, check: Callable[[], Check]) -> None:
        """Make one check; whatever stops it is its finding."""
        clock = Deadline(self._timeout)
        self._say(f"check {name}")
        try:
            found = check()
        except ObjectsFailed as error:
            found = Check(name, False, few([f"{trouble.ref}: {trouble.reason}" for trouble in error.troubles]))
        except (ApiError, JobsRefused, KindUnknown) as error:
            found = Check(name, False, str(error))
        self.checks.append(replace(found, seconds=clock.spent()))

    def read(self, nodes: Sequence[Manifest], pods: Sequence[Manifest]) -> None:
        """Make the checks that only read. nodes: of the cluster. pods: those of the system."""
        for name, refs in verify.wanted(nodes, pods).items():
            check = partial(self._webhook, refs) if name == "webhook" else partial(self._ready, name, refs)
            self._timed(name, check)

    def _ready(self, name: str, refs: Sequence[Ref]) -> Check:
        until_ready(self._store, refs, Deadline(self._timeout), self._say)
        return Check(name, bool(refs), f"{len(refs)} ready" if refs else "there is none")

    def _webhook(self, refs: Sequence[Ref]) -> Check:
        deadline = Deadline(self._timeout)
        until_ready(self._store, refs, deadline, self._say)
        return webhook_check(partial(self._ask_webhook, deadline))

    def _ask_webhook(self, deadline: Deadline) -> str:
        """Ask until it answers: for a while after a start of the API server nodes know no way to any service."""
        job = _probe.denied_job("default")
        try:
            patiently(lambda: self._store.apply(ref_of(job), job, dry_run=True), deadline)
        except ApiError as error:
            return error.message
        return ""

    def samples(self, names: Sequence[str], namespace: str) -> None:
        """Check that the sample jobs have succeeded; how each stands is kept in `states`."""
        if names:
            self._timed("samples", partial(self._samples, names, namespace))

    def _samples(self, names: Sequence[str], namespace: str) -> Check:
        found = JobsInfo(self._store).find(Selection(namespace=namespace), with_why=False)
        self.states = verify.sample_states(names, found.states)
        wrong = verify.problems(self.states, namespace)
        return Check("samples", not wrong, few(wrong) if wrong else f"{len(names)} succeeded")

    def probe(self, nodes: Sequence[Manifest], gang_scheduler: str) -> None:
        """Make the checks that need pods, in a namespace that is gone afterwards whatever happened. Raises ApiError."""
        self._settings = replace(self._settings, gang=self._backend(gang_scheduler))
        names = _probe.usable_nodes(nodes, self._settings.tolerations)
        self._timed("rights", self._rights)
        stale = self._foreign() if self.checks[-1].ok else ""
        if stale:
            self.checks.append(Check("pods", False, stale))
        if not self.checks[-1].ok:
            return
        try:
            self._timed("pods", partial(self._start, names))
            self._network(names)
            self._timed("job", self._job)
        finally:
            self._timed("cleanup", self._clean)

    def _rights(self) -> Check:
        """Ask for all that the probes take before the first of them is made."""
        namespace, pod = _probe.namespace_object(self._settings), _probe.servers(self._settings, ["any"])
        objects = [namespace, *pod, _probe.service(self._settings), _probe.job_object(self._settings)]
        objects += _probe.job_parts(self._settings)
        secrets = self._secrets()
        objects += [_probe.secret_copy(self._settings, {"metadata": {"name": ref.name}}) for ref in secrets]
        reader = Reader(self._store, [])
        denied = reader.denied(objects)
        besides = [
            Right("delete", "", "namespaces", "", self._settings.namespace),
            Right("get", "", "serviceaccounts", self._settings.namespace),
            *(Right("get", "", "secrets", ref.namespace, ref.name) for ref in secrets),
            *(Right("list", *each, self._settings.namespace) for each in self._group_resources()),
        ]
        denied += [right for right in besides if not reader.allowed(right)]
        told = [f"{', '.join(verbs)} {right.where()}" for verbs, right in merged(denied)]
        return Check("rights", not told, f"missing: {'; '.join(told)}" if told else "all there")

    def _secrets(self) -> List[Ref]:
        """Return the Secrets that are copied for the time of the probes."""
        return [Ref("v1", "Secret", name, self._settings.secrets_from) for name in self._settings.pull_secrets]

    def _namespace(self) -> Ref:
        return Ref("v1", "Namespace", self._settings.namespace)

    def _account(self) -> Ref:
        return Ref("v1", "ServiceAccount", "default", self._settings.namespace)

    def _foreign(self) -> str:
        """Return why the namespace must not be touched, if there is one that no run of ours has left."""
        live = self._store.read(self._namespace())
        labels = (live["metadata"].get("labels") or {}) if live else _probe.LABELS
        if all(labels.get(key) == value for key, value in _probe.LABELS.items()):
            return ""
        return f"namespace {self._settings.namespace} is there and not ours: name another one, verify_namespace"

    def _start(self, nodes: Sequence[str]) -> Check:
        """Make the namespace anew and start a server on each node."""
        self._clean()
        if not nodes:
            return Check("pods", False, "no node takes pods: none is ready, uncordoned and without a taint")
        objects = [_probe.namespace_object(self._settings), _probe.service(self._settings)]
        objects += [_probe.secret_copy(self._settings, live) for live in map(self._store.read, self._secrets()) if live]
        self._apply(objects)
        deadline = Deadline(self._timeout)
        # A controller makes it a moment after its namespace, and no pod is admitted before.
        until_ready(self._store, [self._account()], deadline, self._say)
        self._apply(_probe.servers(self._settings, nodes))
        waiting = self._await_servers(deadline)
        return Check("pods", not waiting, few(waiting) if waiting else f"one on each of {len(nodes)} nodes")

    def _apply(self, manifests: Sequence[Manifest]) -> None:
        items = self._store.items(manifests, self._settings.namespace)
        Applier(self._store, items, Deadline(self._timeout), self._say, check_mode=False).run()

    def _pods(self, prefix: str) -> List[Manifest]:
        found = self._store.list("v1", "Pod", self._settings.namespace, "app.kubernetes.io/component=verify")
        return [pod for pod in found if str(pod["metadata"]["name"]).startswith(prefix)]

    def _await_servers(self, deadline: Deadline) -> List[str]:
        while True:
            waiting = [
                f"{_node_of(pod)}: {pod_reason(pod) or 'the pod does not start'}"
                for pod in self._pods("server-")
                if readiness(pod).state != READY
            ]
            if not waiting or not deadline.pause(_PAUSE_S):
                return waiting

    def _network(self, nodes: Sequence[str]) -> None:
        """Let a client on each node that has a running server look around."""
        clock = Deadline(_CLIENTS_S)
        self._say("check dns, pod_network and service")
        try:
            found, silent = self._look(nodes, clock)
        except (ApiError, ObjectsFailed) as error:
            found, silent = [], [str(error)]
        alone = "one node only, there is none to reach"
        for name, nothing in (("dns", "nobody looked"), ("pod_network", alone), ("service", "nobody looked")):
            check = network_check(name, found, silent, nothing)
            self.checks.append(replace(check, seconds=clock.spent()))

    def _look(self, nodes: Sequence[str], clock: Deadline) -> Any:
        ready = {_node_of(pod): pod for pod in self._pods("server-") if readiness(pod).state == READY}
        addresses = {node: str(pod["status"]["podIP"]) for node, pod in ready.items()}
        if not addresses:
            return [], ["no pod runs that could look"]
        behind = nodes[0] if nodes[0] in addresses else ""
        live = self._store.read(ref_of(_probe.service(self._settings))) or {}
        cluster_ip, namespace = str((live.get("spec") or {}).get("clusterIP")), self._settings.namespace
        self._apply(
            [
                _probe.client(
                    self._settings, index, node, _probe.targets(node, addresses, behind, cluster_ip, namespace)
                )
                for index, node in enumerate(sorted(addresses))
            ]
        )
        while True:
            clients = self._pods("client-")
            running = [pod for pod in clients if pod["status"].get("phase") not in ("Succeeded", "Failed")]
            if not running or not clock.pause(_PAUSE_S):
                break
        said = [(pod, findings([pod])) for pod in clients]
        found = [line for _pod, lines in said for line in lines]
        silent = [
            f"{_node_of(pod)}: the client said nothing ({pod_reason(pod) or pod['status'].get('phase')})"
            for pod, lines in said
            if not lines
        ]
        if not behind:
            found.append(["service", nodes[0], "the server behind the service does not run"])
        return found, silent

    def _job(self) -> Check:
        manifest = _probe.job_object(self._settings)
        ref = ref_of(manifest)
        reader = JobsReader(self._store, [(TFJOB, ref)])
        job = Job(TFJOB, ref.name, ref.namespace, manifest, _probe.job_parts(self._settings))
        JobsRunner(self._store, reader, self._say, check_mode=False).present([job], recreate=True)
        if self._settings.gang:
            self._timed("gang", partial(self._gang, self._settings.gang))
        # The operator looks at a job's own deadline only when something happens to it.
        deadline = Deadline(self._settings.job_seconds + 10)
        ending = JobsWait(reader, self._say, log_lines=3, whole_logs=False).run(deadline)[ref]
        if ending.end == "succeeded":
            nodes = sorted({replica.node for replica in ending.state.replicas if replica.node})
            return Check("job", True, f"two workers exchanged numbers, on {', '.join(nodes)}")
        lines = [headline(ref, ending.end, ending.state, ending.spent), *details(ending.state.replicas, ending.tails)]
        return Check("job", False, "; ".join(line.strip() for line in lines))

    def _backend(self, name: str) -> Optional[Backend]:
        """Return a gang scheduler in the shape of the cluster; None for none, or a default that the version lacks."""
        if name == "none":
            return None
        backend = shape_of(LiveCluster(self._store), BACKENDS[name])
        if not served(self._store, *backend.identity):
            version = minor(str(self._store.client.call("GET", "/version")["gitVersion"]))
            return None if effective(name, False, version) == "none" else backend
        return backend

    def _group_resources(self) -> List[Tuple[str, str]]:
        """Return group and resource of each kind of PodGroup that is served: an operator's flag may make any."""
        if self._settings.gang is None:
            return []
        kinds = {(each.api_version, each.kind): None for each in GROUPS if served(self._store, *each.identity)}
        found = [(version.partition("/")[0], self._store.discovery.served(version, kind)) for version, kind in kinds]
        return list(dict.fromkeys((group, resource.plural) for group, resource in found))

    def _gang(self, backend: Backend) -> Check:
        """Wait until each pod of the job has a node, and look at its PodGroup."""
        # The job must still run when its PodGroup is looked at: at its own deadline the operator removes its pods.
        deadline = Deadline(min(self._timeout, self._settings.job_seconds / 2))
        namespace = self._settings.namespace
        while True:
            pods = self._store.list("v1", "Pod", namespace, f"{TFJOB.labels.job}={_probe.JOB}")
            placed = [pod for pod in pods if pod["spec"].get("nodeName")]
            if len(placed) == _probe.WORKERS or not deadline.pause(_PAUSE_S):
                break
        groups = [group for each in GROUPS for group in self._store.list(*each.identity, namespace)]
        check = gang_check(backend, groups, pods, _probe.WORKERS)
        if len(placed) == _probe.WORKERS:
            return check
        found = JobsInfo(self._store).find(Selection([TFJOB.name], _probe.JOB, namespace))
        return replace(check, detail=few([check.detail, *(str(row["why"]["sentence"]) for row in found.rows)]))

    def _clean(self) -> Check:
        """Remove the namespace, its pods first: the server looks only now and then at one that is not empty yet."""
        deadline = Deadline(REMOVAL_S)
        held = [TFJOB.ref(_probe.JOB, self._settings.namespace), *map(ref_of, self._pods(""))]
        for refs in (held, [self._namespace()]):
            items = [Item(ref, {}) for ref in refs]
            outcomes = remove(self._store, items, deadline, self._say, check_mode=False, wait=True)
        return Check("cleanup", True, f"namespace {self._settings.namespace} {outcomes[0].result}")


def _node_of(pod: Manifest) -> str:
    """Return the node that a probe's pod was made for, also before it is there."""
    bound: Optional[str] = (pod.get("spec") or {}).get("nodeName")
    if bound:
        return bound
    affinity: Dict[str, Any] = pod["spec"]["affinity"]["nodeAffinity"]
    terms = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    return str(terms[0]["matchFields"][0]["values"][0])
