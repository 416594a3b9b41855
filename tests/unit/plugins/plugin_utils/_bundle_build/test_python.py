# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python of an image's packages, and the wheels that it can run."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.python import (
    platform_tags,
    python_version,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError


def test_python_and_wheel_platforms_follow_the_packages() -> None:
    assert python_version({"bash": "5", "python3.11-minimal": "3.11.2-6"}) == "3.11"
    tags = platform_tags("2.36-9+deb12u14", "amd64")
    assert tags[0] == "manylinux_2_36_x86_64"
    assert {"manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"} <= set(tags)
    assert platform_tags("2.39-0ubuntu8", "arm64")[0] == "manylinux_2_39_aarch64"
    with pytest.raises(BuildError, match="no Python among the packages: bash"):
        python_version({"bash": "5"})
