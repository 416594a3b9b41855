# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why no node takes its pods. Pure."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Dict, Iterator, List, Mapping, Optional, Sequence

from .._gangs.gang import DEFAULT_SCHEDULER
from .._job_model.cause import FOLLOWS, WAITS, Cause, Evidence, Finding, Subject, ago, seconds_since, some, who
from .._kube.pod_reason import condition, said
from .._kube.quantity import readable
from .._kube.resource import Manifest
from .._pods.demand import Amounts, demand_of_pod
from .._pods.node_fit import Fit, Ground, Held, Room, shortfall, wishes

SHORT = Cause(
    "other pods hold what it needs",
    "No node has room for {who}: {short}; {best} comes closest and lacks {lacks}",
    "Wait until the pods that hold it end, ask for less, or add a node",
    rank=WAITS,
)
TOO_LARGE = Cause(
    "a pod is larger than every node",
    "No node can ever hold {who}: each pod asks for {asked} {resource}, and the largest node that it may use has"
    " {largest}",
    "Ask for less in a pod and use more replicas, or add a larger node",
)
NOT_OFFERED = Cause(
    "a resource that no node has",
    "No node offers {resource}, which {who} must have",
    "Correct the resource's name, or install the device plugin on the nodes that have such devices",
)
UNMATCHED = Cause(
    "no node has the label",
    "No node is one that {who} may use: none of {nodes} has {wishes}",
    "Label a node, or correct node_selector, node or affinity",
)
TAINTED = Cause(
    "a taint on every node that fits",
    "Every node that {who} may use keeps them off by a taint: {taints}",
    "Give the job a toleration, or take the taint away",
)
CLOSED = Cause(
    "nodes are cordoned or not ready",
    "Every node that {who} may use is out of service: {closed}",
    "Run kubectl uncordon, or see why the kubelet of the node does not report",
)
NO_NODES = Cause(
    "a cluster without nodes",
    "The cluster has no node at all, so {who} cannot be placed",
    "Add a node: playbook cluster, or your provider's node group",
)
CLAIM_MISSING = Cause(
    "a claim that does not exist",
    "No node takes {who}, because there is no claim {claim} in namespace {namespace}",
    "Create the PersistentVolumeClaim, or correct its name in volumes or shared_volumes",
)
CLAIM_UNBOUND = Cause(
    "a claim without a volume",
    "No node takes {who}, because claim {claim} has no volume: {reason}",
    "Give the claim a storage class that exists, or create a PersistentVolume that fits it",
)
GATED = Cause(
    "a scheduling gate",
    "Nobody may place {who} yet: the scheduling gate {gates} is closed",
    "Whoever set the gate opens it; a queue such as Kueue does so when it is the job's turn",
    rank=WAITS,
)
STALE = Cause(
    "the scheduler has stopped",
    "The cluster's scheduler does not run, so nobody places {who}: it last reported {ago} ago",
    "Start kube-scheduler again; on a control plane: kubectl -n kube-system get pods -l component=kube-scheduler",
)
UNKNOWN_SCHEDULER = Cause(
    "a scheduler that nobody runs",
    "No scheduler has looked at {who} in {ago}: none seems to run under the name {scheduler}",
    "Install that scheduler, or correct schedulerName (kube-scheduler's own name is default-scheduler)",
)
NOT_SEEN = Cause(
    "the scheduler has not come to it",
    "The scheduler has not looked at {who} yet",
    "Wait a moment; when it stays like this, see whether kube-scheduler runs",
    rank=FOLLOWS,
)
SAID = Cause(
    "another rule of the scheduler",
    "The scheduler finds no node for {who}: {message}",
    "Read the message: ports of the host, spread or affinity between pods, zones of volumes, or the cluster's size",
    rank=WAITS,
)

# A scheduler that runs looks at a new pod within a second or two; a busy one within this.
_PATIENCE_S = 20.0
_UNBOUND = re.compile(r"unbound immediate PersistentVolumeClaims")
_NO_CLAIM = re.compile(r'persistentvolumeclaim "([^"]+)" not found')
# What the scheduler adds to each message, and nobody needs.
_NOISE = re.compile(r"\.? *(no new claims to deallocate|preemption: ).*$", re.DOTALL)
_HOLDERS = 5


def why_unplaced(subjects: Sequence[Subject], namespace: str, evidence: Evidence) -> Iterator[Finding]:
    """Yield why pods have no node; pods with the same trouble are told together."""
    groups: Dict[str, List[Subject]] = {}
    for subject in subjects:
        keys = ("schedulerName", "schedulingGates", "nodeSelector", "affinity", "tolerations", "volumes", "containers")
        shape = {name: subject.spec.get(name) for name in keys}
        scheduled = condition(subject.pod, "PodScheduled")
        groups.setdefault(json.dumps([shape, said(scheduled), bool(scheduled)], default=str), []).append(subject)
    for group in groups.values():
        yield _unplaced(group, namespace, evidence)


def _unplaced(group: Sequence[Subject], namespace: str, evidence: Evidence) -> Finding:
    pod, spec, names = group[0].pod, group[0].spec, who(group)
    scheduled = condition(pod, "PodScheduled")
    message = plain(str(scheduled.get("message") or ""))
    gates = [str(gate.get("name")) for gate in spec.get("schedulingGates") or []]
    if gates:
        return GATED.found(who=names, gates=some(gates))
    if not scheduled:
        return _unseen(names, pod, spec, evidence)
    facts = [f"the scheduler says: {message}"] if message else []
    claim = _claim(names, namespace, message, spec, evidence)
    if claim:
        return Finding(claim.rank, claim.sentence, claim.way_out, (*claim.facts, *facts))
    placed = _on_nodes(names, spec, evidence.ground) if evidence.ground.known else None
    if placed is None:
        return SAID.found(facts=_nominated(pod), who=names, message=message or "it gives no reason")
    return Finding(placed.rank, placed.sentence, placed.way_out, (*placed.facts, *facts, *_nominated(pod)))


def plain(message: str) -> str:
    """Return the scheduler's message without what it adds to each."""
    return _NOISE.sub("", message).strip()


def _nominated(pod: Manifest) -> List[str]:
    node = (pod.get("status") or {}).get("nominatedNodeName")
    return [f"the scheduler makes room on {node}: pods of lower priority leave it"] if node else []


def _unseen(names: str, pod: Manifest, spec: Manifest, evidence: Evidence) -> Finding:
    scheduler = str(spec.get("schedulerName") or DEFAULT_SCHEDULER)
    waited = seconds_since(pod["metadata"].get("creationTimestamp"), evidence.now)
    lease = (evidence.lease or {}).get("spec") or {}
    silent = seconds_since(lease.get("renewTime"), evidence.now)
    if scheduler == DEFAULT_SCHEDULER and silent > 2 * float(lease.get("leaseDurationSeconds") or 15):
        return STALE.found([f"its lease is that of {lease.get('holderIdentity')}"], who=names, ago=ago(silent))
    if waited < _PATIENCE_S or (scheduler == DEFAULT_SCHEDULER and lease):
        return NOT_SEEN.found(who=names)
    return UNKNOWN_SCHEDULER.found(who=names, ago=ago(waited), scheduler=scheduler)


def claims_of(spec: Manifest) -> List[str]:
    """Return the names of the claims that a pod mounts."""
    found = [(volume.get("persistentVolumeClaim") or {}).get("claimName") for volume in spec.get("volumes") or []]
    return [str(name) for name in found if name]


def _claim(names: str, namespace: str, message: str, spec: Manifest, evidence: Evidence) -> Optional[Finding]:
    absent = _NO_CLAIM.search(message)
    missing = [name for name in claims_of(spec) if name in evidence.claims and evidence.claims[name] is None]
    if absent or missing:
        claim = absent.group(1) if absent else missing[0]
        return CLAIM_MISSING.found(who=names, claim=claim, namespace=namespace)
    for name in claims_of(spec):
        live = evidence.claims.get(name) or {}
        phase = (live.get("status") or {}).get("phase")
        if phase == "Lost" or (phase == "Pending" and _UNBOUND.search(message)):
            events = evidence.about("PersistentVolumeClaim", name)
            reason = said(events[-1]) if events else f"it is {phase}"
            kind = (live.get("spec") or {}).get("storageClassName")
            return CLAIM_UNBOUND.found(
                [f"storage class of the claim: {kind or 'none'}"], who=names, claim=name, reason=reason
            )
    if _UNBOUND.search(message):
        return CLAIM_UNBOUND.found(who=names, claim=some(claims_of(spec)) or "of the pod", reason="it is not bound")
    return None


def _on_nodes(names: str, spec: Manifest, ground: Ground) -> Optional[Finding]:
    """Return what the nodes lack; None when one of them has the room, so that another rule keeps the pod off."""
    asked = demand_of_pod(spec).requests
    found = ground.fit(spec, asked)
    if not ground.rooms:
        return NO_NODES.found(who=names)
    if found.roomy:
        return None
    barred = _barred(found)
    if found.short:
        return _short(names, asked, found, ground, barred)
    if found.tainted:
        return TAINTED.found(barred, who=names, taints=_grouped(found.tainted))
    if found.closed:
        return CLOSED.found(barred, who=names, closed=_grouped(found.closed))
    return UNMATCHED.found(who=names, nodes=_nodes(len(found.unmatched)), wishes=wishes(spec))


def _short(names: str, asked: Amounts, found: Fit, ground: Ground, barred: Sequence[str]) -> Finding:
    usable = [room for room in ground.rooms if room.name in found.short]
    for resource in found.short_of:
        offered = max(room.allocatable.get(resource, Decimal(0)) for room in usable)
        if not offered and resource != "pods":
            return NOT_OFFERED.found(barred, who=names, resource=resource)
    never = [room for room in usable if not shortfall(asked, room.most)]
    for resource in found.short_of if not never else ():
        largest = max(room.most.get(resource, Decimal(0)) for room in usable)
        wanted = asked.get(resource, Decimal(1))
        if wanted > largest:
            return TOO_LARGE.found(
                barred, who=names, resource=resource, asked=readable(wanted), largest=readable(largest)
            )
    best, lacks = found.closest
    facts = [f"{room.name}: {_room(room, asked, found.short[room.name])}" for room in usable[:_HOLDERS]]
    if len(usable) > _HOLDERS:
        facts.append(f"and {len(usable) - _HOLDERS} nodes more")
    facts += holders(next(iter(found.short_of)), [room.name for room in usable], ground)
    return SHORT.found(
        [*facts, *barred],
        who=names,
        short=_counted(found.short_of, len(ground.rooms)),
        best=best,
        lacks=" and ".join(
            f"{readable(value)} of {readable(asked.get(name, Decimal(1)))} {name}" for name, value in lacks.items()
        ),
    )


def _room(room: Room, asked: Amounts, lacks: Amounts) -> str:
    parts = [
        f"{name} {readable(room.free.get(name, Decimal(0)))} free of {readable(room.allocatable.get(name, Decimal(0)))}"
        for name in lacks
    ]
    return ", ".join(parts)


def holders(resource: str, nodes: Sequence[str], ground: Ground) -> List[str]:
    """Return who holds a resource on some nodes, the largest first."""
    if not ground.full:
        return []
    among = set(nodes)
    totals: Dict[str, Decimal] = {}
    for pod in ground.held:
        amount = Decimal(1) if resource == "pods" else pod.requests.get(resource, Decimal(0))
        if pod.node in among and amount:
            totals[pod.title] = totals.get(pod.title, Decimal(0)) + amount
    ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{title} ({readable(amount)})" for title, amount in ordered[:_HOLDERS]]
    if len(ordered) > _HOLDERS:
        shown.append(f"{len(ordered) - _HOLDERS} others")
    return [f"{resource} is held by {', '.join(shown)}"] if shown else []


def _counted(short: Mapping[str, int], nodes: int) -> str:
    """Return on how many nodes each resource is short: nvidia.com/gpu is short on 3 of 4 nodes, cpu on 1."""
    (first, number), *others = short.items()
    return ", ".join(
        [f"{first} is short on {number} of {_nodes(nodes)}", *(f"{name} on {count}" for name, count in others)]
    )


def _barred(found: Fit) -> List[str]:
    """Return which nodes do not come into question, and why."""
    facts = []
    if found.unmatched and (found.short or found.tainted or found.closed):
        facts.append(f"not asked for: {some(found.unmatched)}")
    if found.tainted and found.short:
        facts.append(f"tainted: {_grouped(found.tainted)}")
    if found.closed and (found.short or found.tainted):
        facts.append(f"out of service: {_grouped(found.closed)}")
    return facts


def _grouped(reasons: Mapping[str, str]) -> str:
    """Return reasons with the nodes that have them in common."""
    by_reason: Dict[str, List[str]] = {}
    for node, reason in reasons.items():
        by_reason.setdefault(reason, []).append(node)
    return "; ".join(f"{some(nodes)} {reason}" for reason, nodes in by_reason.items())


def _nodes(number: int) -> str:
    return "1 node" if number == 1 else f"{number} nodes"


def held_by(pod: Manifest, titles: Mapping[str, str]) -> Held:
    """Return what a pod that has a node holds. titles: of its labels with a job's name, for people."""
    labels, spec = pod["metadata"].get("labels") or {}, pod.get("spec") or {}
    name = next((f"{title} {labels[key]}" for key, title in titles.items() if key in labels), "")
    owner = name or f"pod {pod['metadata']['name']}"
    title, requests = f"{pod['metadata'].get('namespace')}: {owner}", demand_of_pod(spec).requests
    return Held(str(spec.get("nodeName")), title, requests, _stays(pod))


def _stays(pod: Manifest) -> bool:
    """Tell whether a pod is the node's own: static, or one that its DaemonSet would make again at once."""
    owners = pod["metadata"].get("ownerReferences") or []
    return any(owner.get("controller") and owner.get("kind") in ("DaemonSet", "Node") for owner in owners)
