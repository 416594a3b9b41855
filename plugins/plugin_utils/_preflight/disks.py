# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Room on the disks of a host that is not yet a node: for what is installed, above what the kubelet calls pressure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from ...module_utils._common.problem import Problem, Rule
from ...module_utils._kube.quantity import parse

MIB = 2**20
# The kubelet's own defaults of evictionHard; a node below them is tainted and its pods are evicted.
EVICTION = {
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
    "imagefs.inodesFree": "5%",
}

SPACE = Rule(
    "free disk at {folder}",
    "{need} MiB for the installation and {pressure} MiB that the kubelet wants to stay free (evictionHard) must be"
    " there",
    "Free some, or give the file system more; preflight_min_disk_mb and kubernetes_kubelet_settings.evictionHard set"
    " the two",
)
INODES = Rule(
    "free inodes at {folder}",
    "{need} for the installation and {pressure} that the kubelet wants to stay free (evictionHard) must be there",
    "Remove small files (df -i shows the file system), or make it anew with more inodes (mkfs -i)",
)


class Folder(NamedTuple):
    """What a folder is for: least room in MiB, least inodes, and the kubelet's name of its file system."""

    space: int
    inodes: int
    kubelet: str = ""


# Where an installation writes, besides the images. `~` is the home of the user who connects: files travel through it.
FOLDERS = {
    "/": Folder(1024, 10000),
    "/tmp": Folder(64, 1000),
    "~": Folder(1024, 100),
    "/var/lib": Folder(512, 5000),
    "/var/lib/kubelet": Folder(512, 5000, "nodefs"),
    "/var/lib/etcd": Folder(1024, 100),
}
IMAGES = "/var/lib/containerd"


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the disks, one problem for each file system and kind; an unknown one is not judged.

    facts: what node_info read there.
    options: `min_disk_mb` and `min_inodes` (for the images and all that is unpacked from them), `control_plane`, and
        `kubelet_settings`, whose evictionHard wins over the kubelet's defaults.
    """
    # The images of a finished installation are what fills the disk of a node, and the kubelet looks after them.
    if (facts["kubernetes"] or {}).get("kubelet_conf"):
        return []
    folders = {**FOLDERS, IMAGES: Folder(options["min_disk_mb"], options["min_inodes"], "imagefs")}
    if not options["control_plane"]:
        del folders["/var/lib/etcd"]
    thresholds = _thresholds(options["kubelet_settings"])
    problems = []
    for shared in _by_device(facts["disks"], list(folders)).values():
        disk = facts["disks"][shared[0]]
        folder = max(shared, key=lambda name: folders[name].space)
        kinds = [folders[name].kubelet for name in shared]
        need = folders[folder].space
        pressure = max(_amount(thresholds.get(f"{kind}.available"), disk["size_mb"], MIB) for kind in kinds)
        if disk["free_mb"] < need + pressure:
            value = f"{disk['free_mb']} of {disk['size_mb']} MiB"
            problems.append(SPACE.broken(value, folder=folder, need=need, pressure=pressure))
        need = max(folders[name].inodes for name in shared)
        pressure = max(_amount(thresholds.get(f"{kind}.inodesFree"), disk["inodes"], 1) for kind in kinds)
        # Some file systems, such as btrfs, have no fixed number and report none.
        if disk["inodes"] and disk["inodes_free"] < need + pressure:
            value = f"{disk['inodes_free']} of {disk['inodes']}"
            problems.append(INODES.broken(value, folder=folder, need=need, pressure=pressure))
    return problems


def _by_device(disks: Mapping[str, Optional[Mapping[str, Any]]], folders: List[str]) -> Dict[Any, List[str]]:
    """Return the folders that could be read, those on one file system together."""
    found: Dict[Any, List[str]] = {}
    for folder in folders:
        disk = disks.get(folder)
        if disk is not None:
            found.setdefault(disk.get("device", folder), []).append(folder)
    return found


def _thresholds(settings: Mapping[str, Any]) -> Dict[str, str]:
    """Return what the kubelet will use: a given evictionHard replaces all of its defaults, unless they are merged."""
    given = settings.get("evictionHard")
    if given is None:
        return dict(EVICTION)
    merge = settings.get("mergeDefaultEvictionSettings")
    return {**(EVICTION if merge else {}), **{name: str(value) for name, value in given.items()}}


def _amount(threshold: Optional[str], whole: int, unit: int) -> int:
    """Return a threshold, a percentage of the whole or a quantity, in units; one that cannot be read is none."""
    if threshold is None:
        return 0
    try:
        if threshold.endswith("%"):
            return int(whole * float(threshold[:-1]) / 100)
        return int(parse(threshold) / unit)
    except ValueError:
        return 0
