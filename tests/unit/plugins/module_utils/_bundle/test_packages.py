# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of a bundle come from a folder that was sent or from a server, and the repository goes afterwards."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle import package_install
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle import packages as packages_of_bundle
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.fetch import Server
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.package_install import (
    Repository,
    RepositoryFile,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.package_repository import (
    list_files,
    packages_text,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.packages import (
    PackagesError,
    PackagesOfBundle,
)
from tests.support.fake_upstream import serving
from tests.unit.debs import CONTENT, DEBS, Apt, control

SYSTEM = "packages/debian-12-amd64"
FILES = {deb.file: CONTENT[deb.name] for deb in DEBS}
FILES.update(list_files(packages_text({deb.sha256: control(deb) for deb in DEBS}, DEBS), "amd64"))
ENTRIES = [
    RepositoryFile(f"{SYSTEM}/{name}", hashlib.sha256(content).hexdigest(), len(content))
    for name, content in FILES.items()
]


def sent(folder: Path, *names: str) -> str:
    for name in names:
        (folder / hashlib.sha256(FILES[name]).hexdigest()).write_bytes(FILES[name])
    return str(folder)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "mlstack" / "packages"
    monkeypatch.setattr(package_install, "WORK", str(folder))
    monkeypatch.setattr(Repository.__init__, "__defaults__", (str(folder),))
    monkeypatch.setattr(packages_of_bundle, "system_folder", lambda run, host: SYSTEM)
    return folder


def bundle(apt: Apt, server: Server | None = None, **options: Any) -> PackagesOfBundle:
    given = {"files": {SYSTEM: [list(entry) for entry in ENTRIES]}, "url": "", "incoming": "", "certificates": []}
    return PackagesOfBundle(apt, {**given, **options}, ["socat"], server)


def nothing(_line: str) -> None:
    pass


def test_it_asks_for_the_lists_and_then_for_what_apt_needs(work: Path, tmp_path: Path) -> None:
    apt = Apt()
    lists = ["Packages.gz", "Release"]
    assert bundle(apt).prepare(nothing) == [f"{SYSTEM}/{name}" for name in lists]
    incoming = sent(tmp_path, *lists)
    wanted = [f"{SYSTEM}/{name}" for name in (*lists, *(deb.file for deb in DEBS))]
    assert bundle(apt, incoming=incoming).prepare(nothing) == wanted
    sent(tmp_path, *(deb.file for deb in DEBS))
    ready = bundle(apt, incoming=incoming)
    assert ready.prepare(nothing) == []
    assert {path.name for path in (work / "repository").iterdir()} == set(FILES) - {"Packages"}
    assert (work / "sources.list").read_text() == f"deb [trusted=yes] file:{work}/repository ./\n"
    assert f"Dir::Etc::sourcelist={work}/sources.list" in ready.options
    assert "Dir::Etc::sourceparts=/dev/null" in ready.options
    ready.close()
    assert not work.parent.exists()


def test_a_server_gives_all_at_once(work: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    with serving({f"/{SYSTEM}/{name.replace('+', '%2B')}": data for name, data in FILES.items()}) as served:
        server = Server(served.address, settings={}, folder=str(tmp_path / "in"))
        assert bundle(Apt(), server, url=served.address).prepare(lines.append) == []
    assert lines == ["download 2 packages (0 MB)"]
    assert (work / "repository" / DEBS[1].file).read_bytes() == CONTENT["socat"]


def test_an_altered_package_on_the_server_is_refused(work: Path, tmp_path: Path) -> None:
    files = {f"/{SYSTEM}/{name.replace('+', '%2B')}": data for name, data in FILES.items()}
    files[f"/{SYSTEM}/{DEBS[1].file}"] = b"Socat's file"
    with serving(files) as served:
        server = Server(served.address, settings={}, folder=str(tmp_path / "in"))
        with pytest.raises(PackagesError, match=f"{DEBS[1].file} has sha256 .* index says {DEBS[1].sha256}"):
            bundle(Apt(), server, url=served.address).prepare(nothing)


def test_packages_that_do_not_fit_the_host_are_told_with_the_way_out(work: Path, tmp_path: Path) -> None:
    incoming = sent(tmp_path, *FILES)
    with pytest.raises(PackagesError, match=r"unmet.*as new as this one: playbooks/bundle_packages\.yml"):
        bundle(Apt({"--print-uris": "E: unmet dependencies"}), incoming=incoming).prepare(nothing)


def test_a_package_altered_on_the_way_is_refused(work: Path, tmp_path: Path) -> None:
    incoming = sent(tmp_path, *FILES)
    (tmp_path / DEBS[0].sha256).write_bytes(b"x")
    with pytest.raises(PackagesError, match=f"conntrack.* cannot be used: .*{DEBS[0].sha256}"):
        bundle(Apt(), incoming=incoming).prepare(nothing)
