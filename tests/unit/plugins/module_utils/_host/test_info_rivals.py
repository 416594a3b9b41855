# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that somebody used before: what is found there, and what on a node of ours is no finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info_rivals import containerd_is_ours, rivals
from tests.support.made_up_host import host

NOTHING: dict[str, Any] = {"distributions": {}, "leftovers": [], "cni": [], "interfaces": []}


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
