# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Deployments of schedulers have in common. Pure."""

from __future__ import annotations

import hashlib
from typing import Any, Dict


def one_at_a_time() -> Dict[str, Any]:
    """Return the strategy of a scheduler's Deployment: the old pod ends before the new one begins.

    Two at a time would place pods on the same GPUs. Recreate would say the same, but it cannot be applied to a
    Deployment that others made, which keeps what rolling updates are by default.
    """
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


def conf_mark(conf: str) -> Dict[str, str]:
    """Return the annotation of its pod that is another one with another configuration, so that a new pod comes."""
    return {"mlstack.trainyard/scheduler-conf": hashlib.sha256(conf.encode()).hexdigest()[:16]}
