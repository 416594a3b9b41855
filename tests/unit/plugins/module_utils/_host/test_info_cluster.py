# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info_cluster import KUBELET, MANIFEST, cluster

TEXT = """\
spec:
  containers:
  - command:
    - kube-controller-manager
    - --cluster-cidr=10.244.0.0/16,fd00:10::/56
    - --cluster-name=mlstack
    - --service-cluster-ip-range=10.96.0.0/12
    image: registry.k8s.io/kube-controller-manager:v1.37.2
"""


def host(root: Path, files: dict[str, str]) -> Host:
    for path, text in files.items():
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return Host(str(root), lambda argv: None)


def test_a_control_plane_tells_what_its_cluster_keeps(tmp_path: Path) -> None:
    assert cluster(host(tmp_path, {MANIFEST: TEXT, KUBELET: "kind: x\nclusterDomain: cluster.local\n"})) == {
        "pod_cidr": "10.244.0.0/16,fd00:10::/56",
        "service_cidr": "10.96.0.0/12",
        "cluster_name": "mlstack",
        "dns_domain": "cluster.local",
    }


def test_what_is_not_told_is_left_out(tmp_path: Path) -> None:
    assert cluster(host(tmp_path, {MANIFEST: "    - --cluster-name=mlstack\n"})) == {"cluster_name": "mlstack"}


def test_a_host_that_is_no_control_plane_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="kube-controller-manager"):
        cluster(host(tmp_path, {KUBELET: "clusterDomain: cluster.local\n"}))
