# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host's shell is told, run by a real one; apt-get is played."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import Entry
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.python_from_bundle import (
    ask_command,
    install_command,
    lists,
    needed,
)

SYSTEM = "packages/debian-12-amd64"
NAMES = ("Packages.gz", "Release", "libc6_2.36-9+deb12u9_amd64.deb", "python3_3.11.2-1+b1_amd64.deb")
# It answers as apt does: with what it was asked to print.
APT_GET = """#!/bin/sh
echo "$*" >> {work}.calls
case "$*" in
  *--print-uris*) printf "'file:%s/repository/./{deb}' {deb} 7 \\n" {work} ;;
  *update*) grep -qx "deb \\[trusted=yes\\] file:{work}/repository ./" {work}/sources.list && echo Reading ;;
  *install*) ls {work}/repository > {work}.installed ;;
esac
"""


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host: `in` is where files arrive, `bin` comes first in PATH, `work` is where the repository will be."""
    for folder in ("in", "bin"):
        (tmp_path / folder).mkdir()
    for name, text in (("apt-get", APT_GET.format(work=tmp_path / "work", deb=NAMES[3])), ("dpkg", "#!/bin/sh\n")):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def entries(host: Path) -> list[Entry]:
    """Return the repository, all of which has arrived on the host."""
    found = []
    for name in NAMES:
        digest = hashlib.sha256(name.encode()).hexdigest()
        (host / "in" / digest).write_text(name)
        found.append(Entry(f"{SYSTEM}/{name}", "package", name, digest, len(name), "0644", "upstream"))
    return found


def shell(host: Path, command: str) -> subprocess.CompletedProcess[str]:
    path = f"{host}/bin:{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", command], env={"PATH": path}, capture_output=True, text=True, check=False
    )


def test_apt_sees_only_the_lists_then_only_what_it_has_asked_for(host: Path) -> None:
    known, work = entries(host), str(host / "work")
    assert [entry.name for entry in lists(known)] == ["Packages.gz", "Release"]
    asked = shell(host, ask_command(str(host / "in"), known, work))
    assert asked.returncode == 0, asked.stderr
    assert sorted(os.listdir(host / "work/repository")) == ["Packages.gz", "Release"]
    wanted = needed(asked.stdout, known)
    assert [entry.name for entry in wanted] == [NAMES[3]]
    done = shell(host, install_command(str(host / "in"), wanted, 30, work))
    assert done.returncode == 0, done.stderr
    assert (host / "work.installed").read_text().split() == ["Packages.gz", "Release", NAMES[3]]
    calls = (host / "work.calls").read_text().splitlines()
    assert all("Dir::Etc::sourceparts=/dev/null" in call for call in calls)
    assert "DPkg::Lock::Timeout=30" in calls[-1]
    assert not (host / "work").exists()


@pytest.mark.parametrize("altered", ["Packages.gz", "Release"])
def test_an_altered_list_is_not_shown_to_apt(host: Path, altered: str) -> None:
    known = entries(host)
    (host / "in" / next(entry.sha256 for entry in known if entry.name == altered)).write_text("altered")
    asked = shell(host, ask_command(str(host / "in"), known, str(host / "work")))
    assert asked.returncode != 0
    assert altered in asked.stdout + asked.stderr
    assert not (host / "work.calls").exists()


def test_an_altered_package_is_not_installed_and_nothing_stays(host: Path) -> None:
    known, work = entries(host), str(host / "work")
    shell(host, ask_command(str(host / "in"), known, work))
    (host / "in" / known[3].sha256).write_text("altered")
    done = shell(host, install_command(str(host / "in"), known[3:], 30, work))
    assert done.returncode != 0
    assert NAMES[3] in done.stdout + done.stderr
    assert not (host / "work.installed").exists()
    assert not (host / "work").exists()


def test_what_a_killed_run_has_left_is_removed_first(host: Path) -> None:
    (host / "work/repository").mkdir(parents=True)
    (host / "work/repository/old.deb").write_text("old")
    assert shell(host, ask_command(str(host / "in"), entries(host), str(host / "work"))).returncode == 0
    assert not (host / "work/repository/old.deb").exists()
