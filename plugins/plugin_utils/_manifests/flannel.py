# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of the pod network flannel: a pure function from options to manifests."""

from __future__ import annotations

import hashlib
import ipaddress
import json
from typing import Any, Mapping, Sequence

NAMESPACE = "kube-flannel"
NAME = "flannel"
LABELS = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/part-of": "trainyard.mlstack"}
# Where the CNI plugin of the same name looks for the node's subnet.
RUN_FOLDER = "/run/flannel"
# flannel reads its settings once, at its start: a pod that bears another sum of them is replaced.
SETTINGS_SUM = "trainyard.mlstack/settings-sha256"


def objects(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all of flannel's objects.

    options: image (reference), kind (`flannel`: vxlan; `routes`: plain routes to the neighbours on the same link),
    pod_cidr (one network or two with a comma between, the main one first), vxlan_port (UDP). The DaemonSet has the
    rights flannel needs and no more: NET_ADMIN and NET_RAW, no privileged mode.
    """
    settings = json.dumps(_settings(options), indent=2)
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": NAMESPACE, "labels": {**LABELS, "pod-security.kubernetes.io/enforce": "privileged"}},
        },
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _metadata()},
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": NAME, "labels": LABELS},
            "rules": [
                {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch"]},
                {"apiGroups": [""], "resources": ["nodes/status"], "verbs": ["patch"]},
            ],
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": NAME, "labels": LABELS},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAME},
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}],
        },
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": _metadata(),
            "data": {"net-conf.json": settings},
        },
        _daemon_set(options["image"], _addresses(options["pod_cidr"]), hashlib.sha256(settings.encode()).hexdigest()),
    ]


def leftovers(routes: Sequence[Mapping[str, str]], kind: str, pod_cidr: str) -> list[str]:
    """Return the commands of ip(8) that remove what another kind than this has left on a host.

    routes: of the host, each with `network`, `interface` and `gateway`. kind, pod_cidr: as in objects; with a kind that
    is not ours nothing is ours to remove.
    """
    pods = [ipaddress.ip_network(text) for text in _networks(pod_cidr)]
    commands = []
    for route in routes:
        network = ipaddress.ip_network(route["network"])
        if not any(pod.version == network.version and network.network_address in pod for pod in pods):
            continue
        overlay = route["interface"].startswith(NAME)
        if kind == "routes" and overlay:
            commands.append(f"link delete {route['interface']}")
        if kind == "flannel" and not overlay and route["gateway"]:
            commands.append(f"route delete {network} via {route['gateway']} dev {route['interface']}")
    return list(dict.fromkeys(commands))


def _metadata() -> dict[str, Any]:
    return {"name": NAME, "namespace": NAMESPACE, "labels": LABELS}


def _networks(pod_cidr: str) -> list[str]:
    return [text.strip() for text in pod_cidr.split(",")]


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    vxlan = {"Type": "vxlan", "Port": options["vxlan_port"]}
    networks = {ipaddress.ip_network(text).version: text for text in _networks(options["pod_cidr"])}
    return {
        **({"Network": networks[4]} if 4 in networks else {"EnableIPv4": False}),
        **({"EnableIPv6": True, "IPv6Network": networks[6]} if 6 in networks else {}),
        "EnableNFTables": False,
        "Backend": {"Type": "host-gw"} if options["kind"] == "routes" else vxlan,
    }


def _addresses(pod_cidr: str) -> list[dict[str, Any]]:
    """Return the environment that tells flannel by which address of its node it joins the others.

    It is the node's first one in the cluster, so that a host with several cards uses the one the cluster uses. The one
    of the other IP version is sought by flannel on the same card.
    """
    own = {"name": "NODE_ADDRESS", "valueFrom": {"fieldRef": {"fieldPath": "status.hostIP"}}}
    names = ["FLANNELD_IFACE"]
    # With an IPv6 address alone flannel finds no card in a cluster of both versions.
    if ipaddress.ip_network(_networks(pod_cidr)[0]).version == 6:
        names.append("FLANNELD_PUBLIC_IPV6")
    return [own, *({"name": name, "value": "$(NODE_ADDRESS)"} for name in names)]


def _daemon_set(image: str, addresses: list[dict[str, Any]], settings_sum: str) -> dict[str, Any]:
    container = {
        "name": NAME,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["/opt/bin/flanneld"],
        "args": ["--ip-masq", "--kube-subnet-mgr"],
        "env": [
            # With its node's name it need not read its own pod, and so has no right to any pod.
            {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            *addresses,
            {"name": "EVENT_QUEUE_DEPTH", "value": "5000"},
        ],
        "resources": {"requests": {"cpu": "100m", "memory": "50Mi"}},
        "securityContext": {"privileged": False, "capabilities": {"add": ["NET_ADMIN", "NET_RAW"]}},
        "volumeMounts": [
            {"name": "run", "mountPath": RUN_FOLDER},
            {"name": "configuration", "mountPath": "/etc/kube-flannel"},
            {"name": "xtables-lock", "mountPath": "/run/xtables.lock"},
        ],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": _metadata(),
        "spec": {
            "selector": {"matchLabels": {"app.kubernetes.io/name": NAME}},
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}},
            "template": {
                "metadata": {"labels": LABELS, "annotations": {SETTINGS_SUM: settings_sum}},
                "spec": {
                    "serviceAccountName": NAME,
                    "hostNetwork": True,
                    "priorityClassName": "system-node-critical",
                    "tolerations": [
                        {"operator": "Exists", "effect": "NoSchedule"},
                        {"operator": "Exists", "effect": "NoExecute"},
                    ],
                    "nodeSelector": {"kubernetes.io/os": "linux"},
                    "containers": [container],
                    "volumes": [
                        {"name": "run", "hostPath": {"path": RUN_FOLDER, "type": "DirectoryOrCreate"}},
                        {"name": "configuration", "configMap": {"name": NAME}},
                        {"name": "xtables-lock", "hostPath": {"path": "/run/xtables.lock", "type": "FileOrCreate"}},
                    ],
                },
            },
        },
    }
