# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A release gets the sums that upstream publishes (_bundle_pin), all or none, and only what it lacks."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.action.release_pins import ActionModule
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import load_release
from tests.support.fake_registry import FakeRegistry
from tests.support.fake_release import ARCHITECTURES, NAME, FakeRelease, fake_release
from tests.support.fake_upstream import running


@pytest.fixture
def release(tmp_path: Path) -> Iterator[FakeRelease]:
    with fake_release(tmp_path / "releases", pinned=False) as served:
        yield served


def pin(served: FakeRelease, check: bool = False, **more: Any) -> dict[str, Any]:
    arguments = {
        "release": NAME,
        "release_dirs": [str(served.folder)],
        "cache": str(served.folder / "cache"),
        "network": served.options(),
        **more,
    }
    task: Any = SimpleNamespace(args=arguments, check_mode=check, async_val=0, action="release_pins")
    return ActionModule(task, MagicMock(), MagicMock(), MagicMock(), MagicMock(), MagicMock()).run(task_vars={})


def text(release: FakeRelease) -> str:
    return (release.folder / f"{NAME}.yml").read_text()


def test_everything_that_is_missing_is_written_and_the_second_run_changes_nothing(release: FakeRelease) -> None:
    expected = copy.copy(release)
    expected.document = copy.deepcopy(release.document)
    expected._pin()
    result = pin(release)
    assert result["changed"]
    assert result["path"] == str(release.folder / f"{NAME}.yml")
    written = load_release(NAME, [str(release.folder)])
    assert written["upstream"] == expected.document["upstream"]
    assert result["pins"]["upstream.images.pause.arm64"] == release.images["arm64"]
    release.server.asked.clear()
    again = pin(release)
    assert (again["changed"], again["pins"], release.server.asked) == (False, {}, [])


def test_a_file_without_a_published_sum_is_downloaded_and_summed(release: FakeRelease) -> None:
    pinned = {name: release.document["upstream"]["downloads"][name].pop("sha256") for name in ("digits", "operator")}
    release.write()
    pins = pin(release)["pins"]
    for name, sums in pinned.items():
        assert pins[f"upstream.downloads.{name}.sha256.any"] == sums["any"]


def test_check_mode_shows_the_lines_and_writes_nothing(release: FakeRelease) -> None:
    before = text(release)
    result = pin(release, check=True)
    assert result["changed"]
    assert text(release) == before == result["diff"]["before"]
    assert release.images["amd64"] in result["diff"]["after"]


def test_what_is_pinned_stays(release: FakeRelease) -> None:
    own = dict.fromkeys(ARCHITECTURES, "1" * 64)
    release.document["upstream"]["downloads"]["kubectl"]["sha256"] = own
    release.write()
    pin(release)
    assert load_release(NAME, [str(release.folder)])["upstream"]["downloads"]["kubectl"]["sha256"] == own


def test_nothing_is_written_when_something_is_not_found_and_all_of_it_is_listed(release: FakeRelease) -> None:
    del release.server.files["/v1.0.0/arm64/kubectl.sha256"]
    release.registry.files.pop("/v2/pause/manifests/3.10")
    before = text(release)
    with pytest.raises(AnsibleActionFail) as failed:
        pin(release)
    assert str(failed.value).startswith("5 of 8 were not found:\n")
    assert "upstream.downloads.kubectl.sha256.arm64: " in str(failed.value)
    assert "upstream.images.pause.amd64: " in str(failed.value)
    assert text(release) == before


def test_an_unknown_release_is_refused(release: FakeRelease) -> None:
    with pytest.raises(AnsibleActionFail, match="no such release"):
        pin(release, release="2020.01")


def test_an_image_for_one_platform_is_not_pinned_for_another(release: FakeRelease) -> None:
    one = release.registry.image("pause", "3.10", "amd64")
    with pytest.raises(AnsibleActionFail) as failed:
        pin(release)
    assert str(failed.value).startswith("2 of 8 were not found:\nupstream.images.pause.arm64: ")
    assert "has no image for linux/arm64; it has: linux/amd64" in str(failed.value)
    assert one not in text(release)


def test_a_tag_of_a_registry_without_https_is_not_taken_for_a_pin(release: FakeRelease) -> None:
    with running(FakeRegistry()) as plain:
        assert isinstance(plain, FakeRegistry)
        images = {f"linux/{name}": plain.image("pause", "", name) for name in ARCHITECTURES}
        plain.index("pause", "3.10", images)
        options = release.options()
        options["registries"] = dict.fromkeys(options["registries"], plain.address)
        with pytest.raises(AnsibleActionFail) as failed:
            pin(release, network=options)
    for architecture in ARCHITECTURES:
        assert f"write it into the release as upstream.images.pause.{architecture}" in str(failed.value)
    assert "is not https" in str(failed.value)
    assert plain.asked == []


def test_what_an_interrupted_run_left_is_gone_after_the_next_one(release: FakeRelease) -> None:
    left = release.folder / "cache" / "pin" / "tmp1" / "download"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    pin(release)
    assert not (release.folder / "cache" / "pin").exists()
