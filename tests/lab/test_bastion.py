"""Nodes behind a bastion: SSH comes by it alone, and the API server cannot be reached from the controller at all."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab.subnet import address, default_subnet
from tests.lab.conftest import WITHOUT_SAMPLES
from tests.lab.support.lab import Lab, changes, recap, write_inventory

pytestmark = [pytest.mark.lab, pytest.mark.long]

INVENTORY = """
[bastion]
jump lab_host=5
[kube_control_plane]
cp-1 lab_host=11
[kube_node]
cp-1
[k8s_cluster:children]
kube_control_plane
kube_node
[lab:children]
k8s_cluster
bastion
"""
# A variable of the cluster's group, as a user with a bastion has it.
JUMP = """
ansible_ssh_common_args: -F '{{ lab_dir }}/ssh_config' -J jump
"""
# What the controller's own address may not reach; all others may.
CLOSE = "iptables -A INPUT -s $(ip route show default | cut -d' ' -f3) -p tcp -m multiport --dports 22,6443 -j DROP"
MESSAGE = "name one that can: mlstack_api_host"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[Lab]:
    """A node that is also its cluster's control plane, and the bastion before it."""
    inventory = write_inventory(tmp_path_factory.mktemp("bastion"), INVENTORY)
    with Lab("bastion", inventory, logs).bare() as made:
        (inventory.parent / "group_vars/k8s_cluster.yml").write_text(JUMP, encoding="utf-8")
        # The packet filter's program and the rule go in by a door that they do not close.
        command = f"apt-get update -q && apt-get install -q --yes iptables && {CLOSE}"
        subprocess.run(["podman", "exec", "bastion-cp-1", "sh", "-c", command], check=True, capture_output=True)
        yield made


def test_the_door_is_closed(lab: Lab) -> None:
    with pytest.raises(OSError, match="timed out"):
        socket.create_connection((address(default_subnet(lab.name), 11), 22), timeout=2)


def test_an_api_server_out_of_reach_is_told_with_the_way_out(lab: Lab) -> None:
    run = lab.start("playbooks/cluster.yml", "-e", "pod_network_timeout=5")
    assert run.wait() != 0
    assert MESSAGE in " ".join(run.output.split())


def test_all_of_it_runs_on_the_control_plane_instead(lab: Lab) -> None:
    lab.run("site.yml", *WITHOUT_SAMPLES, "-e", "mlstack_api_host=cp-1")
    counts = recap(lab.run("site.yml", *WITHOUT_SAMPLES, "-e", "mlstack_api_host=cp-1"))
    assert changes(counts) == {}
