# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as a server shows them."""

# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

GROUPS = {
    **dict.fromkeys(("Deployment", "DaemonSet", "StatefulSet"), "apps/v1"),
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    "Job": "batch/v1",
    "TFJob": "kubeflow.org/v1",
    "Widget": "example.test/v1",
    "APIService": "apiregistration.k8s.io/v1",
    "Queue": "scheduling.volcano.sh/v1beta1",
}


def live(kind: str, status: dict[str, Any], spec: dict[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
    return {
        "apiVersion": GROUPS.get(kind, "v1"),
        "kind": kind,
        "metadata": {"generation": 2, **meta},
        "spec": spec or {},
        "status": status,
    }
