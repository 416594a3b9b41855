# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volcano's manifest as its maintainers published it, which lies beside a checkout or nowhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from tests.support.paths import ROOT

VERSION = "1.15.1"
MANIFEST = Path(
    os.environ.get("TRAINYARD_VOLCANO_MANIFEST") or ROOT.parent / "shared" / "upstream" / f"volcano-{VERSION}.yaml"
)


def missing() -> str:
    """Return why nothing can be tested against Volcano's own definitions; empty when it can."""
    if MANIFEST.is_file():
        return ""
    return f"{MANIFEST} does not exist (TRAINYARD_VOLCANO_MANIFEST names another file)"


def needed_for(module: str) -> None:
    """Skip what is about Volcano Jobs where Volcano's own definitions are not. module: of the job's kind."""
    if module == VOLCANO_JOB.name and missing():
        pytest.skip(missing())


def volcano_manifest() -> list[dict[str, Any]]:
    """Return all objects of the manifest; without the file the test that asks is skipped, and says so."""
    reason = missing()
    if reason:
        pytest.skip(f"Volcano's own definitions are not here: {reason}")
    return [item for item in yaml.load_all(MANIFEST.read_text(encoding="utf-8"), yaml.CSafeLoader) if item]


def volcano_crds() -> list[dict[str, Any]]:
    """Return the CustomResourceDefinitions of the manifest."""
    return [item for item in volcano_manifest() if item["kind"] == "CustomResourceDefinition"]
