# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When an object is usable. Pure: everything an answer depends on is handed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .ends import ENDS, Ends, GroupKind, group_kind, judge
from .pod_reason import condition, pod_reason, said
from .resource import Manifest

READY, WAITING, FAILED = "ready", "waiting", "failed"


@dataclass(frozen=True)
class Readiness:
    """ready, waiting (may still come) or failed (will not come by itself), and why."""

    state: str
    reason: str = ""


_IS_READY = Readiness(READY)
# A condition other than Ready that says "usable", by kind.
_CONDITIONS = {("apiregistration.k8s.io", "APIService"): "Available"}


def readiness(live: Manifest, own: Optional[Mapping[GroupKind, Ends]] = None) -> Readiness:
    """Return whether an object that exists is usable, as far as the object itself can tell.

    own: what the user says of kinds, before what is known of them here.
    """
    if (live.get("metadata") or {}).get("deletionTimestamp"):
        return Readiness(WAITING, "is being deleted")
    key = group_kind(str(live.get("apiVersion") or ""), str(live.get("kind")))
    ends = (own or {}).get(key) or ENDS.get(key)
    if ends is not None:
        state, reason = judge(live, ends)
        return _IS_READY if state == READY else Readiness(state, reason)
    rule = _RULES.get(key)
    if rule is not None:
        return rule(live)
    found = condition(live, _CONDITIONS.get(key, "Ready"))
    if not found or found.get("status") == "True":
        return _IS_READY
    return Readiness(WAITING, said(found, f"condition {found['type']} is {found.get('status')}"))


def _rollout(live: Manifest, wanted: int, numbers: Dict[str, int]) -> Readiness:
    """Compare replica counts; only counts of the newest generation mean anything."""
    status, generation = live.get("status") or {}, int((live.get("metadata") or {}).get("generation") or 0)
    if int(status.get("observedGeneration") or 0) < generation:
        return Readiness(WAITING, "its controller has not seen it yet")
    short = [f"{number} of {wanted} {name}" for name, number in numbers.items() if number != wanted]
    return Readiness(WAITING, ", ".join(short)) if short else _IS_READY


def _deployment(live: Manifest) -> Readiness:
    status = live.get("status") or {}
    wanted = int((live.get("spec") or {}).get("replicas", 1))
    answer = _rollout(
        live,
        wanted,
        {"updated": int(status.get("updatedReplicas") or 0), "available": int(status.get("availableReplicas") or 0)},
    )
    if answer.state == READY and int(status.get("replicas") or 0) > wanted:
        return Readiness(WAITING, "pods of the former version still run")
    stuck = condition(live, "Progressing")
    if answer.state != READY and stuck.get("status") == "False":
        return Readiness(WAITING, f"{answer.reason} ({said(stuck)})")
    return answer


def _daemon_set(live: Manifest) -> Readiness:
    status = live.get("status") or {}
    return _rollout(
        live,
        int(status.get("desiredNumberScheduled") or 0),
        {
            "updated": int(status.get("updatedNumberScheduled") or 0),
            "available": int(status.get("numberAvailable") or 0),
        },
    )


def _stateful_set(live: Manifest) -> Readiness:
    spec, status = live.get("spec") or {}, live.get("status") or {}
    numbers = {"ready": int(status.get("readyReplicas") or 0)}
    if (spec.get("updateStrategy") or {}).get("type") != "OnDelete":
        numbers["updated"] = int(status.get("updatedReplicas") or 0)
    return _rollout(live, int(spec.get("replicas", 1)), numbers)


def _crd(live: Manifest) -> Readiness:
    names = condition(live, "NamesAccepted")
    if names.get("status") == "False":
        return Readiness(FAILED, said(names, "its names are not accepted"))
    established = condition(live, "Established")
    return (
        _IS_READY if established.get("status") == "True" else Readiness(WAITING, said(established, "not Established"))
    )


def _node(live: Manifest) -> Readiness:
    found = condition(live, "Ready")
    if found.get("status") != "True":
        return Readiness(WAITING, said(found, "its kubelet has not reported"))
    # The kubelet calls itself ready and takes no pod all the same.
    pressures = [condition(live, name) for name in ("DiskPressure", "MemoryPressure", "PIDPressure")]
    held = [f"{found['type']}: {said(found, 'no reason')}" for found in pressures if found.get("status") == "True"]
    return Readiness(WAITING, "; ".join(held)) if held else _IS_READY


def _namespace(live: Manifest) -> Readiness:
    phase = (live.get("status") or {}).get("phase")
    return _IS_READY if phase == "Active" else Readiness(WAITING, f"phase {phase}")


def _job(live: Manifest) -> Readiness:
    failed = condition(live, "Failed")
    if failed.get("status") == "True":
        return Readiness(FAILED, said(failed, "the job failed"))
    if condition(live, "Complete").get("status") == "True":
        return _IS_READY
    status = live.get("status") or {}
    numbers = [f"{status.get(name) or 0} {name}" for name in ("active", "succeeded", "failed")]
    return Readiness(WAITING, ", ".join(numbers))


def _pod(live: Manifest) -> Readiness:
    phase = (live.get("status") or {}).get("phase")
    if phase == "Failed":
        return Readiness(FAILED, pod_reason(live) or "the pod failed")
    if phase == "Succeeded" or condition(live, "Ready").get("status") == "True":
        return _IS_READY
    return Readiness(WAITING, pod_reason(live) or f"phase {phase}")


def _claim(live: Manifest) -> Readiness:
    phase = (live.get("status") or {}).get("phase")
    if phase == "Lost":
        return Readiness(FAILED, "its volume is lost")
    return _IS_READY if phase == "Bound" else Readiness(WAITING, f"phase {phase}")


_RULES = {
    ("apps", "Deployment"): _deployment,
    ("apps", "DaemonSet"): _daemon_set,
    ("apps", "StatefulSet"): _stateful_set,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _crd,
    ("", "Node"): _node,
    ("", "Namespace"): _namespace,
    ("batch", "Job"): _job,
    ("", "Pod"): _pod,
    ("", "PersistentVolumeClaim"): _claim,
}


def waits_for_consumer(claim: Manifest, storage_class: Optional[Manifest]) -> bool:
    """Tell whether a claim is bound only when a pod uses it: then Pending is as ready as it gets."""
    pending = (claim.get("status") or {}).get("phase") == "Pending"
    return pending and (storage_class or {}).get("volumeBindingMode") == "WaitForFirstConsumer"


def webhook_problem(webhook: Dict[str, Any], slices: Sequence[Manifest]) -> str:
    """Return why one webhook of a configuration cannot answer; empty when it can.

    slices: the EndpointSlices of its service. A webhook with a URL of its own is taken at its word.
    """
    config = webhook.get("clientConfig") or {}
    service = config.get("service")
    if not service:
        return ""
    name = f"{service.get('namespace')}/{service.get('name')}"
    endpoints: List[Dict[str, Any]] = [endpoint for item in slices for endpoint in item.get("endpoints") or []]
    # `ready` unset means ready (API documentation of EndpointConditions).
    if not any((endpoint.get("conditions") or {}).get("ready") is not False for endpoint in endpoints):
        return f"webhook {webhook.get('name')}: service {name} has no ready endpoint"
    return "" if config.get("caBundle") else f"webhook {webhook.get('name')}: its caBundle is empty"
