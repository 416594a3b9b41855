# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the upstream of a release answers, and why not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle import probe
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.probe import unreachable
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import load_release
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.download import Downloader
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Http, Network
from tests.support.fake_release import NAME, FakeRelease, fake_release


@pytest.fixture
def release(tmp_path: Path) -> Iterator[FakeRelease]:
    with fake_release(tmp_path / "releases") as served:
        yield served


def why_not(served: FakeRelease) -> str:
    """Return why the upstream of the release cannot be used."""
    network = Network(ca_certificates=(str(served.authority),), registries=served.registries)
    downloader = Downloader(Http(network), served.folder / "partial")
    return unreachable(load_release(NAME, [str(served.folder)]), "amd64", downloader)


def test_each_host_is_asked_once_for_one_byte(release: FakeRelease) -> None:
    assert why_not(release) == ""
    assert [asked.range for asked in release.server.asked] == ["bytes=0-0"]
    assert release.registry.requests == [("/v2/", "bytes=0-0")]


def test_a_file_that_is_not_there_is_a_reason_and_a_registry_without_a_list_is_none(release: FakeRelease) -> None:
    release.server.files.clear()
    assert why_not(release).startswith(f"{release.server.address}/v1.0.0/amd64/kubectl: status 404")


@pytest.mark.parametrize("status", [403, 500])
def test_a_registry_that_refuses_is_a_reason(release: FakeRelease, status: int) -> None:
    release.registry.put("/v2/", fail=[status] * 5)
    assert why_not(release).startswith(f"{release.registry.address}/v2/: status {status}")
    assert release.registry.times("/v2/") == 1, "there is no other try"


def test_the_first_host_without_an_answer_is_named(release: FakeRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_DEADLINE_S", 0.2)
    release.registry.put("/v2/", silent=True)
    assert why_not(release) == f"{release.registry.address}/v2/: no answer within 0 s"


def test_what_is_wrong_with_the_release_is_a_reason(release: FakeRelease) -> None:
    release.document["upstream"]["programs"].pop("tool")
    release.write()
    assert "upstream.programs.tool" in why_not(release)
    assert release.server.asked == []
