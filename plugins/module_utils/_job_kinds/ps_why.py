# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a job without an operator has no pods. Pure."""

from __future__ import annotations

from typing import Optional, Sequence

from .._job_model.cause import Cause, Evidence, Finding, ago, seconds_since, some
from .._job_model.controller import PATIENCE_S
from .._kube.resource import Manifest

CONTROLLER_SILENT = Cause(
    "the controllers of Kubernetes do not run",
    "The Job controller has not taken up the job's Jobs in {ago}, so {who} cannot start",
    "See whether kube-controller-manager runs",
)


def why_controller(missing: Sequence[str], root: Manifest, evidence: Evidence) -> Optional[Finding]:
    """Return that Kubernetes' own controller does nothing; None while it may still do so."""
    waited = seconds_since(root["metadata"].get("creationTimestamp"), evidence.now)
    return CONTROLLER_SILENT.found(who=some(missing), ago=ago(waited)) if waited > PATIENCE_S else None
