# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an explanation of a job is made of: causes as the documentation shows them, evidence, findings. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .._kube.resource import Manifest
from .._pods.node_fit import Ground
from .state import Replica

# The order in which findings are told: what only people mend, what time or others mend, what merely follows.
BROKEN, WAITS, FOLLOWS = 0, 1, 2
# Names in a sentence; the rest is counted.
_SHOWN = 3


@dataclass(frozen=True)
class Finding:
    """One thing that keeps a job from its end."""

    rank: int
    sentence: str
    way_out: str
    facts: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Cause:
    """A cause as the documentation shows it; names in braces stand for what differs from case to case.

    case: when it is met. sentence, way_out: what users are told; format strings.
    """

    case: str
    sentence: str
    way_out: str
    rank: int = BROKEN

    def found(self, facts: Sequence[str] = (), **details: Any) -> Finding:
        """Return the finding of one case. Raises KeyError when a name in braces is not among the details."""
        return Finding(
            self.rank, self.sentence.format(**details), self.way_out.format(**details), tuple(filter(None, facts))
        )


@dataclass(frozen=True)
class Subject:
    """A pod of the job, as the state's reader and as the API server show it. spec: what is known of its spec."""

    replica: Replica
    pod: Manifest
    spec: Manifest


@dataclass(frozen=True)
class Evidence:
    """What was read of a cluster to explain one job; None stands for what was not read.

    ground: the nodes, with what is held there. events: warnings about the job, its Jobs and its pods, and all about its
    claims, the newest last. claims, groups: by name, None for what does not exist. queues: by name, all those of the
    groups' scheduler. lease: of the default scheduler. operator: Deployments of who makes the pods. logs: last lines
    by pod name. unread: what the user may not read.
    """

    now: datetime
    ground: Ground = field(default_factory=Ground)
    events: Sequence[Manifest] = ()
    claims: Mapping[str, Optional[Manifest]] = field(default_factory=dict)
    groups: Mapping[str, Optional[Manifest]] = field(default_factory=dict)
    queues: Optional[Mapping[str, Manifest]] = None
    lease: Optional[Manifest] = None
    operator: Optional[Sequence[Manifest]] = None
    logs: Mapping[str, str] = field(default_factory=dict)
    unread: Sequence[str] = ()

    def about(self, kind: str, name: str) -> List[Manifest]:
        """Return the events about an object, the newest last."""
        return self._by_object.get((kind, name), [])

    @cached_property
    def _by_object(self) -> Dict[Tuple[str, str], List[Manifest]]:
        found: Dict[Tuple[str, str], List[Manifest]] = {}
        for event in self.events:
            about = event.get("involvedObject") or {}
            found.setdefault((str(about.get("kind")), str(about.get("name"))), []).append(event)
        return found


def some(names: Sequence[str]) -> str:
    """Return names for a sentence: a few, and how many more there are."""
    names = list(names)
    if len(names) > _SHOWN + 1:
        return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def who(subjects: Sequence[Subject]) -> str:
    """Return the replicas for a sentence."""
    return some([subject.replica.label for subject in subjects])


def seconds_since(text: Any, now: datetime) -> float:
    """Return how long ago a time stamp of the API server was; 0 for none."""
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%fZ"):
        try:
            then = datetime.strptime(str(text), form).replace(tzinfo=timezone.utc)
        except ValueError:
            continue
        return max(0.0, (now - then).total_seconds())
    return 0.0


def ago(seconds: float) -> str:
    """Return a duration as kubectl writes it: 45s, 12m, 3h, 2d."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= 2 * size:
            return f"{int(seconds // size)}{unit}"
    return f"{int(seconds)}s"


def memory_limit(spec: Manifest, container: str) -> str:
    """Return a container's memory limit."""
    for item in spec.get("containers") or []:
        limit = ((item.get("resources") or {}).get("limits") or {}).get("memory")
        if item.get("name") == container and limit:
            return str(limit)
    return "not seen here"
