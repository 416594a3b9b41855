# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One host before role `node` prepares it."""

from __future__ import annotations

import re
from typing import Any, List, Mapping, Optional, Tuple

from ...module_utils._common.problem import Problem, Rule

SUPPORTED = {"debian": ("12", "13"), "ubuntu": ("22.04", "24.04", "26.04")}
MIN_KERNEL = (4, 19)
MIN_PYTHON = (3, 8)

DISTRIBUTION = Rule(
    "distribution", "these are supported: {known}", "Install one of them, or take the host out of the inventory"
)
ARCHITECTURE = Rule(
    "architecture",
    "the bundle holds programs for {arch}",
    "Make a bundle for this architecture and name it in mlstack_bundle_dir, or take the host out of the inventory",
)
KERNEL = Rule("kernel", "it must be at least {least}", "Boot a newer kernel")
PYTHON = Rule("python", "it must be at least {least}", "Install a newer python3")
SYSTEMD = Rule("systemd", "containerd and kubelet run as systemd services", "Boot the host with systemd as process 1")
NO_ADDRESS = Rule(
    "mlstack_node_ip", "the host has no default route that would tell its address", "Set mlstack_node_ip for it"
)
FOREIGN_ADDRESS = Rule(
    "mlstack_node_ip",
    "it must be an address of the host, which has {own}",
    "Correct mlstack_node_ip; where SSH goes is ansible_host and may differ",
)
MODULE = Rule(
    "kernel module {name}",
    "pods and their network need it",
    "Boot the distribution's own kernel; in a container, load it on the machine below",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the host; what node_info could not read (None) is not judged.

    facts: what node_info read there.
    options: `arch`, the architecture of the bundle (empty: not judged).
    """
    found = [
        _distribution(facts),
        _architecture(facts, str(options["arch"])),
        _at_least(KERNEL, facts["kernel"], MIN_KERNEL),
        _at_least(PYTHON, facts["python"], MIN_PYTHON),
        None if facts["systemd"] else SYSTEMD.broken("not running"),
    ]
    return [problem for problem in found if problem] + _addresses(facts) + _modules(facts)


def _distribution(facts: Mapping[str, Any]) -> Optional[Problem]:
    name, version = facts["distribution"], facts["distribution_version"]
    if name is None or version in SUPPORTED.get(name, ()):
        return None
    known = "; ".join(f"{distribution} {', '.join(versions)}" for distribution, versions in SUPPORTED.items())
    return DISTRIBUTION.broken(f"{name} {version}", known=known)


def _architecture(facts: Mapping[str, Any], arch: str) -> Optional[Problem]:
    return ARCHITECTURE.broken(facts["architecture"], arch=arch) if arch and facts["arch"] != arch else None


def version(text: Optional[str]) -> Optional[Tuple[int, ...]]:
    """Return the numbers at the start of a version, or None when there is none."""
    found = re.match(r"v?(\d+(?:\.\d+)*)", text or "")
    return tuple(int(part) for part in found.group(1).split(".")) if found else None


def _at_least(rule: Rule, found: Optional[str], least: Tuple[int, ...]) -> Optional[Problem]:
    number = version(found)
    if number is None or number >= least:
        return None
    return rule.broken(found, least=".".join(str(part) for part in least))


def _addresses(facts: Mapping[str, Any]) -> List[Problem]:
    """Return a problem for each address that the node shall have in the cluster and the host has not."""
    given, own = [facts["address"], facts.get("address_secondary")], facts["addresses"]
    if not given[0]:
        return [NO_ADDRESS.broken("none")]
    if own is None:
        return []
    return [FOREIGN_ADDRESS.broken(address, own=", ".join(own)) for address in given if address and address not in own]


def _modules(facts: Mapping[str, Any]) -> List[Problem]:
    return [MODULE.broken("absent", name=name) for name, state in sorted(facts["modules"].items()) if state == "absent"]
