# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each host of a run becomes, computed once from the inventory and from what was read of the hosts. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils._common.problem import Problem, Rule
from .._nodes import control_planes, endpoint
from .inventory import CONTROL_PLANE, NODES, cluster_hosts

NO_LEADER = Rule(
    "group kube_control_plane",
    "no host of it that could be read belongs to a cluster yet, and a cluster may be on these, which could not be read",
    "Start these hosts, or remove them from the group",
)
_API_PORT = 6443
_VOLCANO_IMAGES = ("vc-scheduler", "vc-controller-manager", "vc-webhook-manager")


def plan_hosts(
    groups: Mapping[str, list[str]], hosts: Mapping[str, Mapping[str, Any]], options: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return what roles are given for each host of the cluster that takes part in the run, by host.

    groups: of the inventory. hosts: `node` and `python_missing` of every host that was read, as module preflight gets
    them, with `neighbour` set on those that this run leaves out. options: `api_endpoint`, `api_host`,
    `api_load_balancer`, `choices` and `sample_pytorch_image` of the module.
    Raises control_planes.LeaderError when nobody can tell whether there is a cluster already.
    """
    planes = {host: _readable(hosts.get(host, {})) for host in groups.get(CONTROL_PLANE, [])}
    workers = groups.get(NODES, [])
    taking_part = [host for host in cluster_hosts(groups) if host in hosts and not hosts[host].get("neighbour")]
    balanced = options["api_load_balancer"] == "local"
    servers = control_planes.servers({host: node for host, node in planes.items() if node.get("address")})
    shared = {
        "first_control_plane": control_planes.leader(planes) if planes else "",
        "control_planes": len(planes),
        "api_load_balancer": balanced,
        "api_servers": servers,
        "kubeconfig_servers": [endpoint.join(each["address"], _API_PORT) for each in servers] if balanced else [],
        # Not every node's name: the hosts' own network needs no proxy, and a new node changes no file on the others.
        "no_proxy_hosts": [endpoint.host_of(options["api_endpoint"])] if options["api_endpoint"] else [],
        "joining_hosts": [host for host in taking_part if host not in planes and not _joined(hosts[host])],
    }
    return {
        host: {
            **shared,
            "node_name": _readable(hosts[host]).get("name", host),
            "node_role": "control_plane" if host in planes else "worker",
            "schedulable": host in planes and host in workers,
            "api_packages": _packages(host, options["api_host"], balanced),
            "extra_images": _images(host in workers, options),
        }
        for host in taking_part
    }


def leader_problem(planes: Sequence[str], hosts: Mapping[str, Mapping[str, Any]]) -> Problem:
    """Return the problem of a run in which no control plane can be chosen to lead."""
    return NO_LEADER.broken(", ".join(host for host in planes if not _readable(hosts.get(host, {}))))


def _readable(host: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what was read of a host. One without Python was read, too: it cannot be a node yet."""
    node: Mapping[str, Any] = host.get("node") or {}
    return node or ({"kubernetes": {}} if host.get("python_missing") else {})


def _joined(host: Mapping[str, Any]) -> bool:
    return bool((_readable(host).get("kubernetes") or {}).get("stage") == "done")


def _packages(host: str, api_host: str, balanced: bool) -> list[str]:
    return (["python3-kubernetes"] if host == api_host else []) + (["haproxy"] if balanced else [])


def _images(is_worker: bool, options: Mapping[str, Any]) -> list[str]:
    """Return the images that a node runs besides those of Kubernetes itself."""
    choices = options["choices"]
    samples = choices.get("mlstack_samples") or []
    images = ["flannel"] if choices.get("mlstack_pod_network") != "none" else []
    if not is_worker:
        return images
    images += ["training-operator", "busybox"]
    if choices.get("mlstack_gang_scheduler") == "volcano":
        images += _VOLCANO_IMAGES
    # A full verification runs the samples' image, too.
    if samples or choices.get("mlstack_verify") == "full":
        images.append("tensorflow")
    # PyTorch is large, so that it comes only where a sample needs it.
    if "pytorchjob_all_reduce" in samples and not options["sample_pytorch_image"]:
        images.append("pytorch")
    return images
