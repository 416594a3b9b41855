# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""This checkout, its newest release, and where the bundles of this machine's architecture lie."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import known_releases, load_release

ROOT = Path(__file__).parents[2]
RELEASE = load_release(known_releases()[-1])
CACHE = Path("~/.cache/trainyard").expanduser()
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def bundle_dir(release: str = RELEASE["release"]) -> Path:
    """Return the bundle of a release; MLSTACK_BUNDLE_DIR is that of the newest one, when it lies elsewhere."""
    given = os.environ.get("MLSTACK_BUNDLE_DIR")
    if given and release == RELEASE["release"]:
        return Path(given).expanduser()
    return CACHE / "bundles" / f"{release}-{ARCHITECTURE}"
