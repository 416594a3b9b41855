"""A cluster of the one machine on which Ansible runs, by connection local, with a network plugin of the user."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

from tests.lab.conftest import WITHOUT_SAMPLES
from tests.lab.support.lab import BIN, KUBECTL, Lab, changes, recap, write_inventory
from tests.support.paths import ROOT, bundle_dir

pytestmark = [pytest.mark.lab, pytest.mark.long]

NAME = "alone"
LAB_INVENTORY = """
[lab]
box lab_host=11
[kube_control_plane]
box
[kube_node]
box
"""
# What the user of the machine has, in a folder of the machine.
INVENTORY = """
[kube_control_plane]
localhost ansible_connection=local
[kube_node]
localhost
[k8s_cluster:children]
kube_control_plane
kube_node
[k8s_cluster:vars]
ansible_become=true
mlstack_pod_network=none
"""
FOLDER = "/root/inventory"
PLUGIN = {
    "cniVersion": "0.4.0",
    "name": "mine",
    "plugins": [
        {
            "type": "bridge",
            "bridge": "mine0",
            "isGateway": True,
            "ipMasq": True,
            "ipam": {
                "type": "host-local",
                "ranges": [[{"subnet": "10.244.0.0/24"}]],
                "routes": [{"dst": "0.0.0.0/0"}],
            },
        }
    ],
}


def on_the_machine(command: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a shell command on the machine, as its root user does."""
    argv = ["podman", "exec", "--interactive", "--workdir", str(ROOT), f"{NAME}-box", "sh", "-c", command]
    return subprocess.run(argv, input=text, text=True, capture_output=True, check=False, timeout=900)


def playbook(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a playbook on the machine, against its own inventory."""
    environment = f"HOME=/root LC_ALL=C.UTF-8 ANSIBLE_CONFIG={ROOT}/ansible.cfg MLSTACK_LAB={NAME}"
    words = " ".join(f"'{word}'" for word in arguments)
    return on_the_machine(f"{environment} {BIN}/ansible-playbook -i {FOLDER}/hosts.ini playbooks/{name}.yml {words}")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[Lab]:
    """A bare machine that has Ansible, the collection, a bundle and an inventory of itself."""
    inventory = write_inventory(tmp_path_factory.mktemp("machine"), LAB_INVENTORY)
    shown = [ROOT, BIN.resolve().parent, Path(sys.base_prefix), bundle_dir()]
    settings = f"{ROOT}/inventories/lab/group_vars/all.yml"
    options = json.dumps({"lab_shown_folders": [str(path) for path in shown]})
    with Lab(NAME, inventory, logs).bare("-e", options) as lab:
        for command, text in (
            (f"mkdir --parents {FOLDER}/group_vars /etc/cni/net.d && cp {settings} {FOLDER}/group_vars", ""),
            (f"cat > {FOLDER}/hosts.ini", INVENTORY),
            ("cat > /etc/cni/net.d/05-mine.conflist", json.dumps(PLUGIN)),
        ):
            assert on_the_machine(command, text).returncode == 0
        yield lab


@pytest.fixture(scope="module")
def cluster(machine: Lab) -> Lab:
    """The machine as a cluster."""
    done = playbook("cluster", *WITHOUT_SAMPLES)
    assert done.returncode == 0, done.stdout + done.stderr
    return machine


def test_ordinary_pods_run_on_the_one_node(cluster: Lab) -> None:
    done = on_the_machine(f"{KUBECTL} --namespace kube-system rollout status --timeout 100s deployment/coredns")
    assert done.returncode == 0, done.stderr
    (node,) = json.loads(on_the_machine(f"{KUBECTL} get nodes --output json").stdout)["items"]
    assert (node["metadata"]["name"], node["spec"].get("taints", [])) == ("box", [])


def test_pods_are_on_the_network_that_the_user_brought(cluster: Lab) -> None:
    assert on_the_machine("ls /etc/cni/net.d").stdout.split() == ["05-mine.conflist"]
    namespaces = on_the_machine(f"{KUBECTL} get namespaces --output name").stdout
    assert "namespace/kube-system" in namespaces
    assert "flannel" not in namespaces
    assert "10.244.0." in on_the_machine("ip -brief address show mine0").stdout


def test_the_second_run_changes_nothing(cluster: Lab) -> None:
    done = playbook("cluster", *WITHOUT_SAMPLES)
    counts = recap(done.stdout)
    assert "localhost" in counts, done.stdout + done.stderr
    assert changes(counts) == {}


def test_a_second_network_plugin_is_refused(cluster: Lab) -> None:
    done = playbook("cluster", *WITHOUT_SAMPLES, "-e", "mlstack_pod_network=flannel")
    assert done.returncode != 0
    assert "/etc/cni/net.d = 05-mine.conflist" in " ".join(done.stdout.split())


def taints() -> list[str]:
    (node,) = json.loads(on_the_machine(f"{KUBECTL} get nodes --output json").stdout)["items"]
    return [taint["key"] for taint in node["spec"].get("taints", [])]


def test_the_control_plane_follows_the_inventory(cluster: Lab) -> None:
    """As if the host were taken out of kube_node, which one machine alone cannot be, and put back."""
    keep_away = ("--tags", "kubernetes", "-e", '{"kubernetes_control_plane_schedulable": false}')
    foretold = playbook("cluster", *WITHOUT_SAMPLES, *keep_away, "--check")
    assert recap(foretold.stdout)["localhost"].changed > 0
    assert taints() == []
    assert playbook("cluster", *WITHOUT_SAMPLES, *keep_away).returncode == 0
    assert taints() == ["node-role.kubernetes.io/control-plane"]
    assert playbook("cluster", *WITHOUT_SAMPLES, "--tags", "kubernetes").returncode == 0
    assert taints() == []
    counts = recap(playbook("cluster", *WITHOUT_SAMPLES, "--tags", "kubernetes").stdout)
    assert counts["localhost"].changed == 0
