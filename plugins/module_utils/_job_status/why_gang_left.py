# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why what is left of a gang is not placed any more, after some of its pods have ended. Pure.

Kubernetes' own scheduler (1.37) looks at a pod of a gang only while so many of the gang have not ended as start
together. So a pod that was restarted, or had no room at first, waits for ever once too many others are done.
"""

from __future__ import annotations

from typing import Optional, Sequence

from .._gangs.gang import least_of
from .._job_model.cause import Cause, Evidence, Finding, Subject, who

LEFT = Cause(
    "what is left of a gang after others have ended",
    "{who} will not be placed: the scheduler wants {least} pods of the gang that have not ended, and {left} are left",
    "Run the task of the job again with gang.min_available: {left} (or less); it changes the PodGroup alone, while the"
    " job goes on",
)
_ENDED = ("succeeded", "failed")


def left_over(name: str, waiting: Sequence[Subject], gang: Sequence[Subject], evidence: Evidence) -> Optional[Finding]:
    """Return why pods of a gang wait that its minimum keeps back; None when it is something else.

    waiting: those that have no node. gang: all pods of it that were seen.
    """
    group = evidence.groups.get(name)
    if group is None or not waiting[0].spec.get("schedulingGroup"):
        return None
    least = least_of([group]) or 0
    left = [item for item in gang if item.replica.state not in _ENDED]
    if len(left) == len(gang) or len(left) >= least:
        return None
    return LEFT.found(who=who(waiting), least=least, left=len(left))
