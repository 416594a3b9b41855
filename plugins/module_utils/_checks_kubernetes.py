# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of one host before role `kubernetes` makes a node of it."""

from __future__ import annotations

from typing import Any, List, Mapping

from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem

# Packages of these names bring their own kubelet unit and are upgraded behind the release's back.
RIVALS = ("kubeadm", "kubelet")


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the host; what node_info could not read (None) is not judged.

    facts: what node_info read there; `packages` must have been asked for RIVALS.
    options: `control_plane` (whether the host becomes one), `min_cpus`, `min_memory_mb` (both for control planes, as
        kubeadm has it), `min_disk_mb`.
    """
    problems = []
    if options["control_plane"]:
        problems += _at_least("cpus", facts["cpus"], options["min_cpus"], "")
        problems += _at_least("memory", facts["memory_mb"], options["min_memory_mb"], " MiB")
    # The images of a finished installation are what fills the disk of a node.
    if not (facts["kubernetes"] or {}).get("kubelet_conf"):
        free = (facts["disks"]["/var/lib"] or {}).get("free_mb")
        problems += _at_least("free disk at /var/lib", free, options["min_disk_mb"], " MiB")
    for name in RIVALS:
        if name in (facts["packages"] or {}):
            problems.append(Problem(
                "package",
                f"{name} {facts['packages'][name]['version']}",
                "the bundle brings it in the version of the release",
                f"Remove it: apt-get remove {name}",
            ))
    return problems


def _at_least(field: str, found: Any, least: int, unit: str) -> List[Problem]:
    if found is None or found >= least:
        return []
    rule, way_out = f"at least {least}{unit} must be there", "Give the host more, or choose another"
    return [Problem(field, f"{found}{unit}", rule, way_out)]
