# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bundle's containerd as a plain process, in a network of its own that the machine knows nothing of."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from tests.integration.support.processes import START_S, program
from tests.support.paths import bundle_dir

NAME, ADDRESS, ADDRESS_6 = "registry.example.test", "192.0.2.5", "fd00:20::5"
_CONFIG = """version = 4
root = '{root}'
state = '{folder}/state'
disabled_plugins = ['io.containerd.nri.v1.nri']
[plugins.'io.containerd.cri.v1.images'.registry]
  config_path = '{folder}/certs.d'
"""


class Place:
    """Namespaces with addresses that are nobody's, where programs run; all of them end with it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        (folder / "hosts").write_text(f"127.0.0.1 localhost\n{ADDRESS} {NAME}\n")
        setup = [
            "ip link set lo up",
            f"ip address add {ADDRESS}/32 dev lo",
            f"ip -6 address add {ADDRESS_6}/128 dev lo nodad",
            f"mount --bind {folder}/hosts /etc/hosts",
            f"touch {folder}/ready",
            "exec sleep infinity",
        ]
        # When the first process of a process namespace ends, the kernel ends all others in it.
        argv = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", "; ".join(setup)]
        self._process = subprocess.Popen(argv)
        self._await(folder / "ready")
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        self._inside = children[0]

    def argv(self, *command: str) -> list[str]:
        """Return the command that runs another one inside."""
        return ["nsenter", "--target", self._inside, "--net", "--mount", "--pid", *command]

    def start(self, name: str, *command: str) -> None:
        """Start a program inside; its output goes to a file."""
        with (self.folder / f"{name}.log").open("wb") as log:
            subprocess.Popen(self.argv(*command), stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program inside to its end."""
        return subprocess.run(
            self.argv(*command), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=120
        )

    def start_containerd(self, root: Path) -> None:
        """Start containerd with a root folder, and wait for it."""
        (self.folder / "config.toml").write_text(_CONFIG.format(root=root, folder=self.folder))
        path = f"PATH={bundle_dir()}/bin:{os.environ['PATH']}"
        containerd = str(bundle_dir() / "bin" / "containerd")
        self.start("containerd", "env", path, containerd, "-c", f"{self.folder}/config.toml", "-a", self.socket)
        self._await(Path(self.socket))
        end = time.monotonic() + START_S
        while self.ctr(["ls"])[0] != 0:
            assert time.monotonic() < end, (self.folder / "containerd.log").read_text()
            time.sleep(0.05)

    @property
    def socket(self) -> str:
        """Return the path of containerd's socket."""
        return f"{self.folder}/containerd.sock"

    def ctr(self, arguments: list[str]) -> tuple[int, str, str]:
        """Run `ctr images`, as module container_image does."""
        done = self.run(str(bundle_dir() / "bin/ctr"), "-a", self.socket, "-n", "k8s.io", "images", *arguments)
        return done.returncode, done.stdout, done.stderr

    def pull(self, ref: str) -> subprocess.CompletedProcess[str]:
        """Pull an image as the kubelet does."""
        endpoint = f"unix://{self.socket}"
        crictl = str(bundle_dir() / "bin/crictl")
        return self.run(crictl, "--runtime-endpoint", endpoint, "--image-endpoint", endpoint, "pull", ref)

    def start_registry(self, name: str, config: Path, port: int) -> None:
        """Start a registry inside, and wait until it listens."""
        self.start(name, program("registry"), "serve", str(config))
        end = time.monotonic() + START_S
        while self.run("sh", "-c", f"ss -ltn | grep -q ':{port} '").returncode != 0:
            assert time.monotonic() < end, (self.folder / f"{name}.log").read_text()
            time.sleep(0.05)

    def stop(self) -> None:
        """End everything inside."""
        self._process.kill()
        self._process.wait()

    def _await(self, path: Path) -> None:
        end = time.monotonic() + START_S
        while not path.exists():
            assert self._process.poll() is None, "the namespaces could not be made"
            assert time.monotonic() < end, f"{path} does not appear"
            time.sleep(0.02)
