# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What others have put on a host that a node of ours would fight with. Python 3.8, standard library only."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from .._common.host import Host

# Role kubernetes makes this folder before anything of a cluster is on the host.
OUR_MARK = "/etc/kubernetes/mlstack"
OUR_CNI = "10-mlstack.conflist"
# What containerd takes for a configuration of a network; it uses the first one by name.
CNI_ENDINGS = (".conf", ".conflist", ".json")
OUR_NAME = "trainyard.mlstack"

# Distributions of Kubernetes that bring everything themselves: their units, and what they leave where.
DISTRIBUTIONS: Dict[str, Sequence[str]] = {
    "k3s": ("k3s.service", "k3s-agent.service", "/usr/local/bin/k3s", "/var/lib/rancher/k3s"),
    "rke2": ("rke2-server.service", "rke2-agent.service", "/usr/local/bin/rke2", "/var/lib/rancher/rke2"),
    "k0s": ("k0scontroller.service", "k0sworker.service", "/usr/local/bin/k0s", "/var/lib/k0s"),
    "microk8s": ("snap.microk8s.daemon-kubelite.service", "/snap/bin/microk8s", "/var/snap/microk8s"),
    "k8s": ("snap.k8s.kubelet.service", "/snap/bin/k8s", "/var/snap/k8s"),
    "kubelet": ("snap.kubelet.daemon.service", "/snap/bin/kubelet", "/snap/bin/kubelet-eks"),
}
UNITS = [sign for signs in DISTRIBUTIONS.values() for sign in signs if not sign.startswith("/")]

# What a cluster of kubeadm, so one of kubespray too, leaves behind.
CLUSTER_FILES = (
    "/etc/kubernetes/admin.conf",
    "/etc/kubernetes/kubelet.conf",
    "/etc/kubernetes/manifests",
    "/etc/kubernetes/pki",
    "/var/lib/etcd/member",
    "/var/lib/kubelet/config.yaml",
    "/var/lib/kubelet/pki",
)
INTERFACES = ("cni0", "flannel.1", "vxlan.calico", "cilium_host", "kube-ipvs0", "weave")


def is_there(host: Host, path: str) -> bool:
    """Say whether there is a file, or a folder that holds something: an empty one may be a mount point."""
    return bool(host.names(path)) or (host.exists(path) and not host.is_folder(path))


def distributions(host: Host, active: Sequence[str]) -> Dict[str, List[str]]:
    """Return what was found of each distribution, of which there is something.

    active: those of UNITS that are active.
    """
    found = {
        name: [sign for sign in signs if sign in active or (sign.startswith("/") and is_there(host, sign))]
        for name, signs in DISTRIBUTIONS.items()
    }
    return {name: signs for name, signs in found.items() if signs}


def is_ours(host: Host, path: str) -> bool:
    """Say whether all files of a folder name this collection: a killed run has written them before its mark."""
    texts = [host.text_or_none(f"{path}/{name}") or "" for name in host.names(path)]
    return bool(texts) and all(OUR_NAME in text for text in texts)


def leftovers(host: Host) -> List[str]:
    """Return what a cluster of another maker has left; nothing on a node of ours, where the same things are ours."""
    if host.exists(OUR_MARK):
        return []
    return [path for path in CLUSTER_FILES if is_there(host, path) and not is_ours(host, path)]


def cni_configurations(host: Host) -> List[str]:
    """Return the paths of CNI configurations that containerd would take up, but ours; none on a node of ours.

    There they may be the work of a pod network that the user has chosen.
    """
    if host.exists(OUR_MARK):
        return []
    folder = "/etc/cni/net.d"
    names = [name for name in host.names(folder) if name.endswith(CNI_ENDINGS)]
    return [f"{folder}/{name}" for name in names if name != OUR_CNI]


def interfaces(host: Host) -> List[str]:
    """Return the interfaces of a pod network on a host that is no node of ours."""
    if host.exists(OUR_MARK):
        return []
    return [name for name in host.names("/sys/class/net") if name in INTERFACES]


def containerd_is_ours(host: Host) -> bool:
    """Say whether role containerd has written the unit or the configuration, of which a killed run may lack one."""
    files = ("/etc/systemd/system/containerd.service", "/etc/containerd/config.toml")
    return any(OUR_NAME in (host.text_or_none(path) or "") for path in files)


def rivals(host: Host, active: Sequence[str]) -> Dict[str, Any]:
    """Return all of the above as one dict."""
    return {
        "distributions": distributions(host, active),
        "leftovers": leftovers(host),
        "cni": cni_configurations(host),
        "interfaces": interfaces(host),
    }
