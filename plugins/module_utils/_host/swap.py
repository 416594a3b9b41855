# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No swap on a node, now and after a boot. Python 3.8, standard library only."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Dict, List

from .._common.command import Runner, must
from .._common.host import Host
from .._common.owned_files import FileChange, FileState, apply, read_state

FSTAB = "/etc/fstab"
MARK = "# swap is off (trainyard.mlstack): "
UNITS_MASKED = "/etc/systemd/system"
# Where units for swap come from besides fstab: partitions found by their type, compressed memory, hand-made units.
UNIT_FOLDERS = ("/run/systemd/generator", "/run/systemd/generator.late", UNITS_MASKED, "/lib/systemd/system")


@dataclass(frozen=True)
class SwapPlan:
    """What is to be done: areas to turn off, units to mask, and the change of fstab."""

    areas: List[str] = field(default_factory=list)
    units: List[str] = field(default_factory=list)
    fstab: List[FileChange] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Say whether there is no swap, now and after a boot."""
        return not (self.areas or self.units or self.fstab)

    def diff(self) -> List[Dict[str, str]]:
        """Return the change in the form that Ansible shows."""
        lines = [f"{area} in use" for area in self.areas] + [f"{unit} enabled" for unit in self.units]
        before = "".join(line + "\n" for line in lines)
        running = {"before": before, "after": "", "before_header": "swap", "after_header": "swap"}
        return [running] + [change.diff() for change in self.fstab]


def without_swap(fstab: str) -> str:
    """Return the text of fstab with its swap lines turned into comments; all else stays as it is."""
    lines = fstab.splitlines(keepends=True)
    return "".join(MARK + line if _is_swap(line) else line for line in lines)


def _is_swap(line: str) -> bool:
    fields = line.split()
    return len(fields) >= 3 and not fields[0].startswith("#") and fields[2] == "swap"


def make_plan(host: Host) -> SwapPlan:
    """Return what turns swap off for good."""
    table = (host.text_or_none("/proc/swaps") or "").splitlines()[1:]
    # The kernel writes a space in a path as \040.
    areas = [line.split()[0].replace("\\040", " ") for line in table]
    before = read_state(host.path(FSTAB))
    fstab = []
    if before is not None:
        after = FileState(without_swap(before.content), before.mode)
        if after != before:
            fstab.append(FileChange(host.path(FSTAB), before, after))
    return SwapPlan(areas, _units(host), fstab)


def _units(host: Host) -> List[str]:
    found = set()
    for folder in UNIT_FOLDERS:
        for name in host.names(folder):
            path = f"{folder}/{name}"
            # Units that systemd makes from fstab go with the line there.
            if name.endswith(".swap") and "SourcePath=/etc/fstab" not in (host.text_or_none(path) or ""):
                found.add(name)
    masked = {name for name in found if os.path.realpath(host.path(f"{UNITS_MASKED}/{name}")) == os.devnull}
    return sorted(found - masked)


def carry_out(run: Runner, plan: SwapPlan) -> None:
    """Do what the plan says; what a boot reads comes first. Raises CommandError."""
    apply(plan.fstab)
    if plan.units:
        must(run, ["systemctl", "mask"] + plan.units)
    if plan.fstab or plan.units:
        must(run, ["systemctl", "daemon-reload"])
    for area in plan.areas:
        must(run, ["swapoff", area])
