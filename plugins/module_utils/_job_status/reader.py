# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who reads the state of a job that an operator makes, by its kind. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Optional, Sequence

from .._job_kinds.volcano_state import read_volcano_state
from .._job_model.kind import VOLCANO_JOB, JobKind
from .._job_model.read_state import read_state
from .._job_model.state import JobState
from .._kube.resource import Manifest


def read_root_state(
    kind: JobKind,
    job: Optional[Manifest],
    pods: Sequence[Manifest],
    events: Sequence[Manifest],
    uid: str = "",
    now: Optional[datetime] = None,
) -> JobState:
    """Return a job's state, by what its own object says. The arguments are those of `read_state`."""
    read = read_volcano_state if kind is VOLCANO_JOB else read_state
    return read(kind, job, pods, events, uid, now)
