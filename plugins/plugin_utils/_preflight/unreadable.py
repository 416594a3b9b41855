# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a host could not be read, told by what Ansible said about it: not reached, no sudo, no Python."""

from __future__ import annotations

import re

from ...module_utils._common.problem import Problem, Rule

LEAVE_OUT = ", or leave the host out of this run: --limit 'all:!{host}'"

NO_PASSWORD = Rule(
    "sudo",
    "every host of the run must be changed with the rights of root, and sudo asks for a password",
    "Give it with --ask-become-pass, or let the user become root without one (NOPASSWD in /etc/sudoers.d)" + LEAVE_OUT,
)
WRONG_PASSWORD = Rule(
    "sudo",
    "the password that was given for sudo is not the user's",
    "Correct it (ansible_become_password or --ask-become-pass); in an INI inventory a # ends the value and digits are"
    " a number: quote it" + LEAVE_OUT,
)
NO_RIGHTS = Rule(
    "sudo",
    "every host of the run must be changed with the rights of root, and the user may not become root",
    "Let the user use sudo (usermod --append --groups sudo <user>), or set another ansible_user" + LEAVE_OUT,
)
NO_SUDO = Rule(
    "sudo",
    "every host of the run must be changed with the rights of root, and sudo is not installed",
    "Install sudo, connect as root (ansible_user: root), or name another way (ansible_become_method: su)" + LEAVE_OUT,
)
INSTALL_PYTHON = (
    "Install it: ansible-playbook -i <inventory> trainyard.mlstack.bootstrap --limit {host}; playbooks cluster and site"
    " do so by themselves"
)
NO_PYTHON = Rule("python3", "without it no module can look at the host", INSTALL_PYTHON)
NO_PYTHON_IN_CHECK_MODE = Rule(
    "python3", "without it on the first control plane, check mode can foretell nothing of the cluster", INSTALL_PYTHON
)
NOT_REACHED = Rule(
    "connection",
    "every host of the run must be reached, with Python 3.8 or newer and the rights of root",
    "Put it right" + LEAVE_OUT,
)

# The first that matches tells; sudo speaks English because Ansible's own prompts need it to.
SIGNS: tuple[tuple[str, Rule], ...] = (
    (r"incorrect (sudo|become|\w+) password|sorry, try again|incorrect password attempt", WRONG_PASSWORD),
    (r"missing (sudo|become|\w+) password|a password is required|waiting for privilege escalation prompt", NO_PASSWORD),
    (r"not in the sudoers file|is not allowed to (execute|run)|may not run sudo|sorry, user", NO_RIGHTS),
    (r"sudo: (command )?not found|sudo: no such file|/sudo: not found|failed to find .*sudo", NO_SUDO),
    (
        r"python\S*: (command )?not found|no python interpreter|python\S*: no such file|interpreter.*not found"
        r"|failed to (find|create|discover).*python",
        NO_PYTHON,
    ),
)


def unreadable(host: str, error: str) -> Problem:
    """Return the problem of a host on which node_info gave no answer.

    error: what Ansible said, on one or more lines.
    """
    text = " ".join(error.split())
    rule = next((rule for sign, rule in SIGNS if re.search(sign, text, re.IGNORECASE)), NOT_REACHED)
    return rule.broken(text, host)
