# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The repository of packages that lies on a host while they are installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.package_install import (
    Repository,
    RepositoryError,
    RepositoryFile,
)
from tests.unit.debs import Apt

SYSTEM = "packages/debian-12-amd64"


def test_a_full_disk_is_told_before(tmp_path: Path) -> None:
    huge = RepositoryFile(f"{SYSTEM}/a.deb", "0" * 64, 1 << 60)
    with pytest.raises(RepositoryError, match="no room for packages on the disk at /"):
        Repository(Apt(), [huge], str(tmp_path)).add([huge], lambda file: "")
