# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A live TFJob and its pods, as an API server shows them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

NOW = datetime(2026, 11, 28, 0, 1, 0, tzinfo=timezone.utc)
RUNS, FAILS, ENDS = {"running": {}}, {"terminated": {"exitCode": 1}}, {"terminated": {"exitCode": 0}}


def job(*conditions: str, **status: Any) -> dict[str, Any]:
    """Return a live TFJob with these conditions; status: what else its status says."""
    found = [{"type": kind, "status": "True", "reason": f"TFJob{kind}", "message": f"is {kind}"} for kind in conditions]
    return {"metadata": {"uid": "1", "name": "j"}, "status": {"conditions": found, **status}}


def pod(kind: str, index: int, phase: str = "Running", *others: dict[str, Any], **state: Any) -> dict[str, Any]:
    """Return a pod of it. others: other containers; state: of the one that trains."""
    labels = {"training.kubeflow.org/replica-type": kind, "training.kubeflow.org/replica-index": str(index)}
    main = [{"name": "tensorflow", "state": state, "restartCount": 1}] if state else []
    status = {
        "phase": phase,
        "containerStatuses": [*others, *main],
        "conditions": [{"type": "PodScheduled", "status": "True"}],
    }
    return {"metadata": {"name": f"j-{kind}-{index}", "labels": labels}, "spec": {"nodeName": "n1"}, "status": status}
