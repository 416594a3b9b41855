# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that somebody used before: what is found there, and what on a node of ours is no finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info_resolver import resolver
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info_rivals import containerd_is_ours, rivals

NOTHING: dict[str, Any] = {"distributions": {}, "leftovers": [], "cni": [], "interfaces": []}


def host(root: Path, *files: str, **texts: str) -> Host:
    """Return a host with these files; a path that ends with / is an empty folder."""
    for name in files:
        path = root / name.lstrip("/")
        path.mkdir(parents=True) if name.endswith("/") else path.parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_text("")
    for name, text in texts.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Host(str(root), lambda argv: None)


@pytest.mark.parametrize(
    ("files", "active", "found"),
    [
        ([], [], {}),
        (["/var/lib/etcd/", "/var/lib/kubelet/", "/etc/cni/net.d/", "/var/lib/rancher/k3s/"], [], {}),
        (["/usr/local/bin/k3s"], [], {"distributions": {"k3s": ["/usr/local/bin/k3s"]}}),
        ([], ["rke2-agent.service"], {"distributions": {"rke2": ["rke2-agent.service"]}}),
        (["/snap/bin/kubelet"], [], {"distributions": {"kubelet": ["/snap/bin/kubelet"]}}),
        (["/var/lib/etcd/member/snap/db"], [], {"leftovers": ["/var/lib/etcd/member"]}),
        (["/etc/kubernetes/manifests/etcd.yaml"], [], {"leftovers": ["/etc/kubernetes/manifests"]}),
        (["/etc/kubernetes/manifests/"], [], {}),
        (["/var/lib/kubelet/pki/x"], [], {"leftovers": ["/var/lib/kubelet/pki"]}),
        (
            ["/etc/cni/net.d/10-calico.conflist", "/etc/cni/net.d/10-mlstack.conflist", "/etc/cni/net.d/cni.lock"],
            [],
            {"cni": ["/etc/cni/net.d/10-calico.conflist"]},
        ),
        (["/sys/class/net/eth0", "/sys/class/net/flannel.1"], [], {"interfaces": ["flannel.1"]}),
    ],
)
def test_what_others_left(tmp_path: Path, files: list[str], active: list[str], found: dict[str, Any]) -> None:
    assert rivals(host(tmp_path, *files), active) == {**NOTHING, **found}


def test_on_a_node_of_ours_the_same_things_are_ours(tmp_path: Path) -> None:
    files = ["/etc/kubernetes/kubelet.conf", "/etc/cni/net.d/05-cilium.conflist", "/sys/class/net/cni0"]
    assert rivals(host(tmp_path, *files, "/etc/kubernetes/mlstack/kubeadm.yaml"), []) == NOTHING


def test_a_manifest_that_a_killed_run_has_written_is_ours(tmp_path: Path) -> None:
    ours = host(tmp_path, etc__kubernetes__manifests__balancer="# owned whole by trainyard.mlstack")
    assert rivals(ours, []) == NOTHING
    mixed = host(tmp_path, "/etc/kubernetes/manifests/etcd.yaml")
    assert rivals(mixed, [])["leftovers"] == ["/etc/kubernetes/manifests"]


@pytest.mark.parametrize(
    ("texts", "ours"),
    [
        ({}, False),
        ({"etc__containerd__config.toml": "version = 2"}, False),
        ({"etc__containerd__config.toml": "# owned whole by trainyard.mlstack.containerd"}, True),
        ({"etc__systemd__system__containerd.service": "# owned whole by trainyard.mlstack.containerd"}, True),
    ],
)
def test_whose_containerd(tmp_path: Path, texts: dict[str, str], ours: bool) -> None:
    assert containerd_is_ours(host(tmp_path, **texts)) == ours


OWN, UPSTREAM = "etc__resolv.conf", "run__systemd__resolve__resolv.conf"


@pytest.mark.parametrize(
    ("texts", "file", "servers"),
    [
        ({OWN: "nameserver 192.0.2.1\n"}, "/etc/resolv.conf", ["192.0.2.1"]),
        ({OWN: "nameserver 127.0.0.53\n"}, "/etc/resolv.conf", ["127.0.0.53"]),
        (
            {OWN: "nameserver 127.0.0.53\n", UPSTREAM: "nameserver 192.0.2.1\n"},
            "/run/systemd/resolve/resolv.conf",
            ["192.0.2.1"],
        ),
        ({OWN: "nameserver ::1\n", UPSTREAM: "nameserver 127.0.0.1\n"}, "/etc/resolv.conf", ["::1"]),
        ({OWN: "nameserver 127.0.0.53\n", UPSTREAM: "# none\n"}, "/etc/resolv.conf", ["127.0.0.53"]),
        ({OWN: "nameserver 192.0.2.1\n", UPSTREAM: "nameserver 192.0.2.2\n"}, "/etc/resolv.conf", ["192.0.2.1"]),
        ({OWN: "nameserver fe80::1%eth0 ; x\n"}, "/etc/resolv.conf", ["fe80::1%eth0"]),
        ({OWN: "#nameserver 192.0.2.1\nnameserver\n"}, "/etc/resolv.conf", []),
        ({}, "/etc/resolv.conf", []),
    ],
)
def test_whom_pods_ask(tmp_path: Path, texts: dict[str, str], file: str, servers: list[str]) -> None:
    found = resolver(host(tmp_path, **texts))
    assert (found["file"], found["pods_nameservers"]) == (file, servers)
