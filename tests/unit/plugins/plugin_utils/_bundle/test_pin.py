# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sums and digests that a release lacks are asked of upstream, for all architectures at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.pin import missing_pins
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import load_release
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.download import Downloader, Patience
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Http, Network
from tests.support.fake_release import ARCHITECTURES, NAME, FakeRelease, fake_release


@pytest.fixture
def release(tmp_path: Path) -> Iterator[FakeRelease]:
    with fake_release(tmp_path / "releases", pinned=False) as served:
        yield served


def ask(served: FakeRelease) -> dict[tuple[str, ...], str]:
    """Return what the release lacks."""
    network = Network(ca_certificates=(str(served.authority),), registries=served.registries)
    patience = Patience(first_wait_s=0.01, longest_wait_s=0.05)
    downloader = Downloader(Http(network), served.folder / "partial", patience)
    return missing_pins(load_release(NAME, [str(served.folder)]), downloader, served.folder / "cache")


def test_sums_and_digests_of_all_architectures_are_found(release: FakeRelease) -> None:
    pins = ask(release)
    downloads = {
        ("upstream", "downloads", name, "sha256", arch) for name in ("kubectl", "tool") for arch in ARCHITECTURES
    }
    images = {
        ("upstream", "images", name, arch): release.images[arch]
        for name in ("pause", "training-operator")
        for arch in ARCHITECTURES
    }
    assert set(pins) == downloads | set(images)
    assert {path: pins[path] for path in images} == images
    file = release.server.files["/v1.0.0/arm64/kubectl"]
    assert pins["upstream", "downloads", "kubectl", "sha256", "arm64"] == file.sha256


def test_nothing_is_asked_about_a_release_that_lacks_nothing(release: FakeRelease) -> None:
    release._pin()
    release.write()
    assert ask(release) == {}
    assert release.server.asked == release.registry.asked == []


def test_all_that_was_not_found_is_named_and_the_scratch_folder_goes(release: FakeRelease) -> None:
    for arch in ARCHITECTURES:
        del release.server.files[f"/v1.0.0/{arch}/tool.tgz.sha256"]
    with pytest.raises(BuildError) as failed:
        ask(release)
    head, *lines = str(failed.value).splitlines()
    assert head == "2 of 8 were not found:"
    assert [line.partition(": ")[0] for line in lines] == [
        f"upstream.downloads.tool.sha256.{arch}" for arch in ARCHITECTURES
    ]
    assert not (release.folder / "cache/pin").exists()


def test_a_file_without_https_is_not_summed(release: FakeRelease) -> None:
    entry = release.document["upstream"]["downloads"]["digits"]
    entry.update(address="http://127.0.0.1:1/digits.csv.gz", sha256={})
    release.write()
    with pytest.raises(BuildError, match=r"digits\.sha256\.any: http://127.0.0.1:1/digits.csv.gz is not https"):
        ask(release)
