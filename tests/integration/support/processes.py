# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of the bundle as plain processes that end with the test session."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Callable, Iterator

from tests.support.paths import bundle_dir

# Ready in 3 s on an idle machine; CI shares its two cores with a lab.
START_S = 90.0
_PR_SET_PDEATHSIG = 1
_FIRST_PORT, _PORTS_OF_A_WORKER = 20000, 2000


def program(name: str) -> str:
    """Return the path of a program for tests; without it the test fails, for a tier that skips proves nothing."""
    path = Path(f"{bundle_dir()}-tests") / "bin" / name
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} does not exist. Run `make bundle` first: it builds the programs that the API tier needs."
        )
    return str(path)


def _ports() -> Iterator[int]:
    """Yield ports in turn, below those that the kernel gives to connections; each worker of xdist has its own."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    first = _FIRST_PORT + _PORTS_OF_A_WORKER * worker
    return itertools.cycle(range(first, first + _PORTS_OF_A_WORKER))


_PORTS = _ports()


def free_port() -> int:
    """Return a port that nobody listens on, and that nobody else is given soon."""
    while True:
        port = next(_PORTS)
        with socket.socket() as server, contextlib.suppress(OSError):
            server.bind(("127.0.0.1", port))
            return port


def _die_with_parent() -> None:
    """A killed pytest must not leave an API server behind."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """One running program; its output goes to a file that a failure quotes. path: of one that is not of the bundle."""

    def __init__(
        self, name: str, arguments: list[str], folder: Path, env: dict[str, str] | None = None, path: Path | None = None
    ) -> None:
        self.name = name
        self._log = folder / f"{name}.log"
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                [str(path or program(name)), *arguments],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})},
                preexec_fn=_die_with_parent,
            )

    def until(self, ready: Callable[[], bool]) -> None:
        """Return when the program is ready; fail with its last lines when it ends or takes too long."""
        end = time.monotonic() + START_S
        while not ready():
            if self._process.poll() is not None or time.monotonic() > end:
                lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
                raise RuntimeError("\n".join([f"{self.name} is not ready (status {self._process.poll()}):", *lines]))
            time.sleep(0.05)

    def pause(self) -> None:
        """Let the program do nothing from now on."""
        self._process.send_signal(signal.SIGSTOP)

    def stop(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.wait()
