# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipes of all releases, and a Go toolchain that is made up."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.go import (
    Go,
)
from tests.support.paths import ROOT

RECIPES = ROOT / "builds"
TESTS = ROOT / "tests" / "programs"
GO = Go("/usr/bin/go", "go1.26.8", "amd64")
