# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another Kubernetes on the host, alive or dead: a node can belong to one cluster only."""

from __future__ import annotations

from typing import Any, List, Mapping

from ...module_utils._common.problem import Problem, Rule

STACK_ONLY = (
    "To use the cluster that is there, give its kubeconfig in mlstack_kubeconfig and run trainyard.mlstack.stack alone;"
    " to make a new one, "
)
REMOVALS = {
    "k3s": "run /usr/local/bin/k3s-uninstall.sh (k3s-agent-uninstall.sh on an agent)",
    "rke2": "run /usr/local/bin/rke2-uninstall.sh",
    "k0s": "run k0s stop and k0s reset",
    "microk8s": "run snap remove --purge microk8s",
    "k8s": "run snap remove --purge k8s",
    "kubelet": "run snap remove --purge the kubelet's snap",
}

DISTRIBUTION = Rule(
    "{name}", "a host can be a node of one cluster only, and this Kubernetes is there already", STACK_ONLY + "{removal}"
)
CLUSTER = Rule(
    "cluster",
    "the host is a node of a cluster that kubeadm or kubespray has made, and not this collection",
    STACK_ONLY + "empty the host first: kubeadm reset --force",
)
LEFTOVERS = Rule(
    "leftovers of a cluster",
    "kubeadm would take them for its own, or stop halfway",
    "Save what you need, then run kubeadm reset --force, or remove them: rm -rf {paths}",
)
CNI = Rule(
    "CNI configuration",
    "containerd would put pods into this network before ours is there",
    "Move it away: mv {paths} /root/",
)
INTERFACES = Rule(
    "network interfaces",
    "a pod network that is no more has left them, with addresses and routes of its own",
    "Remove each of them: ip link delete <name>; or boot the host",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what another Kubernetes has left on the host; a node of ours has the same things, and no problem.

    facts: what node_info read there.
    options: `choices`, of which mlstack_pod_network is used: a user who brings the network may have put it there.
    """
    rivals = facts["rivals"]
    if rivals is None:
        return []
    problems = [
        DISTRIBUTION.broken(", ".join(signs), name=name, removal=REMOVALS[name])
        for name, signs in rivals["distributions"].items()
    ]
    left, cni, interfaces = rivals["leftovers"], rivals["cni"], rivals["interfaces"]
    if "/etc/kubernetes/kubelet.conf" in left:
        # Its reset removes all the rest too.
        return [*problems, CLUSTER.broken(", ".join(left))]
    if left:
        problems.append(LEFTOVERS.broken(", ".join(left), paths=" ".join(left)))
    if cni and options["choices"].get("mlstack_pod_network") != "none":
        problems.append(CNI.broken(", ".join(cni), paths=" ".join(cni)))
    if interfaces:
        problems.append(INTERFACES.broken(", ".join(interfaces)))
    return problems
