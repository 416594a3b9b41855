# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of images. Pure."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Tuple

_HOST = re.compile(r"([a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(:[0-9]+)?")
_PART = r"[a-z0-9]+((\.|_{1,2}|-+)[a-z0-9]+)*"
_PATH = re.compile(rf"{_PART}(/{_PART})*(:\w[-\w.]{{0,127}})?(@[a-z0-9]+:[0-9a-f]{{32,}})?", re.ASCII)
_EXAMPLE = "such as registry.example.org/team/image:1.0"
_LONGEST = 255


def in_registry(image: str, registry: str) -> str:
    """Return the image's name with the registry's host replaced; as it is without a registry.

    registry: host, port and path as in "registry.example.org:5000/mirror". A name without a host is Docker Hub's.
    """
    if not registry:
        return image
    host, rest = _split(image)
    return f"{registry.rstrip('/')}/{rest if host else image}"


def _split(image: str) -> Tuple[str, str]:
    """Return the host in an image's name, if it has one, and the rest."""
    host, slash, rest = image.partition("/")
    has_host = bool(slash) and ("." in host or ":" in host or host == "localhost")
    return (host, rest) if has_host else ("", image)


def image_rule(image: str) -> str:
    """Return the rule that the name of an image breaks, or nothing. A node would find out when it pulls."""
    if "://" in image:
        return f"is an address; the name of an image has no scheme, {_EXAMPLE}"
    host, path = _split(image)
    if (not host or _HOST.fullmatch(host)) and _PATH.fullmatch(path) and len(image.partition("@")[0]) <= _LONGEST:
        return ""
    if path != path.lower() and _PATH.fullmatch(path.lower()):
        return "has capital letters in its path, which is all lower case"
    return f"is no name of an image, {_EXAMPLE}"


def pull_secrets(names: Sequence[str]) -> List[Dict[str, str]]:
    """Return the names of Secrets as a pod has them."""
    return [{"name": name} for name in names]
