"""Roles kubernetes, pod_network and training_operator: a cluster that is as the inventory and the release say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client
from testinfra.host import Host


@pytest.fixture
def nodes(api: client.ApiClient) -> dict[str, Any]:
    return {item.metadata.name: item for item in client.CoreV1Api(api).list_node().items}


def test_each_host_is_a_ready_node_under_its_own_name_and_address(node: Host, nodes: dict[str, Any]) -> None:
    member = nodes[node.check_output("uname -n")]
    assert {item.type: item.status for item in member.status.conditions}["Ready"] == "True"
    addresses = {item.type: item.address for item in member.status.addresses}
    assert addresses["InternalIP"] in node.interface("eth0").addresses


def test_no_other_host_is_a_node(nodes: dict[str, Any]) -> None:
    assert sorted(nodes) == ["cp-1", "node-1", "node-2"]


def test_all_nodes_run_the_release(nodes: dict[str, Any], release: dict[str, Any]) -> None:
    versions = {name: item.status.node_info.kubelet_version for name, item in nodes.items()}
    assert set(versions.values()) == {f"v{release['components']['kubernetes']}"}
    runtimes = {item.status.node_info.container_runtime_version for item in nodes.values()}
    assert len(runtimes) == 1
    assert release["components"]["containerd"] in runtimes.pop()


def test_the_control_plane_takes_no_work(control_plane: Host, nodes: dict[str, Any]) -> None:
    taints = nodes[control_plane.check_output("uname -n")].spec.taints
    assert ("node-role.kubernetes.io/control-plane", "NoSchedule") in [(taint.key, taint.effect) for taint in taints]


def test_the_kubelet_runs_and_will_run_after_a_restart(node: Host) -> None:
    service = node.service("kubelet")
    assert service.is_running
    assert service.is_enabled


def test_the_kubelet_gets_cgroups_from_systemd(node: Host) -> None:
    settings = yaml.safe_load(node.file("/var/lib/kubelet/config.yaml").content_string)
    assert settings["cgroupDriver"] == "systemd"


@pytest.mark.parametrize(
    "path",
    ["/etc/kubernetes/admin.conf", "/etc/kubernetes/pki/ca.key", "/etc/kubernetes/mlstack/kubeadm.yaml"],
)
def test_what_opens_the_cluster_is_roots_alone(control_plane: Host, path: str) -> None:
    file = control_plane.file(path)
    assert (file.user, file.mode) == ("root", 0o600)


def test_a_worker_holds_nothing_that_opens_the_cluster(worker: Host) -> None:
    assert not worker.file("/etc/kubernetes/admin.conf").exists
    assert not worker.file("/etc/kubernetes/pki/ca.key").exists
    assert not worker.file("/etc/kubernetes/mlstack/discovery.conf").exists


def test_the_kubeconfig_on_this_machine_is_its_owners_alone(lab_dir: Path) -> None:
    assert (lab_dir / "kubeconfig").stat().st_mode & 0o777 == 0o600


def test_every_pod_of_the_system_runs(api: client.ApiClient) -> None:
    pods = client.CoreV1Api(api).list_pod_for_all_namespaces().items
    system = [pod for pod in pods if pod.metadata.namespace in ("kube-system", "kube-flannel", "kubeflow")]
    ready = {
        pod.metadata.name: all(status.ready for status in pod.status.container_statuses or []) and pod.status.phase
        for pod in system
    }
    assert len(ready) >= 13
    assert {name: phase for name, phase in ready.items() if phase != "Running"} == {}


def test_each_node_has_its_part_of_the_pod_network(node: Host, nodes: dict[str, Any]) -> None:
    network = nodes[node.check_output("uname -n")].spec.pod_cidr
    assert node.interface("flannel.1").exists
    assert f"FLANNEL_SUBNET={network.rsplit('.', 1)[0]}." in node.file("/run/flannel/subnet.env").content_string


def test_gangs_can_be_scheduled_natively(api: client.ApiClient) -> None:
    groups = {group.name: group.versions for group in client.ApisApi(api).get_api_versions().groups}
    assert "v1beta1" in [item.version for item in groups["scheduling.k8s.io"]]


def test_the_operator_is_there_with_its_gang_flag_off(api: client.ApiClient, release: dict[str, Any]) -> None:
    deployment = client.AppsV1Api(api).read_namespaced_deployment("training-operator", "kubeflow")
    assert deployment.status.available_replicas == deployment.spec.replicas
    container = deployment.spec.template.spec.containers[0]
    assert container.image == release["images"]["training-operator"]
    assert not any("gang" in word for word in [*(container.command or []), *(container.args or [])])
