# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a verification found, check by check, and what to do about it. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

from .._gangs.backend import Backend
from .._gangs.gang import named_in
from .._kube.resource import Manifest

MAX_ERRORS = 4
AGAIN = "ansible-playbook trainyard.mlstack.site repeats every step that is not done, and only those"


@dataclass(frozen=True)
class Check:
    """One check. detail: what was found. way_out: what to do; empty when all is well. seconds: how long it took."""

    name: str
    ok: bool
    detail: str
    way_out: str = ""
    seconds: float = 0.0

    def result(self) -> Dict[str, Any]:
        """Return the check as the module and the report have it."""
        return {
            "name": self.name,
            "ok": self.ok,
            "detail": self.detail,
            "way_out": self.way_out,
            "seconds": round(self.seconds, 1),
        }


# What to do about a failed check. {kubectl} is the command with its kubeconfig.
WAYS_OUT: Mapping[str, str] = {
    "api": "Look: {kubectl} get --raw /readyz?verbose; the server must answer, and let the user list nodes and pods",
    "nodes": f"Look: {{kubectl}} get nodes, then describe what is not Ready. {AGAIN}",
    "system": f"Look: {{kubectl}} get pods -A -o wide, then describe what is not ready. {AGAIN}",
    "operator": "Look: {kubectl} -n kubeflow get pods, and their logs. "
    "ansible-playbook trainyard.mlstack.operator installs it",
    "webhook": "Look: {kubectl} -n kubeflow get pods,services,endpointslices and the log of deployment "
    "training-operator; ansible-playbook trainyard.mlstack.operator puts its objects right",
    "samples": "Look: {kubectl} describe the jobs. ansible-playbook trainyard.mlstack.samples runs them again",
    "rights": "Let an administrator grant them; docs/rbac/mlstack-installer.yaml is an example",
    "pods": "The image must be on the nodes, or in a registry that they reach: "
    "ansible-playbook trainyard.mlstack.cluster -e mlstack_verify=full brings it to nodes of ours, "
    "mlstack_verify_image names another one with python3",
    "dns": "Look: {kubectl} -n kube-system get deployment coredns, get service kube-dns, logs -l k8s-app=kube-dns. "
    "A deployment without replicas: {kubectl} -n kube-system scale deployment coredns --replicas=2",
    "pod_network": "Look at the pod network on these nodes: its pods ({kubectl} -n kube-flannel get pods -o wide), "
    "a firewall between the nodes (flannel: UDP 8472), and iptables -S FORWARD there",
    "service": "Look at kube-proxy on these nodes, and its logs: "
    "{kubectl} -n kube-system get pods -l k8s-app=kube-proxy -o wide",
    "gang": "Look at the scheduler's pods and log; ansible-playbook trainyard.mlstack.gang_scheduler installs it. "
    "Remove a gang flag of the operator: jobs of this collection bring their own PodGroup",
    "job": "Look at the operator's log: {kubectl} -n kubeflow logs deployment/training-operator",
    "cleanup": "Look what holds it: {kubectl} get namespace {namespace} -o yaml. The next run tries again",
}
# A check that needs others says so when one of them failed as well.
NEEDS: Mapping[str, Tuple[str, ...]] = {
    "service": ("pods", "pod_network"),
    "dns": ("pods", "pod_network"),
    "pod_network": ("pods",),
    # The API server reaches the operator's pod over the pod network.
    "webhook": ("operator", "pod_network"),
    "gang": ("pods", "operator"),
    "job": ("pods", "pod_network", "dns", "operator", "webhook", "gang"),
}


def with_ways_out(checks: Sequence[Check], kubectl: str, namespace: str) -> List[Check]:
    """Return the checks, each failed one with what to do about it, which may be: another one first."""
    failed = {check.name for check in checks if not check.ok}
    result = []
    for check in checks:
        if not check.ok:
            first = [name for name in NEEDS.get(check.name, ()) if name in failed]
            own = WAYS_OUT[check.name].format(kubectl=kubectl, namespace=namespace)
            way_out = f"Put {first[0]} right first, this needs it. Then: {own}" if first else own
            check = Check(check.name, False, check.detail, way_out, check.seconds)
        result.append(check)
    return result


def findings(pods: Sequence[Manifest]) -> List[List[str]]:
    """Return what ended clients wrote: [check, what, error]. A client without a readable word counts for nothing."""
    found: List[List[str]] = []
    for pod in pods:
        for container in (pod.get("status") or {}).get("containerStatuses") or []:
            message = ((container.get("state") or {}).get("terminated") or {}).get("message")
            try:
                found += [entry for entry in json.loads(message or "[]") if len(entry) == 3]
            except (ValueError, TypeError):
                continue
    return found


def network_check(name: str, found: Sequence[Sequence[str]], silent: Sequence[str], nothing: str) -> Check:
    """Return one of dns, pod_network, service from the findings of all clients.

    silent: why clients said nothing. nothing: what it means that there is no finding though no client is silent.
    """
    mine = [(what, error) for check, what, error in found if check == name]
    errors = [f"{what}: {error}" for what, error in mine if error]
    errors += silent
    if errors:
        return Check(name, False, few(errors))
    return Check(name, True, few([what for what, _error in mine]) if mine else nothing)


def few(texts: Sequence[str]) -> str:
    """Return the first texts in one line, and how many more there are."""
    more = f"; and {len(texts) - MAX_ERRORS} more" if len(texts) > MAX_ERRORS else ""
    return "; ".join(texts[:MAX_ERRORS]) + more


def webhook_check(ask: Callable[[], str]) -> Check:
    """Return whether the operator's webhook refuses a job that it must refuse.

    ask: sends the job as a dry run and returns the refusal; empty when the job was accepted.
    """
    refusal = ask()
    if not refusal:
        return Check("webhook", False, "a job with two leaders was accepted: no webhook looks at jobs")
    if "denied the request" not in refusal:
        return Check("webhook", False, refusal)
    return Check("webhook", True, "refuses a job with two leaders, accepts none unseen")


def gang_check(backend: Backend, groups: Sequence[Manifest], pods: Sequence[Manifest], wanted: int) -> Check:
    """Return whether a job has one PodGroup, in the API that its scheduler reads, and a node for each pod.

    groups: all PodGroups of the job's namespace. pods: of the job. wanted: their number.
    """
    found = [f"{group['apiVersion']} {group['kind']} {group['metadata']['name']}" for group in groups]
    if [(group["apiVersion"], group["kind"]) for group in groups] != [backend.identity]:
        one = f"one {backend.kind} in {backend.api_version}"
        return Check("gang", False, f"the job must have {one}, which {backend.title} reads; has {few(found) or 'none'}")
    name = groups[0]["metadata"]["name"]
    others = [str(pod["metadata"]["name"]) for pod in pods if named_in(pod, backend) != name]
    if others:
        return Check("gang", False, f"pods that do not name PodGroup {name}: {few(others)}")
    placed = sum(bool((pod.get("spec") or {}).get("nodeName")) for pod in pods)
    return Check("gang", placed == wanted, f"{placed} of {wanted} pods have a node, as {found[0]}")


def rows(checks: Sequence[Check]) -> List[List[str]]:
    """Return the table for people, its heading first."""
    table = [["check", "ok", "time", "detail"]]
    table += [[one.name, "yes" if one.ok else "NO", f"{one.seconds:.1f} s", one.detail] for one in checks]
    return table


def report(checks: Sequence[Check]) -> str:
    """Return the failed checks as one numbered text."""
    failed = [check for check in checks if not check.ok]
    noun = "check" if len(checks) == 1 else "checks"
    lines = [f"{len(failed)} of {len(checks)} {noun} failed:"]
    lines += [f"  {number}. {one.name}: {one.detail}. {one.way_out}" for number, one in enumerate(failed, start=1)]
    return "\n".join(lines)
