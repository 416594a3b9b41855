# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a module as Ansible does, without a connection: arguments in, result out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Iterator, Protocol

import pytest
from hypothesis import HealthCheck, settings

from tests.support.paths import ROOT

# A property holds or does not, however busy the machine is.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

MODULES = "ansible_collections.trainyard.mlstack.plugins.modules"
ENVIRONMENT = {"PYTHONPATH": str(ROOT / ".ansible" / "collections"), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
# Has in memory what the modules import, and forks for each run: what a start costs is paid once, and the state of one
# run is gone with its process. An import that fails is tried again in the child, which tells it as the module's error.
# The child does what a module leaves for its end and is gone: to free all it was born with took most of a run's time.
LAUNCHER = """
import atexit, contextlib, importlib, json, os, sys
from ansible.module_utils import basic

def leave():
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)

for line in sys.stdin:
    run = json.loads(line)
    with contextlib.suppress(Exception):
        importlib.import_module(run["module"])
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        print("ended", flush=True)
        continue
    for number, path in enumerate(run["streams"]):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
    os.environ.clear()
    os.environ.update(run["environment"])
    atexit.register(leave)
    basic._ANSIBLE_ARGS = run["arguments"].encode()
    basic._ANSIBLE_PROFILE = "legacy"
    importlib.import_module(run["module"]).main()
    break
"""


class RunModule(Protocol):
    """Call a module by its short name; `check` is check mode, the rest are its arguments."""

    def __call__(
        self, name: str, /, check: bool = ..., env: dict[str, str] | None = ..., **arguments: Any
    ) -> dict[str, Any]: ...


@pytest.fixture(scope="session", autouse=True)
def _only_named_authorities() -> Iterator[None]:
    """Trust whom a test names, not whom the machine does: each client would read the certificates of them all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", os.devnull)
        patch.setenv("SSL_CERT_DIR", os.devnull)
        yield


@pytest.fixture(scope="session")
def launcher() -> Iterator[subprocess.Popen[str]]:
    """The process that the runs of modules are children of."""
    command = [sys.executable, "-c", LAUNCHER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as started:
        yield started


@pytest.fixture
def run_module(launcher: subprocess.Popen[str], tmp_path_factory: pytest.TempPathFactory) -> RunModule:
    """Return a function that runs a module in a process of its own and returns its result."""
    stdout, stderr = (tmp_path_factory.getbasetemp() / f"module.{name}" for name in ("stdout", "stderr"))

    def run(name: str, /, check: bool = False, env: dict[str, str] | None = None, **arguments: Any) -> dict[str, Any]:
        given = json.dumps({"ANSIBLE_MODULE_ARGS": {**arguments, "_ansible_check_mode": check, "_ansible_diff": True}})
        order = {
            "module": f"{MODULES}.{name}",
            "arguments": given,
            "environment": {**ENVIRONMENT, **(env or {})},
            "streams": [os.devnull, str(stdout), str(stderr)],
        }
        assert launcher.stdin is not None
        assert launcher.stdout is not None
        print(json.dumps(order), file=launcher.stdin, flush=True)
        assert launcher.stdout.readline() == "ended\n"
        printed = stdout.read_text(encoding="utf-8").strip()
        assert printed, stderr.read_text(encoding="utf-8")
        result: dict[str, Any] = json.loads(printed.splitlines()[-1])
        return result

    return run
