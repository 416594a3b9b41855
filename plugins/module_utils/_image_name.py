# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of images. Pure."""

from __future__ import annotations

from typing import Dict, List, Sequence


def in_registry(image: str, registry: str) -> str:
    """Return the image's name with the registry's host replaced; as it is without a registry.

    registry: host, port and path as in "registry.example.org:5000/mirror". A name without a host is Docker Hub's.
    """
    if not registry:
        return image
    host, slash, rest = image.partition("/")
    has_host = bool(slash) and ("." in host or ":" in host or host == "localhost")
    return f"{registry.rstrip('/')}/{rest if has_host else image}"


def pull_secrets(names: Sequence[str]) -> List[Dict[str, str]]:
    """Return the names of Secrets as a pod has them."""
    return [{"name": name} for name in names]
