# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The security contexts of our own pods, which meet the pod security standard `restricted`."""

from __future__ import annotations

from typing import Any, Dict

# What distroless images call nonroot.
UNPRIVILEGED_USER = 65532


def pod_security() -> Dict[str, Any]:
    """Return the security context of a pod that runs as nobody in particular."""
    return {
        "runAsNonRoot": True,
        "runAsUser": UNPRIVILEGED_USER,
        "runAsGroup": UNPRIVILEGED_USER,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def container_security() -> Dict[str, Any]:
    """Return the security context of each container in such a pod."""
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": True}
