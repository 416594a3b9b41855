# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a module as Ansible does, without a connection: arguments in, result out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

import pytest

ROOT = Path(__file__).parents[2]
LAUNCH = """
import importlib, sys
from ansible.module_utils import basic
basic._ANSIBLE_ARGS = sys.stdin.buffer.read()
basic._ANSIBLE_PROFILE = "legacy"
importlib.import_module("ansible_collections.trainyard.mlstack.plugins.modules." + sys.argv[1]).main()
"""


class RunModule(Protocol):
    """Call a module by its short name; `check` is check mode, the rest are its arguments."""

    def __call__(
        self, name: str, /, check: bool = ..., env: dict[str, str] | None = ..., **arguments: Any
    ) -> dict[str, Any]: ...


@pytest.fixture
def run_module() -> RunModule:
    """Return a function that runs a module in a process of its own and returns its result."""

    def run(name: str, /, check: bool = False, env: dict[str, str] | None = None, **arguments: Any) -> dict[str, Any]:
        given = json.dumps({"ANSIBLE_MODULE_ARGS": {**arguments, "_ansible_check_mode": check, "_ansible_diff": True}})
        path = {"PYTHONPATH": str(ROOT / ".ansible" / "collections"), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        done = subprocess.run(
            [sys.executable, "-c", LAUNCH, name],
            input=given,
            capture_output=True,
            text=True,
            check=False,
            env={**path, **(env or {})},
        )
        assert done.stdout.strip(), done.stderr
        return json.loads(done.stdout.strip().splitlines()[-1])

    return run
