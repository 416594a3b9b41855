# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a pod does not run, in one sentence. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .resource import Manifest

_ON_ITS_WAY = ("ContainerCreating", "PodInitializing")


def condition(manifest: Manifest, kind: str) -> Dict[str, Any]:
    """Return the status condition of type `kind`; empty when there is none."""
    conditions: List[Dict[str, Any]] = (manifest.get("status") or {}).get("conditions") or []
    return next((item for item in conditions if item.get("type") == kind), {})


def said(entry: Dict[str, Any], default: str = "") -> str:
    """Return "reason: message" of a condition or a container state."""
    return ": ".join(str(entry[key]).strip() for key in ("reason", "message") if entry.get(key)) or default


def pod_reason(pod: Manifest) -> str:
    """Return what keeps a pod from running or made it fail; empty when nothing does."""
    status = pod.get("status") or {}
    if status.get("phase") == "Failed" and status.get("reason"):
        return said(status)
    scheduled = condition(pod, "PodScheduled")
    if scheduled.get("status") == "False":
        return said(scheduled, "not scheduled")
    reasons: List[str] = []
    for container in [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]:
        reason = _container_reason(container)
        if reason:
            reasons.append(f"container {container.get('name')}: {reason}")
    worse = [reason for reason in reasons if not reason.endswith(_ON_ITS_WAY)]
    if worse:
        return "; ".join(worse)
    if reasons:
        return _preparing(status.get("initContainerStatuses") or []) or reasons[0]
    return "not scheduled yet" if status.get("phase") == "Pending" and not scheduled else ""


def _preparing(containers: List[Dict[str, Any]]) -> str:
    """Return which init container the others wait for. One that stays beside them, as a sidecar does, is ready."""
    for container in containers:
        if (container.get("state") or {}).get("running") and not container.get("ready"):
            return f"init container {container.get('name')} has not ended yet"
    return ""


def exit_text(terminated: Optional[Dict[str, Any]]) -> str:
    """Return "exit code 1 (Error)" of a terminated container state; empty when it ended well."""
    if not terminated or terminated.get("exitCode") == 0:
        return ""
    return f"exit code {terminated.get('exitCode')} ({said(terminated, 'Error')})"


def _container_reason(container: Dict[str, Any]) -> str:
    state = container.get("state") or {}
    waiting = state.get("waiting")
    if waiting:
        last = exit_text((container.get("lastState") or {}).get("terminated"))
        return said(waiting, "waiting") + (f", last {last}" if last else "")
    return exit_text(state.get("terminated"))
