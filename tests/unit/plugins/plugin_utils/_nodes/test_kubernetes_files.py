# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import yaml

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.kubernetes_files import kubernetes_files
from tests.unit.plugins.plugin_utils._nodes.test_kubeadm_config import OPTIONS


def by_path(step: str, **changes: Any) -> dict[str, list[Any]]:
    files = kubernetes_files({**OPTIONS, **changes}, step)
    assert {file["mode"] for file in files} == {"0600"}
    return {file["path"]: list(yaml.safe_load_all(file["content"])) for file in files}


def test_a_control_plane_gets_all_and_a_worker_its_own() -> None:
    kinds = {path: [item["kind"] for item in documents] for path, documents in by_path("init").items()}
    assert kinds.pop("/etc/kubernetes/mlstack/kubeadm.yaml") == [
        "InitConfiguration",
        "ClusterConfiguration",
        "KubeletConfiguration",
        "KubeProxyConfiguration",
    ]
    assert kinds.pop("/etc/kubernetes/mlstack/kubeadm-join.yaml") == ["JoinConfiguration"]
    assert kinds.pop("/etc/kubernetes/kubelet.conf.d/00-mlstack.conf") == ["KubeletConfiguration"]
    assert sorted(kinds.values()) == [["AuthenticationConfiguration"], ["Policy"]]
    worker = by_path("join")
    assert sorted(worker) == ["/etc/kubernetes/kubelet.conf.d/00-mlstack.conf", "/etc/kubernetes/mlstack/kubeadm.yaml"]


def test_a_control_plane_can_also_join_others() -> None:
    (document,) = by_path("init")["/etc/kubernetes/mlstack/kubeadm-join.yaml"]
    endpoint = document["controlPlane"]["localAPIEndpoint"]
    assert endpoint == {"advertiseAddress": OPTIONS["node_address"], "bindPort": 6443}
    assert "controlPlane" not in by_path("join")["/etc/kubernetes/mlstack/kubeadm.yaml"][0]


def test_the_files_are_plain_yaml_whatever_ansible_hands_in() -> None:
    class Tagged(str):
        """Like Ansible's own string types."""

    files = by_path("init", node_name=Tagged("cp-1"), audit_policy={Tagged("kind"): Tagged("Policy"), "rules": []})
    assert files["/etc/kubernetes/mlstack/kubeadm.yaml"][0]["nodeRegistration"]["name"] == "cp-1"
    assert [{"kind": "Policy", "rules": []}] in files.values()


def test_numbers_stay_numbers() -> None:
    settings = {"a": 1, "b": 0.5, "c": True, "d": "1"}
    kubelet = by_path("join", kubelet_settings=settings)["/etc/kubernetes/kubelet.conf.d/00-mlstack.conf"][0]
    assert {name: kubelet[name] for name in settings} == settings
    assert [type(kubelet[name]) for name in settings] == [int, float, bool, str]
