# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a job is at one moment, as every reader of a kind's state returns it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Mapping, Optional

SUCCEEDED, FAILED, VANISHED, SUSPENDED = "succeeded", "failed", "vanished", "suspended"
NO_PODS = "NoPods"
ENDS = (SUCCEEDED, FAILED, VANISHED)


@dataclass(frozen=True)
class Replica:
    """One pod of a job.

    state: pending, running, succeeded, failed, or removed (it was seen, it is gone). reason: what is wrong with it.
    """

    type: str
    index: int
    pod: str
    node: str
    state: str
    reason: str = ""
    exit_code: Optional[int] = None
    restarts: int = 0

    @property
    def label(self) -> str:
        """Return its short name, such as Worker-1."""
        return f"{self.type}-{self.index}"


@dataclass(frozen=True)
class Noted:
    """How many pods of one replica type there were at a job's end, as its status still says when they are gone.

    active: neither succeeded nor failed. Where a job succeeded these count as succeeded: they ended with it.
    """

    succeeded: int = 0
    failed: int = 0
    active: int = 0

    @property
    def total(self) -> int:
        """Return how many there were."""
        return self.succeeded + self.failed + self.active


@dataclass(frozen=True)
class JobState:
    """What is true of a job at one moment.

    state: absent, created (the operator has made no pod), queued (pods, none runs), running, restarting, suspended,
    succeeded, failed, or vanished (it was there, it is gone). reason and message: the job's own. duration_s: from its
    start to its end or to now; None before the start. rule: what made it an end, in one sentence; empty when unknown.
    noted: of an ended job, by replica type.
    """

    state: str
    reason: str = ""
    message: str = ""
    replicas: List[Replica] = field(default_factory=list)
    duration_s: Optional[float] = None
    rule: str = ""
    noted: Mapping[str, Noted] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        """Tell whether it will stay like this."""
        return self.state in ENDS
