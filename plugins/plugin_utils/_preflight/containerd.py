# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One host before role `containerd` installs the bundle's containerd."""

from __future__ import annotations

from typing import Any, List, Mapping

from ...module_utils._common.problem import Problem, Rule

# Debian's and Docker's packages bring the same unit, socket and configuration file as the bundle.
RIVALS = ("containerd", "containerd.io")

PACKAGE = Rule(
    "package",
    "the bundle brings containerd, two of them would fight for one socket and one configuration",
    "Remove it and what needs it: apt-get remove {name}",
)
FOREIGN = Rule(
    "containerd",
    "it runs by a unit and a configuration that this collection has not written, and would overwrite",
    "Stop and remove it: systemctl disable --now containerd, then remove its unit, /etc/containerd and the programs"
    " (which containerd)",
)
RUNTIME = Rule(
    "container runtime",
    "it runs beside containerd, with rules of its own for the network of containers (docker drops what is forwarded)",
    "Remove it: {removal}; or take the host out of the inventory",
)
REMOVALS = {
    "docker": "apt-get remove docker.io docker-ce, or snap remove docker",
    "cri-o": "systemctl disable --now crio and apt-get remove cri-o",
}


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the host.

    facts: what node_info read there; `packages` must have been asked for RIVALS.
    options: none is used.
    """
    packages = facts["packages"] or {}
    installed = [name for name in RIVALS if name in packages]
    problems = [PACKAGE.broken(f"{name} {packages[name]['version']}", name=name) for name in installed]
    containerd = facts["containerd"]
    if containerd["running"] and not containerd["ours"] and not installed:
        problems.append(FOREIGN.broken(f"running, version {containerd['version'] or 'unknown'}"))
    return problems + [RUNTIME.broken(name, removal=REMOVALS[name]) for name in facts["runtimes"] or []]
