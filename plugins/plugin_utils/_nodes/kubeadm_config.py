# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubeadm's configuration (v1beta4) as data: pure functions from options to documents."""

from __future__ import annotations

from typing import Any

from ...module_utils._control_plane.api_server_files import volumes
from .control_plane_arguments import STRONG_CIPHERS, extra_arguments

API_VERSION = "kubeadm.k8s.io/v1beta4"
CRI_SOCKET = "unix:///run/containerd/containerd.sock"
# Where kubeadm takes this user-facing kubeconfig's trust from while a node joins; module kubeadm writes it.
DISCOVERY = "/etc/kubernetes/mlstack/discovery.conf"


def init_documents(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the documents of the first control plane.

    options: version, cluster_name, node_name, node_address, api_endpoint (host:port), pod_cidr, service_cidr,
    dns_domain, certificate_names (list), and the options of extra_arguments, volumes, _node_registration and
    kubelet_base. Every value is a string, a bool, an int, a list or a dict of these.
    """
    return [
        {
            "apiVersion": API_VERSION,
            "kind": "InitConfiguration",
            # kubeadm always makes one token; nodes join with tokens of their own, so this one dies at once.
            "bootstrapTokens": [{"ttl": "1m0s"}],
            "localAPIEndpoint": {"advertiseAddress": options["node_address"], "bindPort": 6443},
            "nodeRegistration": _node_registration(options),
        },
        {
            "apiVersion": API_VERSION,
            "kind": "ClusterConfiguration",
            "clusterName": options["cluster_name"],
            "kubernetesVersion": f"v{options['version']}",
            "controlPlaneEndpoint": options["api_endpoint"],
            "networking": {
                "podSubnet": _networks(options["pod_cidr"]),
                "serviceSubnet": _networks(options["service_cidr"]),
                "dnsDomain": options["dns_domain"],
            },
            "apiServer": {
                "certSANs": options["certificate_names"],
                "extraArgs": extra_arguments("apiserver", options),
                "extraVolumes": volumes(options),
            },
            "controllerManager": {"extraArgs": extra_arguments("controller_manager", options)},
            "scheduler": {"extraArgs": extra_arguments("scheduler", options)},
            "etcd": {"local": {"extraArgs": extra_arguments("etcd", options)}},
        },
        kubelet_base(options),
        _kube_proxy_document(options),
    ]


def join_documents(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the documents of a worker. Trust and token come from a file of their own, there for the join only."""
    return [
        {
            "apiVersion": API_VERSION,
            "kind": "JoinConfiguration",
            "discovery": {"file": {"kubeConfigPath": DISCOVERY}},
            "nodeRegistration": _node_registration(options),
        }
    ]


def join_control_plane_documents(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the documents of a further control plane; the rest it takes over from the cluster."""
    (document,) = join_documents(options)
    endpoint = {"advertiseAddress": options["node_address"], "bindPort": 6443}
    return [{**document, "controlPlane": {"localAPIEndpoint": endpoint}}]


def kubelet_base(options: dict[str, Any]) -> dict[str, Any]:
    """Return the kubelet's configuration for the whole cluster, which a node takes over when it joins, and never again.

    So it holds what the role itself wants, and nothing that an inventory may change for a node that is there:
    kubelet_document does. options: fail_swap_on, fail_cgroup_v1 (bools, the kubelet's fields of these names).
    """
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "cgroupDriver": "systemd",
        "failSwapOn": options["fail_swap_on"],
        "failCgroupV1": options["fail_cgroup_v1"],
        "enableProfilingHandler": False,
        "makeIPTablesUtilChains": True,
        # A pod that forks without end must not take its node with it; no training is near this number.
        "podPidsLimit": 16384,
        "readOnlyPort": 0,
        "rotateCertificates": True,
        "seccompDefault": True,
        "tlsCipherSuites": list(STRONG_CIPHERS),
        "tlsMinVersion": "VersionTLS12",
    }


def kubelet_document(options: dict[str, Any]) -> dict[str, Any]:
    """Return the kubelet's configuration on this node, which is read over the cluster's.

    options: those of kubelet_base, max_pods (int), resolv_conf (path, or None for the kubelet's own choice),
    kubelet_settings (further fields; they win).
    """
    resolver = {"resolvConf": options["resolv_conf"]} if options["resolv_conf"] else {}
    return {**kubelet_base(options), "maxPods": options["max_pods"], **resolver, **options["kubelet_settings"]}


def _kube_proxy_document(options: dict[str, Any]) -> dict[str, Any]:
    """Return kube-proxy's configuration; kube_proxy_conntrack `none` leaves the host's connection table alone."""
    document: dict[str, Any] = {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "clusterCIDR": _networks(options["pod_cidr"]),
    }
    if options["kube_proxy_conntrack"] == "none":
        document["conntrack"] = {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"}
    return document


def _networks(text: str) -> str:
    """Return one network or two with a comma between as Kubernetes wants them, without blanks."""
    return ",".join(part.strip() for part in text.split(","))


def _node_registration(options: dict[str, Any]) -> dict[str, Any]:
    """Return who this node is.

    options: node_name, node_address, node_address_secondary (of the other IP version, or empty),
    ignore_preflight_errors (names of kubeadm's checks), schedulable (bool: whether a control plane runs ordinary pods).
    """
    # kubeadm's own check refuses cgroup v1 whatever the kubelet is told, and asks to be skipped where that is meant.
    skipped = [] if options["fail_cgroup_v1"] else ["SystemVerification"]
    addresses = (options["node_address"], options["node_address_secondary"])
    return {
        "name": options["node_name"],
        "criSocket": CRI_SOCKET,
        "imagePullPolicy": "IfNotPresent",
        "ignorePreflightErrors": sorted({*options["ignore_preflight_errors"], *skipped}),
        "kubeletExtraArgs": [{"name": "node-ip", "value": ",".join(address for address in addresses if address)}],
        # An empty list is not the same as none: without one kubeadm keeps ordinary pods away from a control plane.
        **({"taints": []} if options["schedulable"] else {}),
    }
