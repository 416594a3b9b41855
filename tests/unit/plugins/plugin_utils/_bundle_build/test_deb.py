# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of Debian packages land where they lie on a system whose root folders are links into usr."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.deb import (
    Apt,
    Package,
    add_merged_links,
    add_package,
    image_path,
    link_target,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.layer import LayerWriter
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("./usr/sbin/iptables-nft", "usr/sbin/iptables-nft"),
        ("./bin/bash", "usr/bin/bash"),
        ("./lib/x86_64-linux-gnu/libc.so.6", "usr/lib/x86_64-linux-gnu/libc.so.6"),
        ("./lib64/ld-linux-x86-64.so.2", "usr/lib64/ld-linux-x86-64.so.2"),
        ("./sbin/ldconfig", "usr/sbin/ldconfig"),
        ("./etc/protocols", "etc/protocols"),
        ("./library/file", "library/file"),
        ("./", None),
        ("./lib/", None),
        ("./usr/share/doc/bash/copyright", None),
        ("./usr/share/man/", None),
        ("./usr/share/mandb/x", "usr/share/mandb/x"),
        ("./usr/lib/x86_64-linux-gnu/gconv/UTF-16.so", None),
    ],
)
def test_paths(path: str, place: str | None) -> None:
    assert image_path(path) == place


@pytest.mark.parametrize(
    ("path", "target", "expected"),
    [
        ("./lib/x/libc.so", "libc.so.6", "libc.so.6"),
        ("./lib/x/libc.so", "/lib/x/libc.so.6", "/lib/x/libc.so.6"),
        ("./bin/which", "../usr/bin/which.debianutils", "/usr/bin/which.debianutils"),
        ("./usr/bin/pkill", "../sbin/pgrep", "../sbin/pgrep"),
    ],
)
def test_links_that_move_into_usr_still_point_to_the_same_file(path: str, target: str, expected: str) -> None:
    assert link_target(path, target) == expected


@pytest.fixture
def package(tmp_path: Path) -> Package:
    root = tmp_path / "root"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN/control").write_text(
        "Package: probe\nVersion: 1:2.0-1\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n"
    )
    (root / "bin").mkdir()
    (root / "bin/probe").write_text("#!/bin/sh\n")
    (root / "bin/probe").chmod(0o755)
    (root / "bin/again").hardlink_to(root / "bin/probe")
    (root / "usr/share/doc/probe").mkdir(parents=True)
    (root / "usr/share/doc/probe/copyright").write_text("x")
    path = tmp_path / "probe_1%3a2.0-1_all.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", root, path], check=True, capture_output=True)
    return Package("probe", "1:2.0-1", path)


def test_a_package_is_laid_into_a_layer(tmp_path: Path, package: Package) -> None:
    with LayerWriter(tmp_path / "layer") as layer:
        add_merged_links(layer)
        add_package(layer, package)
    plain = subprocess.run(["zstd", "-dc", tmp_path / "layer"], capture_output=True, check=True).stdout
    (tmp_path / "plain.tar").write_bytes(plain)
    with tarfile.open(tmp_path / "plain.tar") as stream:
        members = {member.name: member for member in stream}
        control = stream.extractfile("var/lib/dpkg/status.d/probe")
        assert control is not None
        assert b"Version: 1:2.0-1" in control.read()
    assert members["bin"].linkname == "usr/bin"
    regular, hard = sorted((members["usr/bin/again"], members["usr/bin/probe"]), key=lambda member: member.islnk())
    assert regular.isreg()
    assert regular.mode == 0o755
    assert hard.linkname == regular.name
    assert not any("share/doc/" in name for name in members)


APT_GET = """#!/bin/sh
# Like apt-get: names only those packages that are not in the archives yet.
for part in "$@"; do
    case "$part" in
        Dir::Cache::archives=*) archives="${part#*=}" ;;
        --print-uris) print=yes ;;
        update) exit 0 ;;
    esac
done
for file in bash_5.2-1_amd64.deb libc6_1%3a2.36-9_amd64.deb; do
    if [ -n "$print" ]; then
        [ -e "$archives/$file" ] || echo "'http://example.org/$file' $file 1 MD5Sum:0"
    else
        touch "$archives/$file"
    fi
done
"""


def test_all_packages_are_named_again_when_they_were_downloaded_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "apt-get").write_text(APT_GET)
    (programs / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    for _time in range(2):
        packages = Apt(tmp_path / "apt").fetch(["bash"], dependencies=True)
        assert [(package.name, package.version) for package in packages] == [("bash", "5.2-1"), ("libc6", "1:2.36-9")]
        assert all(package.path.is_file() for package in packages)


def test_a_damaged_package_is_an_error_that_names_the_command(tmp_path: Path) -> None:
    (tmp_path / "bad_1_all.deb").write_text("no archive")
    with pytest.raises(BuildError, match="dpkg-deb --fsys-tarfile"), LayerWriter(tmp_path / "layer") as layer:
        add_package(layer, Package("bad", "1", tmp_path / "bad_1_all.deb"))
