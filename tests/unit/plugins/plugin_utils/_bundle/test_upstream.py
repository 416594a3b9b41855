# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The upstream section of every release is whole, and lists of sums are read as upstream writes them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    known_releases,
    load_release,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.upstream import (
    published_sum,
    source,
    upstream_problems,
)

SUM = "0123456789abcdef" * 4
OTHER = "f" * 64


@pytest.mark.parametrize("name", known_releases())
def test_every_release_has_its_addresses(name: str) -> None:
    assert upstream_problems(load_release(name)) == []


@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
@pytest.mark.parametrize("name", known_releases())
def test_every_file_of_a_release_has_a_sum_or_a_place_where_it_is_published(name: str, architecture: str) -> None:
    release = load_release(name)
    for download in release["upstream"]["downloads"]:
        found = source(release, download, architecture)
        assert found.address.startswith("https://")
        assert found.sha256 or found.published.startswith("https://")
        assert "{" not in found.address + found.published
        assert architecture in found.address or found.pin == "any"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SUM, SUM),
        (f"{SUM}\n", SUM),
        (f"{SUM}  tool-amd64\n", SUM),
        (f"{SUM} *tool-amd64\n", SUM),
        (f"{SUM}  ./dist/tool-amd64\n", SUM),
        (f"{OTHER}  tool-arm64\n{SUM}  tool-amd64\n{OTHER}  tool-amd64.asc\n", SUM),
        (f"SHA256 (tool-amd64) = {SUM}\n", SUM),
        (f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{SUM}  tool-amd64\n-----BEGIN PGP", SUM),
        (f"{OTHER}  tool-arm64\n", ""),
        ("<html>not found</html>", ""),
        (f"{SUM}0\n", ""),
        ("", ""),
    ],
)
def test_a_sum_is_found_in_what_upstream_publishes(text: str, expected: str) -> None:
    assert published_sum(text, "tool-amd64") == expected


def broken(path: str, value: Any) -> dict[str, Any]:
    release = copy.deepcopy(load_release("2026.11"))
    *way, last = path.split("/")
    place: Any = release["upstream"]
    for part in way:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return release


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("downloads", None, "upstream"),
        ("downloads/runc", "x", "downloads.runc"),
        ("downloads/runc/component", "rnc", "downloads.runc.component"),
        ("downloads/runc/address", None, "downloads.runc.address"),
        ("downloads/runc/address", "runc", "downloads.runc.address"),
        ("downloads/runc/address", "https://example.org/{architecture}", "downloads.runc.address"),
        ("downloads/runc/published", "{address}.{sha256", "downloads.runc.published"),
        ("downloads/runc/sha256", {"amd64": SUM, "s390x": SUM}, "downloads.runc.sha256"),
        ("downloads/runc/sha256", {"any": SUM}, "downloads.runc.sha256"),
        ("downloads/runc/sha256", {"amd64": SUM[:-1]}, "downloads.runc.sha256"),
        ("downloads/digits/sha256", {"amd64": SUM}, "downloads.digits.sha256"),
        ("programs/runc", None, "programs.runc"),
        ("programs/runc", {"download": "rnc"}, "programs.runc.download"),
        ("data/digits.csv", None, "data.digits.csv"),
        ("images", [], "images"),
        ("images", {"paus": {"amd64": f"sha256:{SUM}"}}, "images.paus"),
        ("images", {"pause": {"amd64": SUM}}, "images.pause"),
    ],
)
def test_each_mistake_is_named(path: str, value: Any, field: str) -> None:
    problems = upstream_problems(broken(path, value))
    assert f"release 2026.11: upstream.{field}".removesuffix(".upstream") in [problem.field for problem in problems]
