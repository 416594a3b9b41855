# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of role lab: can this machine hold that lab. Pure."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from functools import partial
from typing import Callable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, TypeVar

from .._common.problem import Problem
from .machine import Machine
from .nodes import LabNetwork, container_name, shared_volume, volumes
from .podman import LABEL

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?")
# A socket's path may have 107 characters; ssh appends a name of 10 and, while it makes the socket, a suffix of 17.
_MAX_FOLDER = 107 - len("/ssh/") - 10 - 17


N = TypeVar("N")


class Wanted(NamedTuple):
    """The lab that is asked for.

    nodes: host name to address. folder: where its keys go, an absolute path. packages: needed program to its package.
    networks: all of them, that of the nodes' addresses first, and of its subnets the one of IPv4.
    """

    name: str
    folder: str
    nodes: Mapping[str, str]
    packages: Mapping[str, str]
    networks: Sequence[LabNetwork]

    @property
    def subnet(self) -> str:
        """Return that of the nodes' addresses; empty where there is no network."""
        return next((subnet for network in self.networks[:1] for subnet in network.subnets), "")


def checks(machine: Machine, wanted: Wanted) -> List[Problem]:
    """Return all that stands in the way of the lab."""
    network = _network(wanted.subnet, ipaddress.IPv4Network)
    return [
        *_names(wanted),
        *_root(machine),
        *_programs(machine, wanted),
        *_folder(wanted),
        *_no_networks(wanted),
        *(_addresses(wanted, network) if network else []),
        *_collisions(machine, wanted),
        *_strangers(machine, wanted),
    ]


def _network(text: str, kind: Callable[[str], N]) -> Optional[N]:
    try:
        return kind(text)
    except ValueError:
        return None


def _no_networks(wanted: Wanted) -> Iterator[Problem]:
    if not _network(wanted.subnet, ipaddress.IPv4Network):
        way_out = "Write it like 10.70.3.0/24, or leave it out"
        yield Problem("lab_subnet", wanted.subnet, "must be an IPv4 network", way_out)
    for network in wanted.networks:
        for subnet in network.subnets:
            if subnet != wanted.subnet and not _network(subnet, ipaddress.ip_network):
                way_out = "Write it like 10.70.3.0/24 or fd6c:70:3::/64, or leave it out"
                field = f"subnet of the lab's network {network.name}"
                yield Problem(field, subnet, "must be a network of IPv4 or IPv6", way_out)


def _names(wanted: Wanted) -> Iterator[Problem]:
    if not _NAME.fullmatch(wanted.name):
        yield Problem(
            "lab_name",
            repr(wanted.name),
            "must be 1 to 32 lower-case letters, digits and hyphens, with no hyphen at either end",
            "Choose such a name with -e lab_name=demo or MLSTACK_LAB=demo",
        )
    if not wanted.nodes:
        yield Problem(
            "inventory", "no host", "a lab needs one host at least", "Give an inventory: -i inventories/lab/hosts.ini"
        )
    for host in wanted.nodes:
        if not _HOST.fullmatch(host):
            yield Problem(
                "inventory host",
                host,
                "must be a host name",
                "Rename it with letters, digits, dots and hyphens",
            )


def _root(machine: Machine) -> Iterator[Problem]:
    if not machine.root:
        yield Problem(
            "user",
            "not root",
            "the lab's containers have kernel rights that only root can give",
            "Run as root, with sudo -H for example",
        )


def _programs(machine: Machine, wanted: Wanted) -> Iterator[Problem]:
    missing = machine.missing(wanted.packages)
    if missing and "apt-get" not in machine.commands:
        yield Problem(
            "programs",
            "without " + ", ".join(sorted(missing)),
            "must be installed, and this machine has no apt-get to do it with",
            "Install them by hand",
        )


def _folder(wanted: Wanted) -> Iterator[Problem]:
    if len(wanted.folder) > _MAX_FOLDER:
        yield Problem(
            "lab_dir",
            wanted.folder,
            f"must have {_MAX_FOLDER} characters at most, or ssh cannot make its sockets in it",
            "Choose a shorter lab_name, or a shorter folder in mlstack_cache_dir",
        )


def _addresses(wanted: Wanted, network: ipaddress.IPv4Network) -> Iterator[Problem]:
    counts = Counter(wanted.nodes.values())
    for host, address in wanted.nodes.items():
        rule = _address_rule(address, network)
        if rule:
            yield Problem(
                "ansible_host", address, rule, "Give the host a lab_host of its own, from 2 to 254", host=host
            )
        elif counts[address] > 1:
            others = ", ".join(other for other in wanted.nodes if wanted.nodes[other] == address and other != host)
            yield Problem(
                "ansible_host",
                address,
                f"is the address of {others} too",
                "Give each host a lab_host of its own",
                host=host,
            )


def _address_rule(address: str, network: ipaddress.IPv4Network) -> str:
    try:
        parsed = ipaddress.IPv4Address(address)
    except ValueError:
        return "must be an IPv4 address"
    first, last = network.network_address + 2, network.broadcast_address - 1
    return "" if first <= parsed <= last else f"must lie in the lab's network {network}, from {first} to {last}"


def _collisions(machine: Machine, wanted: Wanted) -> Iterator[Problem]:
    for network in wanted.networks:
        own = [item for item in machine.networks if item.name == network.name and item.lab == wanted.name]
        if own and set(own[0].subnets) != set(network.subnets):
            yield Problem(
                "lab_subnet",
                ", ".join(network.subnets),
                f"the lab has the network {', '.join(own[0].subnets)} already",
                f"Take it down first (playbooks/lab_down.yml -e lab_name={wanted.name}), or ask for that network",
            )
        for subnet in filter(partial(_network, kind=ipaddress.ip_network), network.subnets):
            for user in _users(machine, subnet, skip=[item.interface for item in own], own=network.name):
                yield Problem(
                    "lab_subnet",
                    subnet,
                    f"is in use on this machine by {user}",
                    "Choose another lab_name, or a free network with -e lab_subnet=172.29.7.0/24",
                )


def _users(machine: Machine, subnet: str, skip: Sequence[str], own: str) -> Iterator[str]:
    known = list(skip)
    for item in machine.networks:
        if item.name != own and any(_overlaps(subnet, other) for other in item.subnets):
            known.append(item.interface)
            yield f"podman's network {item.name}"
    for route in machine.routes:
        if route.interface not in known and _overlaps(subnet, route.network):
            yield f"the route {route.network} over {route.interface}"


def _overlaps(one: str, other: str) -> bool:
    return ipaddress.ip_network(one).overlaps(ipaddress.ip_network(other, strict=False))


def _strangers(machine: Machine, wanted: Wanted) -> Iterator[Problem]:
    """Refuse to touch what has a name of ours but was not made by this lab."""
    containers = {container_name(wanted.name, host) for host in wanted.nodes}
    places = {shared_volume(wanted.name)} | {name for host in wanted.nodes for name in volumes(wanted.name, host)}
    names = {network.name for network in wanted.networks}
    taken = [
        *(
            ("container", item.name)
            for item in machine.containers
            if item.name in containers and item.lab != wanted.name
        ),
        *(("network", item.name) for item in machine.networks if item.name in names and item.lab != wanted.name),
        *(("volume", item.name) for item in machine.volumes if item.name in places and item.lab != wanted.name),
    ]
    for kind, name in taken:
        yield Problem(
            f"podman {kind}",
            name,
            f"has no label {LABEL}={wanted.name}, so it is not this lab's",
            f"Choose another lab_name, or remove it: podman {kind} rm {name}",
        )
