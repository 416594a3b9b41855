# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action as Ansible runs it, on a host of which PATH shows a few programs: apt-get may bring python3, or fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PYTHON = "#!/bin/sh\necho python=3.11.2\n"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A folder that is the host's whole PATH: no Python, and nothing yet that could install it."""
    for name in ("sh", "uname", "id", "mkdir", "rm", "chmod", "cp", "cat"):
        (tmp_path / name).symlink_to(f"/bin/{name}")
    program(tmp_path, "dpkg", "#!/bin/sh\n")
    return tmp_path


def program(host: Path, name: str, text: str) -> None:
    (host / name).write_text(text)
    (host / name).chmod(0o755)


def apt_get(host: Path, then: str) -> None:
    """Give the host an apt-get that notes how it was called and, told to install, does what `then` says."""
    program(host, "apt-get", f'#!/bin/sh\necho "$*" >> {host}/calls\ncase "$*" in *install*) {then} ;; esac\n')


def run(host: Path, *flags: str) -> str:
    command = [sys.executable, "-m", "ansible", "adhoc", "bare", "-i", "bare,", "-c", "local"]
    done = subprocess.run(
        [*command, "-m", "trainyard.mlstack.host_python", *flags],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "PATH": str(host), "COLUMNS": "400"},
    )
    return done.stdout + done.stderr


def test_a_host_that_has_python_is_left_alone(host: Path) -> None:
    apt_get(host, "exit 1")
    program(host, "python3", PYTHON)
    output = run(host)
    assert "bare | SUCCESS" in output
    assert "python: 3.11.2" in output
    assert not (host / "calls").exists()


def test_python_is_installed_and_the_second_run_changes_nothing(host: Path) -> None:
    program(host, "made", PYTHON)
    apt_get(host, f"cp {host}/made {host}/python3")
    assert "bare | CHANGED" in run(host)
    assert (host / "calls").read_text().splitlines()[-1].endswith("--no-install-recommends python3")
    assert "bare | SUCCESS" in run(host)


def test_check_mode_says_what_it_would_do(host: Path) -> None:
    apt_get(host, "exit 1")
    output = run(host, "--check", "--diff")
    assert "bare | CHANGED" in output
    assert "[bare] host_python: python3 would be installed" in output
    assert "+python3: installed" in output
    assert not (host / "calls").exists()


def test_a_failed_install_shows_what_apt_said(host: Path) -> None:
    apt_get(host, "echo E: Unable to locate package python3; exit 100")
    output = run(host)
    assert "bare | FAILED" in output
    assert "Unable to locate package python3" in output
    assert "Give the host an apt source" in output


def test_a_host_without_apt_is_refused(host: Path) -> None:
    output = run(host)
    assert "bare | FAILED" in output
    assert "neither Python nor apt-get" in output


def test_a_bundle_without_packages_for_the_host_is_refused_before_anything_is_sent(host: Path, tmp_path: Path) -> None:
    apt_get(host, "exit 1")
    program(host, "dpkg", "#!/bin/sh\necho riscv64\n")
    (tmp_path / "index.json").write_text('{"release": "1", "architecture": "amd64", "files": []}')
    for flags in ([], ["--check"]):
        output = run(host, "-a", f"bundle={tmp_path}", *flags)
        assert "bare | FAILED" in output
        assert f"bundle {tmp_path} has no packages/" in output
        assert "playbooks/bundle_packages.yml" in output
    assert not (host / "calls").exists()
