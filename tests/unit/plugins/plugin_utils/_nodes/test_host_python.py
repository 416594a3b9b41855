# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host without Python is asked, and what its answer calls for."""

from __future__ import annotations

import subprocess

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.host_python import (
    LOOK,
    Found,
    install_command,
    parse,
    refusal,
)

DEBIAN = "Debian GNU/Linux 12 (bookworm)"


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (f"python=3.11.2\napt=yes\nsystem={DEBIAN}\nasked=yes\n", Found("3.11.2", True, DEBIAN, True)),
        (f"apt=yes\r\nsystem={DEBIAN}\r\nasked=yes\r\n", Found("", True, DEBIAN, True)),
        (
            "apt=yes\narchitecture=arm64\nsystem=Ubuntu\ndistribution=ubuntu\nversion=24.04\nasked=yes\n",
            Found("", True, "Ubuntu", True, "packages/ubuntu-24.04-arm64"),
        ),
        ("Welcome, python=no\n\nsystem=\nasked=yes\n", Found("", False, "an unknown system", True)),
        ("This account is not available.\n", Found("", False, "an unknown system", False)),
    ],
)
def test_an_answer_is_read(output: str, found: Found) -> None:
    assert parse(output) == found


@pytest.mark.parametrize(
    ("python", "usable"), [("", False), ("3.6.8", False), ("3.7.17", False), ("3.8.0", True), ("3.13.5", True)]
)
def test_python_3_8_is_the_oldest(python: str, usable: bool) -> None:
    assert Found(python, True, DEBIAN, True).usable is usable


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Found("", True, DEBIAN, True), []),
        (Found("3.6.8", True, "CentOS 7", True), ["3.6.8", "3.8", "CentOS 7", "ansible_python_interpreter"]),
        (Found("", False, "Alpine", True), ["Alpine", "apt-get", "by hand"]),
    ],
)
def test_what_cannot_be_mended_is_refused_with_the_way_out(found: Found, words: list[str]) -> None:
    text = refusal(found)
    assert bool(text) is bool(words)
    assert [word for word in words if word not in text] == []


def test_any_shell_answers_the_question() -> None:
    """A bare image has no more than dash."""
    done = subprocess.run(["/bin/sh", "-eu", "-c", LOOK], text=True, capture_output=True, check=True)
    assert parse(done.stdout).answered


def test_the_lock_is_waited_for_and_a_half_done_install_is_ended_first() -> None:
    command = install_command(30)
    assert command.count("DPkg::Lock::Timeout=30") == 2
    assert command.index("dpkg --configure") < command.index("update") < command.index("install")
