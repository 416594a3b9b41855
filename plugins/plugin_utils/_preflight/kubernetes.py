# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One host before role `kubernetes` makes a node of it."""

from __future__ import annotations

from typing import Any, List, Mapping

from ...module_utils._common.problem import Problem, Rule

# Packages of these names bring their own kubelet unit and are upgraded behind the release's back.
RIVALS = ("kubeadm", "kubelet")

CPUS = Rule("cpus", "a control plane needs at least {least}", "Give the host more, or choose another")
MEMORY = Rule("memory", "a {kind} needs at least {least} MiB", "Give the host more, or choose another")
PACKAGE = Rule("package", "the bundle brings it in the version of the release", "Remove it: apt-get remove {name}")
CGROUP_V1 = Rule(
    "cgroups",
    "the kubelet of this release refuses the old hierarchy",
    "Boot with systemd.unified_cgroup_hierarchy=1 on the kernel's command line, or accept the old one for as long as"
    " Kubernetes does: kubernetes_fail_cgroup_v1: false",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the host; what node_info could not read (None) is not judged.

    facts: what node_info read there; `packages` must have been asked for RIVALS.
    options: `control_plane` (whether the host becomes one), `min_cpus` and `min_memory_mb` (for control planes, as
        kubeadm has it), `min_worker_memory_mb`, `fail_cgroup_v1` (the kubelet's setting).
    """
    problems = []
    kind = "control plane" if options["control_plane"] else "worker"
    memory = options["min_memory_mb"] if options["control_plane"] else options["min_worker_memory_mb"]
    if options["control_plane"] and facts["cpus"] is not None and facts["cpus"] < options["min_cpus"]:
        problems.append(CPUS.broken(facts["cpus"], least=options["min_cpus"]))
    if facts["memory_mb"] is not None and facts["memory_mb"] < memory:
        problems.append(MEMORY.broken(f"{facts['memory_mb']} MiB", kind=kind, least=memory))
    if facts["cgroup_version"] == 1 and options["fail_cgroup_v1"]:
        problems.append(CGROUP_V1.broken("version 1"))
    packages = facts["packages"] or {}
    rivals = [name for name in RIVALS if name in packages]
    return problems + [PACKAGE.broken(f"{name} {packages[name]['version']}", name=name) for name in rivals]
