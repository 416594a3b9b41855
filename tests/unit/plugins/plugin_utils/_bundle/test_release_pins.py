# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums get into a release's text, and nothing else of it changes."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import known_releases
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release_pins import NoPlace, with_pins

RELEASES = Path(__file__).parents[5] / "releases"
TEXT = """\
# A release.
release: "2027.01"

upstream:
  downloads:
    tool:  # fast
      component: tool
      address: https://example.org/{arch}
      sha256:
        amd64: old  # from July

    # The other one.
    other:
      component: other
  # Digests.
  images: {}  # none yet

# The end.
"""


def value_at(document: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


@pytest.mark.parametrize(
    ("path", "added", "removed"),
    [
        (
            ("upstream", "downloads", "tool", "sha256", "amd64"),
            ["        amd64: new  # from July"],
            ["        amd64: old  # from July"],
        ),
        (("upstream", "downloads", "tool", "sha256", "arm64"), ["        arm64: new"], []),
        (("upstream", "downloads", "other", "sha256", "any"), ["      sha256:", "        any: new"], []),
        (
            ("upstream", "images", "pause", "amd64"),
            ["  images:  # none yet", "    pause:", "      amd64: new"],
            ["  images: {}  # none yet"],
        ),
    ],
)
def test_a_value_gets_its_place(path: tuple[str, ...], added: list[str], removed: list[str]) -> None:
    text = with_pins(TEXT, {path: "new"})
    difference = list(difflib.ndiff(TEXT.splitlines(), text.splitlines()))
    assert [line[2:] for line in difference if line.startswith("+ ")] == added
    assert [line[2:] for line in difference if line.startswith("- ")] == removed
    assert value_at(yaml.safe_load(text), path) == "new"
    assert with_pins(text, {path: "new"}) == text


def test_a_mapping_on_one_line_is_not_torn() -> None:
    text = "upstream:\n  images:\n    pause: {amd64: x}\n"
    with pytest.raises(NoPlace, match=r"upstream\.images\.pause\.arm64 cannot be written below the line: pause: \{amd"):
        with_pins(text, {("upstream", "images", "pause", "arm64"): "new"})


NAMES = st.sampled_from(["kubeadm", "kubelet", "crictl", "containerd", "runc", "cni_plugins", "digits"])
IMAGES = st.sampled_from(["pause", "etcd", "kube-proxy", "tensorflow"])
PATHS = st.one_of(
    st.tuples(st.just("upstream"), st.just("downloads"), NAMES, st.just("sha256"), st.sampled_from(["amd64", "arm64"])),
    st.tuples(st.just("upstream"), st.just("images"), IMAGES, st.sampled_from(["amd64", "arm64"])),
)


@pytest.mark.parametrize("name", known_releases())
@settings(deadline=None, max_examples=20)
@given(pins=st.dictionaries(PATHS, st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:{}".format)))
def test_every_release_can_be_pinned_and_keeps_its_comments(name: str, pins: dict[tuple[str, ...], str]) -> None:
    text = (RELEASES / f"{name}.yml").read_text()
    written = with_pins(text, pins)
    expected = yaml.load(text, yaml.CSafeLoader)
    for path, value in pins.items():
        place = expected
        for key in path[:-1]:
            place = place.setdefault(key, {})
        place[path[-1]] = value
    assert yaml.load(written, yaml.CSafeLoader) == expected
    assert [line for line in written.splitlines() if "#" in line] == [line for line in text.splitlines() if "#" in line]
    assert with_pins(written, pins) == written
