"""Three control planes behind a load balancer of the site, `mlstack_api_endpoint`; the first one is lost for good."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab.subnet import address, default_subnet
from tests.lab.support.forwarder import forwarded
from tests.lab.support.lab import KUBECTL, Lab, changes, inventory_of, recap, until, write_inventory

pytestmark = [pytest.mark.lab, pytest.mark.long]

NAME = "endpoint"
SUBNET = default_subnet(NAME)
# The machine's own address in the network of the lab.
ENDPOINT = (str(ipaddress.ip_network(SUBNET).network_address + 1), 7443)
ADDRESS = f"{ENDPOINT[0]}:{ENDPOINT[1]}"
CLUSTER = "playbooks/cluster.yml"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[Lab]:
    """The cluster."""
    inventory = write_inventory(tmp_path_factory.mktemp("endpoint"), inventory_of(3, mlstack_api_endpoint=ADDRESS))
    servers = [(address(SUBNET, number), 6443) for number in (11, 12, 13)]
    with Lab(NAME, inventory, logs).bare() as made, forwarded(ENDPOINT, servers):
        made.run(CLUSTER)
        yield made


def test_nodes_and_the_controller_know_the_endpoint(lab: Lab) -> None:
    server = f"server: https://{ADDRESS}"
    assert server in lab.kubeconfig.read_text(encoding="utf-8")
    for host, name in [("cp-1", "admin"), ("cp-3", "admin"), ("node-1", "kubelet")]:
        assert server in lab.told(host, f"cat /etc/kubernetes/{name}.conf")
    assert lab.kubectl("get nodes --no-headers").count(" Ready ") == len(lab.hosts)


def test_the_second_run_changes_nothing(lab: Lab) -> None:
    assert changes(recap(lab.run(CLUSTER))) == {}


def test_it_answers_without_the_first_one(lab: Lab) -> None:
    lab.lose("cp-1")
    until(lambda: lab.ssh("cp-2", f"{KUBECTL} get --raw /readyz").returncode == 0, "the API again", 60)
    lab.told("cp-2", f"{KUBECTL} delete node cp-1")
    # Another one leads now: the kubeconfig gets its certificate, and it looks through the secrets once.
    assert set(changes(recap(lab.run(CLUSTER, "--limit", "all:!cp-1")))) <= {"cp-2"}
    assert changes(recap(lab.run(CLUSTER, "--limit", "all:!cp-1"))) == {}
