# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a downloaded bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.plan import UpstreamPlan
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.progress import Progress
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    known_releases,
    load_release,
    of_gang_scheduler,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.download import Downloader
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Http, Network

RECIPES = Path(__file__).parents[5] / "builds"


@pytest.mark.parametrize("gang_scheduler", ["native", "volcano"])
@pytest.mark.parametrize("name", known_releases())
def test_a_downloaded_bundle_holds_all_that_its_release_names(name: str, gang_scheduler: str, tmp_path: Path) -> None:
    release = of_gang_scheduler(load_release(name), gang_scheduler)
    assert ("volcano" in release["manifests"]) == (gang_scheduler == "volcano")
    downloader = Downloader(Http(Network()), tmp_path)
    plan = UpstreamPlan(release, RECIPES, "arm64", "amd64", downloader, Progress(lambda _line: None))
    targets = plan.bundle()
    for kind in ("program", "image", "manifest"):
        assert [target.name for target in targets if target.kind == kind] == list(release[f"{kind}s"])
    assert [target.name for target in targets if target.kind == "data"] == list(release["data"])
    assert {target.source for target in targets} == {"upstream"}
    assert all(target.download is not None and target.download.download for target in targets)
