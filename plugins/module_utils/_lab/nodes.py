# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a lab: what podman is told for each, and what must be done to get there. Pure."""

from __future__ import annotations

import hashlib
import ipaddress
import json
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .podman import LABEL, SPEC_LABEL, Container

# overlayfs cannot lie on overlayfs: what containerd, kubelet and etcd write needs a real file system below.
_VOLUMES = {"containerd": "/var/lib/containerd", "kubelet": "/var/lib/kubelet", "etcd": "/var/lib/etcd"}
# All nodes of all labs share the machine's: a node takes about 30, and the usual limit for the machine is 128.
MACHINE_SETTINGS = {"/proc/sys/fs/inotify/max_user_instances": 8192}
_STARTABLE = ("created", "configured", "initialized", "exited", "stopped")

KEEP, START, CREATE, REPLACE = "unchanged", "started", "created", "replaced"


class LabNetwork(NamedTuple):
    """A network of a lab, on which each node has a card.

    subnets: as text, one for each IP version. default_route: whether it is the way to everywhere else.
    """

    name: str
    subnets: Tuple[str, ...]
    default_route: bool


class Lab(NamedTuple):
    """What all nodes of a lab have in common.

    runtime: crun or runc. limits: name to number of those that podman must not exceed.
    kernel_modules: whether to show the nodes the kernel's modules. shared_path: the folder that all nodes share.
    networks: the first one is that by which SSH comes; a node's address has the same number in all of them.
    shown: folders of the machine that the nodes see at the same place, and cannot write to.
    """

    name: str
    image: str
    runtime: str
    limits: Mapping[str, int]
    kernel_modules: bool
    shared_path: str
    networks: Tuple[LabNetwork, ...]
    shown: Tuple[str, ...] = ()


def networks(rows: Sequence[Mapping[str, Any]]) -> Tuple[LabNetwork, ...]:
    """Return the networks that an option describes, each with `name`, `subnets` and `default_route`."""
    return tuple(LabNetwork(row["name"], tuple(row["subnets"]), bool(row["default_route"])) for row in rows)


def cards_without_default_route(lab: Lab) -> List[str]:
    """Return the names of those cards of a node."""
    return [card(place) for place, network in enumerate(lab.networks) if not network.default_route]


def card(place: int) -> str:
    """Return the name of a node's card on the network at this place."""
    return f"eth{place}"


def container_name(lab: str, host: str) -> str:
    """Return the container's name of this host."""
    return f"{lab}-{host}"


def shared_volume(lab: str) -> str:
    """Return the name of the volume that all nodes share."""
    return f"{lab}-shared"


def volumes(lab: str, host: str) -> Dict[str, str]:
    """Return the host's own volumes: name to folder in the node."""
    return {f"{container_name(lab, host)}-{name}": path for name, path in _VOLUMES.items()}


def run_argv(lab: Lab, host: str, address: str) -> List[str]:
    """Return the arguments that make podman create and start the node."""
    argv = _options(lab, host, address)
    spec = hashlib.sha256(json.dumps(argv).encode()).hexdigest()
    return ["run", "--detach", "--label", f"{SPEC_LABEL}={spec}", *argv]


def spec_of(argv: Sequence[str]) -> str:
    """Return the sum that run_argv put in: it stands for image and flags."""
    return next(item.split("=", 1)[1] for item in argv if item.startswith(f"{SPEC_LABEL}="))


def _cards(lab: Lab, address: str) -> List[str]:
    """Return the options that give a node its cards: eth0 on the first network, eth1 on the second one."""
    first = ipaddress.ip_network(lab.networks[0].subnets[0])
    number = int(ipaddress.ip_address(address)) - int(first.network_address)
    argv = []
    for place, network in enumerate(lab.networks):
        own = [ipaddress.ip_network(subnet).network_address + number for subnet in network.subnets]
        # Without a fixed address a restarted node gets another one, and its control plane is dead; with another card
        # the neighbours would send to the old one for half a minute, as they would not with a machine.
        parts = [f"ip={ip}" for ip in own] + [f"mac={_mac(place, own[0])}", f"interface_name={card(place)}"]
        argv += ["--network", f"{network.name}:{','.join(parts)}"]
    return argv


def _mac(place: int, ip: Union[ipaddress.IPv4Address, ipaddress.IPv6Address]) -> str:
    """Return a card's own address: one that is given out locally, its place, and the end of its IP address."""
    return ":".join(f"{byte:02x}" for byte in (0x02, place, *ip.packed[-4:]))


def _boot(lab: Lab) -> List[str]:
    """Return what lets systemd run in a node."""
    if lab.runtime == "crun":
        return ["--systemd", "always"]
    # With older cgroups podman then shows all nodes the machine's own tree, in which each systemd and each kubelet
    # takes the groups of the others for leftovers and removes them. So they get the rest of it one by one.
    tmpfs = [word for folder in ("/run", "/run/lock", "/tmp") for word in ("--tmpfs", folder)]
    return ["--systemd", "false", "--stop-signal", "SIGRTMIN+3", *tmpfs]


def _options(lab: Lab, host: str, address: str) -> List[str]:
    mounts = {shared_volume(lab.name): lab.shared_path, **volumes(lab.name, host)}
    argv = [
        "--name", container_name(lab.name, host),
        "--hostname", host,
        "--label", f"{LABEL}={lab.name}",
        "--runtime", lab.runtime,
        *_cards(lab, address),
        # podman's /etc/hosts is a bind mount, which no tool in the node could replace.
        "--no-hosts",
        "--privileged",
        *_boot(lab),
        # Pods make cgroups of their own; in the machine's tree they would not find their parents.
        "--cgroupns", "private",
        "--pids-limit", "-1",
    ]
    for name, path in mounts.items():
        argv += ["--volume", f"{name}:{path}"]
    for folder in (*lab.shown, *(["/lib/modules"] if lab.kernel_modules else [])):
        argv += ["--volume", f"{folder}:{folder}:ro"]
    for name, number in sorted(lab.limits.items()):
        argv += ["--ulimit", f"{name}={number}:{number}"]
    return [*argv, lab.image, "/sbin/init"]


def step(container: Optional[Container], spec: str) -> str:
    """Return what must be done for one node: KEEP, START, CREATE or REPLACE.

    container: the one that has the node's name now, if any. spec: what it should have been made from.
    """
    if container is None:
        return CREATE
    if container.spec != spec or container.state not in ("running",) + _STARTABLE:
        return REPLACE
    return KEEP if container.state == "running" else START


def describe(steps: Mapping[str, str], settings: Mapping[str, int], before: bool) -> str:
    """Return one side of a diff: a line for each node's step and for each of the machine's settings.

    settings: those that must be raised, file to the number it has now.
    """
    words = {
        KEEP: ("running", "running"),
        START: ("stopped", "running"),
        CREATE: ("absent", "running"),
        REPLACE: ("made from another image or with other flags", "running"),
    }
    lines = [f"{name}: {words[word][0 if before else 1]}\n" for name, word in sorted(steps.items())]
    lines += [f"{path}: {number if before else MACHINE_SETTINGS[path]}\n" for path, number in sorted(settings.items())]
    return "".join(lines)
