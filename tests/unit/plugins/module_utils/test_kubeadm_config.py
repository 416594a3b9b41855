# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import yaml

from ansible_collections.trainyard.mlstack.plugins.filter.kubeadm_config import kubeadm_config
from ansible_collections.trainyard.mlstack.plugins.module_utils._kubeadm_config import init_documents, join_documents

OPTIONS: dict[str, Any] = {
    "version": "1.37.2",
    "cluster_name": "demo",
    "node_name": "cp-1",
    "node_address": "192.0.2.1",
    "api_endpoint": "api.example.org:6443",
    "certificate_names": ["api"],
    "pod_cidr": "10.244.0.0/16",
    "service_cidr": "10.96.0.0/12",
    "dns_domain": "cluster.local",
    "gang_scheduler": "native",
    "feature_gates": {},
    "max_pods": 110,
    "fail_swap_on": True,
    "fail_cgroup_v1": True,
    "kube_proxy_conntrack": "managed",
    "kubelet_settings": {},
    "ignore_preflight_errors": [],
    "schedulable": False,
}


def document(kind: str, **changes: Any) -> dict[str, Any]:
    return next(item for item in init_documents({**OPTIONS, **changes}) if item["kind"] == kind)


def arguments(part: str, **changes: Any) -> dict[str, str]:
    return {item["name"]: item["value"] for item in document("ClusterConfiguration", **changes)[part]["extraArgs"]}


def test_native_gang_scheduling_is_switched_on_everywhere_it_must_be() -> None:
    assert arguments("apiServer") == {
        "feature-gates": "GenericWorkload=true",
        "runtime-config": "scheduling.k8s.io/v1beta1=true",
    }
    assert arguments("controllerManager") == arguments("scheduler") == {"feature-gates": "GenericWorkload=true"}


def test_only_a_control_plane_that_is_a_node_too_runs_ordinary_pods() -> None:
    """No list at all leaves kubeadm's own taint, an empty one takes it away."""
    assert "taints" not in document("InitConfiguration")["nodeRegistration"]
    assert document("InitConfiguration", schedulable=True)["nodeRegistration"]["taints"] == []


def test_without_a_gang_scheduler_there_is_no_argument() -> None:
    for part in ("apiServer", "controllerManager", "scheduler"):
        assert arguments(part, gang_scheduler="none") == {}


def test_the_users_gates_win() -> None:
    assert (
        arguments("scheduler", feature_gates={"GenericWorkload": False, "A": True})["feature-gates"]
        == "A=true,GenericWorkload=false"
    )


def test_networks_endpoint_and_names_reach_the_cluster() -> None:
    cluster = document("ClusterConfiguration")
    assert cluster["networking"] == {
        "podSubnet": "10.244.0.0/16",
        "serviceSubnet": "10.96.0.0/12",
        "dnsDomain": "cluster.local",
    }
    assert cluster["controlPlaneEndpoint"] == "api.example.org:6443"
    assert cluster["apiServer"]["certSANs"] == ["api"]
    assert cluster["kubernetesVersion"] == "v1.37.2"


def test_the_connection_table_is_left_alone_only_when_asked() -> None:
    assert "conntrack" not in document("KubeProxyConfiguration")
    assert document("KubeProxyConfiguration", kube_proxy_conntrack="none")["conntrack"]["maxPerCore"] == 0


def test_kubelet_settings() -> None:
    kubelet = document("KubeletConfiguration", fail_swap_on=False, fail_cgroup_v1=False, max_pods=50)
    assert (kubelet["failSwapOn"], kubelet["failCgroupV1"], kubelet["maxPods"], kubelet["cgroupDriver"]) == (
        False,
        False,
        50,
        "systemd",
    )


def test_the_users_kubelet_settings_win() -> None:
    settings = {"maxPods": 30, "evictionHard": {"nodefs.available": "1Gi"}}
    kubelet = document("KubeletConfiguration", kubelet_settings=settings)
    assert (kubelet["maxPods"], kubelet["evictionHard"]) == (30, {"nodefs.available": "1Gi"})
    assert "evictionHard" not in document("KubeletConfiguration")


def test_kubeadms_own_check_is_skipped_with_the_kubelets_and_only_then() -> None:
    def skipped(**changes: Any) -> list[str]:
        return document("InitConfiguration", **changes)["nodeRegistration"]["ignorePreflightErrors"]

    assert skipped() == []
    assert skipped(ignore_preflight_errors=["NumCPU"]) == ["NumCPU"]
    assert skipped(ignore_preflight_errors=["NumCPU"], fail_cgroup_v1=False) == ["NumCPU", "SystemVerification"]


def test_a_workers_file_holds_no_secret_and_only_its_own_settings() -> None:
    documents = join_documents({**OPTIONS, "node_name": "gpu-1", "node_address": "192.0.2.9"})
    assert [item["kind"] for item in documents] == ["JoinConfiguration"]
    assert documents[0]["discovery"] == {"file": {"kubeConfigPath": "/etc/kubernetes/mlstack/discovery.conf"}}
    assert documents[0]["nodeRegistration"]["name"] == "gpu-1"
    assert "token" not in str(documents)


def test_the_file_is_plain_yaml_whatever_ansible_hands_in() -> None:
    class Tagged(str):
        """Like Ansible's own string types."""

    text = kubeadm_config({**OPTIONS, "node_name": Tagged("cp-1")}, "init")
    kinds = [item["kind"] for item in yaml.safe_load_all(text)]
    assert kinds == ["InitConfiguration", "ClusterConfiguration", "KubeletConfiguration", "KubeProxyConfiguration"]
    assert [item["kind"] for item in yaml.safe_load_all(kubeadm_config(OPTIONS, "join"))] == ["JoinConfiguration"]
