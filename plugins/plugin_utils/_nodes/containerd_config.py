# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What containerd reads at its start, as data: pure functions."""

from __future__ import annotations

# containerd 2.3 brought configuration version 4; a file of a version that the daemon does not know stops it.
FIRST_WITH_VERSION_4 = (2, 3)


def config_version(containerd_version: str) -> int:
    """Return the version of config.toml that `containerd_version` (such as "2.4.2") prefers.

    Raises ValueError for containerd 1.x, whose plugin names differ, and for text that is no version.
    """
    try:
        major, minor = (int(part) for part in containerd_version.lstrip("v").split(".")[:2])
    except ValueError:
        raise ValueError(f"containerd version {containerd_version!r} is not of the form 2.4.2") from None
    if major < 2:
        raise ValueError(
            f"containerd {containerd_version} is not supported: 2.0 or newer is needed, choose a newer release"
        )
    return 4 if (major, minor) >= FIRST_WITH_VERSION_4 else 3
