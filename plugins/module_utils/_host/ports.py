# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports on which nodes listen for others: one table for checks, rules and documentation. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Mapping

CONTROL_PLANE = "control plane"
NODE = "node"


@dataclass(frozen=True)
class Port:
    """One port, or a range `first-last`, of one protocol (tcp or udp).

    on: CONTROL_PLANE or NODE. users: who connects, `nodes`, `nodes and pods` or `all`. why: what listens there.
    """

    port: str
    protocol: str
    on: str
    users: str
    why: str

    def __str__(self) -> str:
        """Return it as firewalls write it, such as 6443/tcp."""
        return f"{self.port}/{self.protocol}"


API = Port("6443", "tcp", CONTROL_PLANE, "all", "the API server")
ETCD = Port("2379-2380", "tcp", CONTROL_PLANE, "nodes", "etcd, between several control planes")
KUBELET = Port("10250", "tcp", NODE, "nodes and pods", "the kubelet: logs, exec and metrics of pods")
VXLAN = Port("8472", "udp", NODE, "nodes", "flannel's vxlan, which carries all traffic between pods of two nodes")
NODE_PORTS = Port("30000-32767", "tcp", NODE, "all", "services of type NodePort, where node_firewall_node_ports is set")
ALL = (API, ETCD, KUBELET, VXLAN, NODE_PORTS)


def needed(options: Mapping[str, Any]) -> List[Port]:
    """Return the ports on which a host listens.

    options: `control_plane` (bool), `control_planes` (how many the cluster has), `pod_network` (of flannel only the
        vxlan port is needed), `vxlan_port`, `node_ports` (bool).
    """
    found = [KUBELET]
    if options["control_plane"]:
        found.append(API)
        if options["control_planes"] > 1:
            found.append(ETCD)
    if options["pod_network"] == "flannel":
        found.append(Port(str(options["vxlan_port"]), VXLAN.protocol, VXLAN.on, VXLAN.users, VXLAN.why))
    if options["node_ports"]:
        found.append(NODE_PORTS)
    return found
