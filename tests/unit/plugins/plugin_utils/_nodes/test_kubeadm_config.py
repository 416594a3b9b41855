# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.kubeadm_config import (
    init_documents,
    join_documents,
    kubelet_base,
    kubelet_document,
)

OPTIONS: dict[str, Any] = {
    "version": "1.37.2",
    "cluster_name": "demo",
    "node_name": "cp-1",
    "node_address": "192.0.2.1",
    "node_address_secondary": "",
    "api_endpoint": "api.example.org:6443",
    "certificate_names": ["api"],
    "pod_cidr": "10.244.0.0/16",
    "service_cidr": "10.96.0.0/12",
    "dns_domain": "cluster.local",
    "gang_scheduler": "native",
    "feature_gates": {},
    "apiserver_arguments": {},
    "controller_manager_arguments": {},
    "scheduler_arguments": {},
    "etcd_arguments": {},
    "scheduler_api_qps": 1000,
    "scheduler_api_burst": 2000,
    "controller_manager_api_qps": 200,
    "controller_manager_api_burst": 400,
    "audit_log": True,
    "audit_policy": {},
    "anonymous_access": "health",
    "secrets_encryption": "secretbox",
    "resolv_conf": "",
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


@pytest.mark.parametrize(
    ("first", "second", "node_ip"),
    [("192.0.2.1", "", "192.0.2.1"), ("192.0.2.1", "fd00::1", "192.0.2.1,fd00::1"), ("fd00::1", "", "fd00::1")],
)
def test_the_kubelet_is_told_all_addresses_of_its_node(first: str, second: str, node_ip: str) -> None:
    init = document("InitConfiguration", node_address=first, node_address_secondary=second)
    assert init["nodeRegistration"]["kubeletExtraArgs"] == [{"name": "node-ip", "value": node_ip}]
    assert init["localAPIEndpoint"]["advertiseAddress"] == first


def test_two_networks_reach_kubeadm_and_kube_proxy_as_they_are() -> None:
    pods, services = "10.244.0.0/16,fd00:244::/56", "10.96.0.0/12,fd00:96::/112"
    networking = document("ClusterConfiguration", pod_cidr=pods, service_cidr=services)["networking"]
    assert (networking["podSubnet"], networking["serviceSubnet"]) == (pods, services)
    assert document("KubeProxyConfiguration", pod_cidr=pods.replace(",", " , "))["clusterCIDR"] == pods


def test_only_a_control_plane_that_is_a_node_too_runs_ordinary_pods() -> None:
    """No list at all leaves kubeadm's own taint, an empty one takes it away."""
    assert "taints" not in document("InitConfiguration")["nodeRegistration"]
    assert document("InitConfiguration", schedulable=True)["nodeRegistration"]["taints"] == []


def test_each_program_gets_its_arguments() -> None:
    cluster = document("ClusterConfiguration", apiserver_arguments={"v": 4}, etcd_arguments={"quota-backend-bytes": 9})
    parts = [cluster["apiServer"], cluster["controllerManager"], cluster["scheduler"], cluster["etcd"]["local"]]
    names = [{item["name"] for item in part["extraArgs"]} for part in parts]
    assert [{"profiling", "v", "quota-backend-bytes"} & given for given in names] == [
        {"profiling", "v"},
        {"profiling"},
        {"profiling"},
        {"quota-backend-bytes"},
    ]


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


def test_the_kubelet_of_a_node_follows_its_options() -> None:
    kubelet = kubelet_document({**OPTIONS, "fail_swap_on": False, "fail_cgroup_v1": False, "max_pods": 50})
    assert [kubelet[name] for name in ("failSwapOn", "failCgroupV1", "maxPods")] == [False, False, 50]
    assert "resolvConf" not in kubelet
    assert kubelet_document({**OPTIONS, "resolv_conf": "/run/resolv.conf"})["resolvConf"] == "/run/resolv.conf"


def test_the_users_kubelet_settings_win() -> None:
    settings = {"maxPods": 30, "seccompDefault": False, "evictionHard": {"nodefs.available": "1Gi"}}
    kubelet = kubelet_document({**OPTIONS, "kubelet_settings": settings})
    assert {name: kubelet[name] for name in settings} == settings


@pytest.mark.parametrize("changes", [{"max_pods": 5}, {"kubelet_settings": {"x": 1}}, {"resolv_conf": "/r"}])
def test_what_joining_nodes_take_over_for_good_holds_nothing_that_may_change(changes: dict[str, Any]) -> None:
    """A setting that is taken away again must be gone from the kubelet, too."""
    assert document("KubeletConfiguration", **changes) == kubelet_base(OPTIONS) == document("KubeletConfiguration")


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
