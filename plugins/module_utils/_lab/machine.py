# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What role lab must know of the machine that runs it. Reads only."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import struct
from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple

from .podman import Container, Network, Podman, Volume

_CAP_SYS_RESOURCE = 24
# Where distributions put netavark, which is not on PATH: podman's own list.
_LIBEXEC = ("/usr/local/libexec/podman", "/usr/local/lib/podman", "/usr/libexec/podman", "/usr/lib/podman")


class Route(NamedTuple):
    """A network that this machine reaches. network: text like 10.0.0.0/8."""

    network: str
    interface: str


class Machine(NamedTuple):
    """The machine.

    root: whether we run as root. cgroup: `unified` (v2) or `legacy` (v1 and hybrid).
    limits: the limits that a container cannot exceed here, name to number; empty when it may get what podman gives.
    kernel_modules: whether the kernel's modules lie in /lib/modules.
    commands: the programs that were looked for and are there.
    """

    root: bool
    cgroup: str
    limits: Dict[str, int]
    kernel_modules: bool
    commands: Tuple[str, ...]
    routes: Tuple[Route, ...]
    containers: Tuple[Container, ...]
    networks: Tuple[Network, ...]
    volumes: Tuple[Volume, ...]

    @property
    def runtime(self) -> str:
        """Return the container runtime that works here: crun refuses the older cgroups."""
        return "crun" if self.cgroup == "unified" else "runc"

    def missing(self, packages: Mapping[str, str]) -> Dict[str, str]:
        """Return those of packages (program to package) whose program is not there, the runtime's among them."""
        wanted = {**packages, self.runtime: self.runtime}
        return {program: package for program, package in wanted.items() if program not in self.commands}


def read(podman: Podman, commands: Sequence[str]) -> Machine:
    """Read the machine. commands: the programs to look for."""
    there = tuple(name for name in (*commands, "apt-get", "crun", "runc") if _find(name))
    # podman decides for good at its first start how it makes networks: it must find netavark then.
    usable = {"podman", "netavark"} <= set(there)
    return Machine(
        root=os.geteuid() == 0,
        cgroup="unified" if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "legacy",
        limits={} if _may_raise_limits(_read_text("/proc/self/status")) else _hard_limits(),
        kernel_modules=os.path.isdir("/lib/modules"),
        commands=there,
        routes=parse_routes(_read_text("/proc/net/route")),
        containers=tuple(podman.containers()) if usable else (),
        networks=tuple(podman.networks()) if usable else (),
        volumes=tuple(podman.volumes()) if usable else (),
    )


def _find(name: str) -> bool:
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin", *_LIBEXEC])
    return shutil.which(name, path=path) is not None


def _read_text(path: str) -> str:
    with open(path, encoding="utf-8") as handle:
        return handle.read()


def _may_raise_limits(status: str) -> bool:
    values = [line.split()[1] for line in status.splitlines() if line.startswith("CapEff:")]
    return bool(values) and bool(int(values[0], 16) >> _CAP_SYS_RESOURCE & 1)


def _hard_limits() -> Dict[str, int]:
    # podman lowers its own count of processes to the highest process number, and what it starts cannot go above that.
    processes = int(_read_text("/proc/sys/kernel/pid_max"))
    hard = {
        "nofile": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        "nproc": resource.getrlimit(resource.RLIMIT_NPROC)[1],
    }
    most = {"nofile": hard["nofile"], "nproc": processes if hard["nproc"] < 0 else min(hard["nproc"], processes)}
    return {name: number for name, number in most.items() if number >= 0}


def parse_routes(text: str) -> Tuple[Route, ...]:
    """Return the routes of /proc/net/route but the default ones."""
    routes: List[Route] = []
    for line in text.splitlines()[1:]:
        fields = line.split()
        mask = int(fields[7], 16)
        if mask:
            routes.append(Route(f"{_dotted(fields[1])}/{bin(mask).count('1')}", fields[0]))
    return tuple(routes)


def _dotted(number: str) -> str:
    return socket.inet_ntoa(struct.pack("=I", int(number, 16)))
