# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A repository's texts: the same for the same packages, and read back as they were written."""

from __future__ import annotations

import gzip

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.package_repository import (
    Deb,
    controls_of,
    folder_name,
    list_files,
    packages_text,
    parse_uris,
)
from tests.unit.debs import DEBS, Apt, control

CONTROLS = {deb.sha256: control(deb) for deb in DEBS}


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        (("debian", "12", "amd64"), "packages/debian-12-amd64"),
        (("ubuntu", "24.04", "arm64"), "packages/ubuntu-24.04-arm64"),
        (("debian", "", "amd64"), "packages/debian-rolling-amd64"),
    ],
)
def test_folder_of_a_system(about: tuple[str, str, str], expected: str) -> None:
    assert folder_name(*about) == expected


def test_what_apt_prints_is_read() -> None:
    assert parse_uris(Apt()(["apt-get", "--print-uris"])[1]) == DEBS


def test_a_hash_of_another_kind_is_no_sum() -> None:
    [deb] = parse_uris("'http://x/a.deb' a_1%3a2_all.deb 5 MD5Sum:0123\n")
    assert deb == Deb("a", "1:2", "all", "", 5)


def test_files_have_no_epoch_and_labels_name_one_package() -> None:
    assert Deb("a", "1:2~b+c", "amd64", "", 1).file == "a_2~b+c_amd64.deb"
    assert Deb("a", "1:2", "amd64", "", 1).label == "a:amd64=1:2"
    assert Deb("a", "1:2", "all", "", 1).label == "a=1:2"


def test_the_list_is_read_back_and_does_not_depend_on_the_order() -> None:
    text = packages_text(CONTROLS, DEBS)
    assert controls_of(text) == CONTROLS
    assert text == packages_text(CONTROLS, list(reversed(DEBS)))
    assert f"Filename: ./socat_1.7.4.4-2_amd64.deb\nSize: 12\nSHA256: {DEBS[1].sha256}\n\n" in text
    assert controls_of("") == {}


def test_lists_are_the_same_for_the_same_packages() -> None:
    text = packages_text(CONTROLS, DEBS)
    files = list_files(text, "amd64")
    assert files == list_files(text, "amd64")
    assert gzip.decompress(files["Packages.gz"]) == files["Packages"] == text.encode()
    release = files["Release"].decode()
    assert "Architectures: amd64\n" in release
    assert release.count("Packages") == 2
