# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims by name as volumes of a pod. Pure."""

from __future__ import annotations

import hashlib
import re
from typing import Any, Dict, List, Mapping, Sequence

from .._kube.resource import Manifest

# A volume's name is a label; a claim's may be longer and hold dots.
_LONGEST = 63


def volume_name(claim: str) -> str:
    """Return the name of the volume of a claim: the same for the same claim, and unlike those that people give."""
    plain = re.sub(r"[^-a-z0-9]", "-", claim)
    name = f"claim-{plain}"
    if plain == claim and len(name) <= _LONGEST:
        return name
    digest = hashlib.sha256(claim.encode()).hexdigest()[:8]
    return f"{name[: _LONGEST - 9].rstrip('-')}-{digest}"


def add_shared_volumes(spec: Manifest, container: Dict[str, Any], shared: Sequence[Mapping[str, Any]]) -> None:
    """Add claims to a pod and mount them in one of its containers. Two mounts of one claim share its volume."""
    volumes: List[Dict[str, Any]] = list(spec.get("volumes") or [])
    mounts: List[Dict[str, Any]] = list(container.get("volumeMounts") or [])
    for item in shared:
        name = volume_name(item["claim"])
        volume = {"name": name, "persistentVolumeClaim": {"claimName": item["claim"]}}
        if volume not in volumes:
            volumes.append(volume)
        mount: Dict[str, Any] = {"name": name, "mountPath": item["mount_path"]}
        if item.get("sub_path"):
            mount["subPath"] = item["sub_path"]
        if item.get("read_only"):
            mount["readOnly"] = True
        mounts.append(mount)
    if shared:
        spec["volumes"], container["volumeMounts"] = volumes, mounts
