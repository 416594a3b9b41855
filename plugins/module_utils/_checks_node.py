# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of one host before role `node` prepares it."""

from __future__ import annotations

import re
from typing import Any, List, Mapping, Optional, Tuple

from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem

SUPPORTED = {"debian": ("12", "13"), "ubuntu": ("22.04", "24.04", "26.04")}
MIN_KERNEL = (4, 19)
MIN_PYTHON = (3, 8)
# A certificate made on one node is refused on another whose clock is further behind than kubeadm dates it back.
MAX_CLOCK_DIFFERENCE = 300


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the host; what node_info could not read (None) is not judged.

    facts: what node_info read there.
    options: `arch`, the architecture of the bundle (empty: not judged), and `now`, the controller's clock.
    """
    found = [
        _distribution(facts),
        _architecture(facts, str(options["arch"])),
        _at_least("kernel", facts["kernel"], MIN_KERNEL, "Boot a newer kernel"),
        _at_least("python", facts["python"], MIN_PYTHON, "Install a newer python3"),
        _systemd(facts),
        _address(facts),
        _clock(facts, float(options["now"])),
    ]
    return [problem for problem in found if problem] + _modules(facts)


def _distribution(facts: Mapping[str, Any]) -> Optional[Problem]:
    name, version = facts["distribution"], facts["distribution_version"]
    if name is None or version in SUPPORTED.get(name, ()):
        return None
    known = "; ".join(f"{distribution} {', '.join(versions)}" for distribution, versions in SUPPORTED.items())
    return Problem(
        "distribution",
        f"{name} {version}",
        f"these are supported: {known}",
        "Install one of them, or take the host out of the inventory",
    )


def _architecture(facts: Mapping[str, Any], arch: str) -> Optional[Problem]:
    if not arch or facts["arch"] == arch:
        return None
    return Problem(
        "architecture",
        str(facts["architecture"]),
        f"the bundle holds programs for {arch}",
        "Make a bundle for this architecture and name it in mlstack_bundle_dir, or take the host out of the inventory",
    )


def version(text: Optional[str]) -> Optional[Tuple[int, ...]]:
    """Return the numbers at the start of a version, or None when there is none."""
    found = re.match(r"v?(\d+(?:\.\d+)*)", text or "")
    return tuple(int(part) for part in found.group(1).split(".")) if found else None


def _at_least(field: str, found: Optional[str], least: Tuple[int, ...], way_out: str) -> Optional[Problem]:
    number = version(found)
    if number is None or number >= least:
        return None
    return Problem(field, str(found), f"it must be at least {'.'.join(str(part) for part in least)}", way_out)


def _systemd(facts: Mapping[str, Any]) -> Optional[Problem]:
    if facts["systemd"]:
        return None
    rule = "containerd and kubelet run as systemd services"
    return Problem("systemd", "not running", rule, "Boot the host with systemd as process 1")


def _address(facts: Mapping[str, Any]) -> Optional[Problem]:
    address, own = facts["address"], facts["addresses"]
    if not address:
        rule = "the host has no default route that would tell its address"
        return Problem("mlstack_node_ip", "none", rule, "Set mlstack_node_ip for it")
    if own is not None and address not in own:
        return Problem(
            "mlstack_node_ip",
            address,
            f"it must be an address of the host, which has {', '.join(own)}",
            "Correct mlstack_node_ip; where SSH goes is ansible_host and may differ",
        )
    return None


def _clock(facts: Mapping[str, Any], now: float) -> Optional[Problem]:
    difference = round(facts["clock"] - now)
    if abs(difference) <= MAX_CLOCK_DIFFERENCE:
        return None
    return Problem(
        "clock",
        f"{abs(difference)} s {'ahead of' if difference > 0 else 'behind'} the controller",
        f"clocks may differ by {MAX_CLOCK_DIFFERENCE} s, or certificates are not valid yet",
        "Set it (timedatectl set-time), and set that of the controller if all hosts differ",
    )


def _modules(facts: Mapping[str, Any]) -> List[Problem]:
    return [
        Problem(
            f"kernel module {name}",
            "absent",
            "pods and their network need it",
            "Boot the distribution's own kernel; in a container, load it on the machine below",
        )
        for name, state in sorted(facts["modules"].items())
        if state == "absent"
    ]
