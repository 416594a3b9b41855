"""One lab of all that a site's network may be: two cards, both IP versions, names in upper case, a host without Python.

SSH comes by the first card; the cluster is on the second one, which kubespray's variable `ip` names.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab.subnet import address, default_subnet
from tests.lab.support import pods
from tests.lab.support.lab import Lab, changes, recap, write_inventory

pytestmark = pytest.mark.lab

CONTROL_PLANE, WORKER = "CP-1.Example.ORG", "GPU-Node01.Example.ORG"
INVENTORY = """
all:
  vars:
    lab_ipv6: true
    lab_second_network: true
    lab_second_subnet: "{{ (lab_name ~ '-second') | trainyard.mlstack.lab_subnet }}"
  children:
    kube_control_plane: {hosts: {CP-1.Example.ORG: {lab_host: 11}}}
    kube_node: {hosts: {GPU-Node01.Example.ORG: {lab_host: 21}}}
    etcd: {hosts: {CP-1.Example.ORG: }}
    calico_rr: {hosts: {}}
    lab: {children: {k8s_cluster: }}
    k8s_cluster:
      children: {kube_control_plane: , kube_node: , calico_rr: }
      vars:
        ip: "{{ lab_second_subnet | trainyard.mlstack.lab_address(lab_host) }}"
        mlstack_pod_cidr: 10.244.0.0/16,fd00:10:244::/56
        mlstack_service_cidr: 10.96.0.0/16,fd00:10:96::/112
"""


def without_python(lab: Lab, host: str) -> None:
    """Make of a node one whose image came without Python."""
    lab.told(host, "apt-get purge --yes --autoremove python3-minimal libpython3.11-minimal; ! command -v python3")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[Lab]:
    """The lab, bare."""
    inventory = write_inventory(tmp_path_factory.mktemp("families"), INVENTORY, "hosts.yml")
    with Lab("families", inventory, logs).bare() as made:
        without_python(made, WORKER)
        yield made


def test_preflight_alone_names_the_host_without_python_and_changes_nothing(lab: Lab) -> None:
    run = lab.start("playbooks/preflight.yml")
    assert run.wait() != 0
    told = " ".join(run.output.split())
    assert f"{WORKER}: python3 = absent" in told
    assert f"trainyard.mlstack.bootstrap --limit {WORKER}" in told
    assert lab.ssh(WORKER, "command -v python3").returncode != 0


@pytest.mark.long
def test_check_mode_says_what_it_would_do_there_and_goes_on_with_the_others(lab: Lab) -> None:
    counts = recap(output := lab.run("playbooks/cluster.yml", "--check"))
    assert f"[{WORKER}] host_python: python3 would be installed" in output
    assert counts[CONTROL_PLANE].ok > counts[WORKER].ok
    assert lab.ssh(WORKER, "command -v python3").returncode != 0


@pytest.fixture(scope="module")
def cluster(lab: Lab) -> Lab:
    """The lab as a cluster."""
    lab.run("playbooks/cluster.yml")
    return lab


def addresses(lab: Lab, number: int) -> list[str]:
    """Return a node's addresses on the second network."""
    return [address(default_subnet(f"{lab.name}-second", version), number) for version in (4, 6)]


def test_nodes_bear_their_names_in_lower_case_and_the_addresses_of_the_second_card(cluster: Lab) -> None:
    found = {
        node["metadata"]["name"]: [
            item["address"] for item in node["status"]["addresses"] if item["type"] == "InternalIP"
        ]
        for node in pods.get(cluster, "nodes")
    }
    assert found == {CONTROL_PLANE.lower(): addresses(cluster, 11), WORKER.lower(): addresses(cluster, 21)}


def test_every_part_of_the_cluster_listens_and_speaks_on_the_second_card(cluster: Lab) -> None:
    own = addresses(cluster, 11)[0]
    assert f"server: https://{own}:6443" in cluster.kubeconfig.read_text()
    manifests = cluster.ssh(CONTROL_PLANE, "cat /etc/kubernetes/manifests/*.yaml").stdout
    assert f"--advertise-address={own}" in manifests
    assert f"--listen-peer-urls=https://{own}:2380" in manifests
    links = json.loads(cluster.ssh(CONTROL_PLANE, "ip -json -details link show type vxlan").stdout)
    below = {link["ifname"]: link["linkinfo"]["info_data"]["link"] for link in links}
    assert below == {"flannel.1": "eth1", "flannel-v6.1": "eth1"}


@pytest.fixture(scope="module")
def probes(cluster: Lab) -> dict[str, list[str]]:
    """The addresses of a pod on each node, by the node's name."""
    return pods.start_probes(cluster, pods.names_service("RequireDualStack"))


def test_pods_have_both_addresses_and_reach_each_other_by_both(cluster: Lab, probes: dict[str, list[str]]) -> None:
    assert set(probes) == {CONTROL_PLANE.lower(), WORKER.lower()}
    assert [[":" in ip for ip in ips] for ips in probes.values()] == [[False, True], [False, True]]
    pods.assert_pods_reach_each_other(cluster, probes)


def test_a_service_answers_by_both(cluster: Lab, probes: dict[str, list[str]]) -> None:
    found = pods.service_addresses(cluster)
    assert [":" in ip for ip in found] == [False, True]
    pods.assert_service_answers(cluster, found)


def test_the_second_run_changes_nothing(cluster: Lab) -> None:
    counts = recap(cluster.run("playbooks/cluster.yml"))
    assert {CONTROL_PLANE, WORKER} <= set(counts)
    assert changes(counts) == {}


@pytest.mark.long
def test_a_living_cluster_changes_to_routes_and_back(cluster: Lab, probes: dict[str, list[str]]) -> None:
    """Pods that are there keep their addresses, and reach each other by the new way."""
    ways = {"routes": "dev eth1", "flannel": "dev flannel"}
    for kind, way in ways.items():
        arguments = ("--tags", "pod_network", "-e", f"mlstack_pod_network={kind}")
        cluster.run("playbooks/cluster.yml", *arguments)
        pods.assert_pods_reach_each_other(cluster, probes)
        for ip in probes[WORKER.lower()]:
            assert way in cluster.ssh(CONTROL_PLANE, f"ip route get {ip}").stdout
        counts = recap(cluster.run("playbooks/cluster.yml", *arguments))
        assert changes(counts) == {}
