# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes and removes what a lab consists of, node by node at the same time."""

from __future__ import annotations

import socket
import time
from typing import Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence

from .._common.parallel import each
from .nodes import (
    CREATE,
    KEEP,
    MACHINE_SETTINGS,
    REPLACE,
    START,
    Lab,
    LabNetwork,
    cards_without_default_route,
    container_name,
    run_argv,
    shared_volume,
    spec_of,
    step,
    volumes,
)
from .podman import LABEL, Podman

_POLL_SECONDS = 0.2
_NOT_BOOTED = 75
# Lets the key in ($2 is write), or only tells whether it is in; then prints the host's own keys.
# A cloud's first boot gives a host its name in /etc/hosts; nothing else here would.
# podman gives every card a default route; the cards named in $3 shall have none. Those of IPv6 are one route of several
# gateways: without its gateway a card takes the others' with it.
_PREPARE = rf"""
case "$(systemctl is-system-running 2>/dev/null)" in running|degraded) ;; *) exit {_NOT_BOOTED} ;; esac
file=/root/.ssh/authorized_keys
if grep -qsxF "$1" $file; then echo known; else echo new; fi
if [ "$2" = write ]; then
  umask 077
  mkdir -p /root/.ssh
  grep -qsxF "$1" $file || echo "$1" >> $file
  grep -q '^127[.]0[.]1[.]1' /etc/hosts || echo "127.0.1.1 $(uname -n)" >> /etc/hosts
  for card in $3; do
    ip route del default dev "$card" 2>/dev/null
    for gateway in $(ip -6 route show default | sed -n "s/.*via \([^ ]*\) dev $card .*/\1/p"); do
      ip -6 route del default via "$gateway" dev "$card"
    done
  done
fi
cat /etc/ssh/ssh_host_*_key.pub
"""


class NodeError(Exception):
    """A node does not come up; the text says which and why."""


class Access(NamedTuple):
    """How a node is reached. new: whether it did not know our key. host_keys: lines of its public key files."""

    new: bool
    host_keys: List[str]


class Keeper:
    """Makes the nodes of one lab.

    nodes: host name to address. timeout: seconds until SSH answers in a node.
    settings: file of a kernel setting of this machine to the least number that all its nodes need; the usual ones by
    default.
    """

    def __init__(
        self,
        podman: Podman,
        lab: Lab,
        nodes: Mapping[str, str],
        timeout: float,
        settings: Optional[Mapping[str, int]] = None,
    ) -> None:
        self._podman, self._lab, self._nodes, self._timeout = podman, lab, nodes, timeout
        self._settings = MACHINE_SETTINGS if settings is None else settings
        self._containers = {item.name: item for item in podman.containers()}
        self._volumes = {item.name for item in podman.volumes()}

    def settings_too_low(self) -> Dict[str, int]:
        """Return those of the machine's settings that must be raised, file to the number it has now."""
        now = {path: int(_read(path)) for path in self._settings}
        return {path: number for path, number in now.items() if number < self._settings[path]}

    def raise_settings(self, paths: Iterable[str]) -> None:
        """Raise these settings until the machine restarts."""
        for path in paths:
            with open(path, "w", encoding="ascii") as handle:
                handle.write(f"{self._settings[path]}\n")

    def networks_missing(self) -> List[LabNetwork]:
        """Return those of the lab's networks that must be made."""
        there = {item.name for item in self._podman.networks()}
        return [network for network in self._lab.networks if network.name not in there]

    def make_networks(self, missing: Iterable[LabNetwork]) -> None:
        """Make these networks."""
        for network in missing:
            # With podman's own name server in the network the nodes would ask it, and pods could not reach it.
            argv = ["network", "create", "--disable-dns", "--label", f"{LABEL}={self._lab.name}"]
            for subnet in network.subnets:
                argv += ["--subnet", subnet]
            argv += ["--ipv6"] if any(":" in subnet for subnet in network.subnets) else []
            self._podman.call(*argv, network.name)

    def steps(self) -> Dict[str, str]:
        """Return what must be done for each host."""
        return {
            host: step(
                self._containers.get(container_name(self._lab.name, host)), spec_of(run_argv(self._lab, host, address))
            )
            for host, address in self._nodes.items()
        }

    def make(self, steps: Mapping[str, str], public_key: str) -> Dict[str, Access]:
        """Take these steps, let the owner of the key in, and return how each host is reached."""
        self._make_volume(shared_volume(self._lab.name))

        def one(host: str) -> Access:
            if steps[host] in (CREATE, REPLACE):
                self._create(host)
            elif steps[host] == START:
                self._podman.call("start", container_name(self._lab.name, host))
            return self._wait(host, public_key)

        return dict(zip(steps, each(one, steps)))

    def look(self, steps: Mapping[str, str], public_key: str) -> Dict[str, Access]:
        """Return how each host is reached that needs no step, and change nothing."""
        running = [host for host in steps if steps[host] == KEEP]
        answers = each(lambda host: self._prepare(host, public_key, "read"), running)
        return {host: answer for host, answer in zip(running, answers) if answer}

    def _create(self, host: str) -> None:
        name = container_name(self._lab.name, host)
        if name in self._containers:
            self._podman.remove_containers([name])
        own = volumes(self._lab.name, host)
        # What an earlier container left would make the new node half a member of a cluster that is gone.
        self._podman.remove_volumes([volume for volume in own if volume in self._volumes])
        self._volumes -= set(own)
        for volume in own:
            self._make_volume(volume)
        self._podman.call(*run_argv(self._lab, host, self._nodes[host]))

    def _make_volume(self, name: str) -> None:
        if name not in self._volumes:
            self._podman.call("volume", "create", "--label", f"{LABEL}={self._lab.name}", name)

    def _wait(self, host: str, public_key: str) -> Access:
        deadline = time.monotonic() + self._timeout
        while time.monotonic() < deadline:
            access = self._prepare(host, public_key, "write")
            if access and _ssh_answers(self._nodes[host]):
                return access
            time.sleep(_POLL_SECONDS)
        name = container_name(self._lab.name, host)
        last = self._podman.call("logs", "--tail", "5", name).strip()
        raise NodeError(
            f"{host}: SSH does not answer after {self._timeout:.0f} s. Last lines of `podman logs {name}`:\n{last}\n"
        )

    def _prepare(self, host: str, public_key: str, mode: str) -> Access | None:
        cards = " ".join(cards_without_default_route(self._lab))
        status, out = self._podman.status(
            "exec", container_name(self._lab.name, host), "sh", "-c", _PREPARE, "sh", public_key, mode, cards
        )
        if status != 0:
            return None
        lines = out.splitlines()
        return Access(lines[0] == "new", [" ".join(line.split()[:2]) for line in lines[1:]])


def _read(path: str) -> str:
    with open(path, encoding="ascii") as handle:
        return handle.read()


def _ssh_answers(address: str) -> bool:
    try:
        with socket.create_connection((address, 22), timeout=2) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def remove(podman: Podman, name: str, really: bool) -> List[str]:
    """Remove all that carries the lab's label and return it as lines. really: false only looks."""
    containers = [item.name for item in podman.containers() if item.lab == name]
    found = [item.name for item in podman.volumes() if item.lab == name]
    networks = [item.name for item in podman.networks() if item.lab == name]
    if really:
        podman.remove_containers(containers)
        podman.remove_volumes(found)
        podman.remove_networks(networks)
    return [*_lines("container", containers), *_lines("volume", found), *_lines("network", networks)]


def _lines(kind: str, names: Sequence[str]) -> List[str]:
    return [f"{kind} {name}" for name in names]
