# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who reads the state of a job that an operator makes, by its kind. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Optional, Sequence

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import VOLCANO_JOB, JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_state import JobState, read_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest
from ansible_collections.trainyard.mlstack.plugins.module_utils._volcano_state import read_volcano_state


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
