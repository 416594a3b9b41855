"""A Debian 13 controller: a container with the system's Python and the newest ansible-core, beside the lab."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.machine import read
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.podman import Podman
from tests.support.paths import CACHE

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements.txt"
# How pip and apt reach their registries on this machine is handed on by name; values stay out of the command line.
HANDED_ON = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
RUN_SECONDS = 1200


@dataclass(frozen=True)
class Controller:
    """image: its podman image. source: a copy of the checkout, a git repository, on this machine."""

    image: str
    source: Path

    @property
    def environment(self) -> Path:
        """Return the Python environment, which is made once for each image and set of requirements."""
        text = self.image + REQUIREMENTS.read_text(encoding="utf-8")
        return CACHE / "debian13" / hashlib.sha256(text.encode()).hexdigest()[:12]

    def prepare(self) -> None:
        """Make the Python environment where it is not there."""
        done = self.environment / ".complete"
        if not done.exists():
            pip = f"{self.environment}/bin/pip install --quiet --disable-pip-version-check"
            self.run(f"python3 -m venv --clear {self.environment} && {pip} -r tests/debian13/requirements.txt")
            done.touch()

    def run(self, command: str, **environment: str) -> str:
        """Run a shell command in the copy of the checkout; return what it printed.

        Raises AssertionError with all of it when the command does not end with status 0.
        """
        # What a container may ask for here, and which runtime works, is the lab's knowledge.
        machine = read(Podman(_nothing), ())
        argv = ["podman", "run", "--rm", "--network", "host", "--runtime", machine.runtime]
        argv += [f"--ulimit={name}={limit}:{limit}" for name, limit in machine.limits.items()]
        argv += [f"--workdir={self.source}"]
        argv += [f"--volume={folder}:{folder}" for folder in (self.source, CACHE)]
        if Path("/etc/pip.conf").exists():
            argv += ["--volume=/etc/pip.conf:/etc/pip.conf:ro"]
        argv += [f"--env={name}" for name in os.environ if name.startswith(HANDED_ON)]
        whole = {"HOME": str(Path.home()), "LC_ALL": "C.UTF-8", "ANSIBLE_CONFIG": str(self.source / "ansible.cfg")}
        argv += [f"--env={name}={value}" for name, value in {**whole, **environment}.items()]
        script = f"PATH={self.environment}/bin:$PATH; {command}"
        done = subprocess.run(
            [*argv, self.image, "sh", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=RUN_SECONDS,
        )
        assert done.returncode == 0, f"{command} ended with status {done.returncode}:\n{done.stdout}"
        return done.stdout


def _nothing(_argv: list[str]) -> tuple[int, str, str]:
    """Stand in for podman, which is not asked which containers there are."""
    return 0, "[]", ""
