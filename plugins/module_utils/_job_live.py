# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a job from the cluster: its object, its pods, its events, its logs."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, List, Optional

from ansible_collections.trainyard.mlstack.plugins.module_utils._api_error import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_state import JobState, Replica, read_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest, Ref
from ansible_collections.trainyard.mlstack.plugins.module_utils._store import Store

# A log is returned as a task's result: more than this belongs in a file.
_LOG_BYTES = 1024 * 1024


class JobReader:
    """Looks at one job again and again, and remembers what it saw. job: the object as it was seen last."""

    def __init__(self, store: Store, kind: JobKind, ref: Ref) -> None:
        self._store = store
        self._kind = kind
        self._ref = ref
        self._uid = ""
        self._pods: Dict[str, Replica] = {}
        self.job: Optional[Manifest] = None

    def look(self) -> JobState:
        """Return the job's state now. Raises ApiError."""
        live = self._store.read(self._ref)
        pods = self.pods()
        state = read_state(self._kind, live, pods, [] if pods or not live else self._events(live), self._uid)
        if live and not self._uid:
            self._uid = str(live["metadata"]["uid"])
        self.job = live or self.job
        self._pods.update({replica.pod: replica for replica in state.replicas})
        there = {replica.pod for replica in state.replicas}
        gone = [
            replace(replica, state="removed", reason="") for name, replica in self._pods.items() if name not in there
        ]
        return replace(state, replicas=[*state.replicas, *gone])

    def pods(self) -> List[Manifest]:
        """Return the job's pods: those of its label that it owns. Raises ApiError."""
        found = self._store.list("v1", "Pod", self._ref.namespace, f"{self._kind.labels.job}={self._ref.name}")
        return [pod for pod in found if self._owns(pod)]

    def _owns(self, pod: Manifest) -> bool:
        """Tell whether a pod is this job's: by its owner, since a job of another kind may have the same name."""
        owners = pod["metadata"].get("ownerReferences") or []
        mine = [
            owner for owner in owners if owner.get("kind") == self._kind.kind and owner.get("name") == self._ref.name
        ]
        return any(not self._uid or owner.get("uid") == self._uid for owner in mine)

    def _events(self, live: Manifest) -> List[Manifest]:
        uid = live["metadata"]["uid"]
        return [
            event
            for event in self._store.list("v1", "Event", self._ref.namespace, fields=f"involvedObject.uid={uid}")
            if event.get("type") == "Warning"
        ]

    def log(self, pod: str, lines: Optional[int] = None) -> Optional[str]:
        """Return the last lines of a pod's main container (all, without `lines`); None when they cannot be read."""
        limit = ("tailLines", str(lines)) if lines is not None else ("limitBytes", str(_LOG_BYTES))
        path = f"/api/v1/namespaces/{self._ref.namespace}/pods/{pod}/log"
        try:
            return self._store.client.text(path, [("container", self._kind.container), limit])
        except ApiError:
            # The pod is gone, or its container has not started: both are seen in the job's state.
            return None
