"""A cluster of IPv6 alone, on hosts that have both versions: nodes, API server, pods and services.

The inventory is one of kubespray's of today: it leaves the group k8s_cluster to the playbook, and has variables for it.
The worker is added by a run limited to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab.subnet import address, default_subnet
from tests.lab.support import pods
from tests.lab.support.lab import Lab, changes, recap, write_inventory

pytestmark = [pytest.mark.lab, pytest.mark.long]

INVENTORY = """
[kube_control_plane]
cp-1 lab_host=11 etcd_member_name=etcd1
[etcd:children]
kube_control_plane
[kube_node]
node-1 lab_host=21
[lab:children]
kube_control_plane
kube_node
[all:vars]
lab_ipv6=true
"""
CLUSTER = """
mlstack_pod_cidr: fd00:10:244::/56
mlstack_service_cidr: fd00:10:96::/112
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[Lab]:
    """The lab as a cluster."""
    inventory = write_inventory(tmp_path_factory.mktemp("six"), INVENTORY, k8s_cluster=CLUSTER)
    with Lab("six", inventory, logs).bare() as made:
        for host in ("cp-1", "node-1"):
            counts = recap(made.run("playbooks/cluster.yml", "--limit", host))
            assert set(counts) - {"localhost"} == {host}
        yield made


def test_nodes_and_api_server_have_ipv6_addresses_only(cluster: Lab) -> None:
    network = default_subnet(cluster.name, 6)
    found = [
        item["address"]
        for node in pods.get(cluster, "nodes")
        for item in node["status"]["addresses"]
        if item["type"] == "InternalIP"
    ]
    assert found == [address(network, 11), address(network, 21)]
    assert f"server: https://[{address(network, 11)}]:6443" in cluster.kubeconfig.read_text()


def test_pods_and_services_answer(cluster: Lab) -> None:
    probes = pods.start_probes(cluster, pods.names_service("SingleStack"))
    assert all(":" in ip for ips in probes.values() for ip in ips)
    pods.assert_pods_reach_each_other(cluster, probes)
    pods.assert_service_answers(cluster, pods.service_addresses(cluster))


def test_the_second_run_changes_nothing(cluster: Lab) -> None:
    counts = recap(cluster.run("playbooks/cluster.yml"))
    assert {"cp-1", "node-1"} <= set(counts)
    assert changes(counts) == {}
