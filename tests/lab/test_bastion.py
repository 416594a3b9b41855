"""Nodes behind a bastion: SSH comes by it alone, and the API server cannot be reached from the controller at all."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from tests.lab.conftest import WITHOUT_SAMPLES
from tests.lab.lab import ROOT, Lab, recap

pytestmark = [pytest.mark.lab, pytest.mark.long]

INVENTORY = """
all:
  children:
    bastion: {hosts: {bastion: {lab_host: 5}}}
    kube_control_plane: {hosts: {cp-1: {lab_host: 11}}}
    kube_node: {hosts: {cp-1: }}
    lab: {children: {k8s_cluster: , bastion: }}
    k8s_cluster:
      children: {kube_control_plane: , kube_node: }
      vars:
        ansible_ssh_common_args: "-F '{{ lab_dir }}/ssh_config'%s"
"""
JUMP = " -J bastion"
# What the controller's own address may not reach; all others may.
CLOSE = "iptables -A INPUT -s $(ip route show default | cut -d' ' -f3) -p tcp -m multiport --dports 22,6443 -j DROP"
MESSAGE = "name one that can: mlstack_api_host"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[Lab]:
    """A node that is also its cluster's control plane, and the bastion before it."""
    folder = tmp_path_factory.mktemp("bastion")
    (folder / "group_vars").symlink_to(ROOT / "inventories/lab/group_vars")
    inventory = folder / "hosts.yml"
    inventory.write_text(INVENTORY % "", encoding="utf-8")
    made = Lab("bastion", inventory, logs)
    made.run("playbooks/lab_down.yml")
    made.run("playbooks/lab_up.yml")
    inventory.write_text(INVENTORY % JUMP, encoding="utf-8")
    # The packet filter's program and the rule go in by the door that it then closes.
    closed = made.ssh("cp-1", f"apt-get update -q && apt-get install -q --yes iptables && {CLOSE}")
    assert closed.returncode == 0 or "timed out" in closed.stderr, closed.stderr
    yield made
    made.run("playbooks/lab_down.yml")


def test_the_door_is_closed(lab: Lab) -> None:
    run = lab.start("playbooks/preflight.yml", "-e", "ansible_ssh_common_args=-F~/.cache/trainyard/labs/bastion/ssh_config")
    assert run.wait() != 0
    assert "cp-1: connection" in " ".join(run.output.split())


def test_an_api_server_out_of_reach_is_told_with_the_way_out(lab: Lab) -> None:
    run = lab.start("playbooks/cluster.yml", "-e", "pod_network_timeout=5")
    assert run.wait() != 0
    assert MESSAGE in " ".join(run.output.split())


def test_all_of_it_runs_on_the_control_plane_instead(lab: Lab) -> None:
    lab.run("site.yml", *WITHOUT_SAMPLES, "-e", "mlstack_api_host=cp-1")
    counts = recap(lab.run("site.yml", *WITHOUT_SAMPLES, "-e", "mlstack_api_host=cp-1"))
    assert {host: count.changed for host, count in counts.items() if count.changed} == {}
