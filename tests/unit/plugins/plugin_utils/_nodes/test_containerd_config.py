# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.containerd_config import config_version


@pytest.mark.parametrize(
    ("version", "expected"), [("2.0.0", 3), ("2.2.9", 3), ("2.3.0", 4), ("2.4.2", 4), ("v2.10.1", 4), ("3.0.0", 4)]
)
def test_config_version(version: str, expected: int) -> None:
    assert config_version(version) == expected


@pytest.mark.parametrize("version", ["1.7.20", "latest", "", "2"])
def test_other_versions_are_refused(version: str) -> None:
    with pytest.raises(ValueError, match="containerd"):
        config_version(version)
