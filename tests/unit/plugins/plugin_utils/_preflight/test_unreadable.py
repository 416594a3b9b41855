# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ansible says when a host cannot be read, and what is made of it."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.unreadable import unreadable


@pytest.mark.parametrize(
    ("error", "field", "word"),
    [
        ("Task failed: Missing sudo password", "sudo", "--ask-become-pass"),
        ("MODULE FAILURE sudo: a password is required", "sudo", "--ask-become-pass"),
        ("Timeout (12s) waiting for privilege escalation prompt: ", "sudo", "--ask-become-pass"),
        ("Task failed: Incorrect sudo password", "sudo", "Correct it"),
        ("Sorry, try again.\nsudo: 1 incorrect password attempt", "sudo", "Correct it"),
        ("tom is not in the sudoers file.", "sudo", "usermod"),
        ("Sorry, user tom is not allowed to execute '/bin/sh' as root on gpu-1.", "sudo", "usermod"),
        ("/bin/sh: 1: sudo: not found", "sudo", "Install sudo"),
        ("bash: line 1: sudo: command not found", "sudo", "Install sudo"),
        ("/bin/sh: 1: /usr/bin/python3: not found", "python3", "trainyard.mlstack.bootstrap"),
        ("The module interpreter '/usr/bin/python3' was not found.", "python3", "trainyard.mlstack.bootstrap"),
        ("Failed to connect to the host via ssh: connect to host gpu-1 port 22: No route to host", "connection", ""),
        ("Permission denied (publickey,password).", "connection", ""),
    ],
)
def test_signs(error: str, field: str, word: str) -> None:
    problem = unreadable("gpu-1", error)
    assert (problem.host, problem.field, problem.value) == ("gpu-1", field, " ".join(error.split()))
    assert word in problem.way_out
    assert problem.way_out.endswith("--limit 'all:!gpu-1'") == (field != "python3")
    assert "{host}" not in problem.way_out
