"""The nodes of molecule's lab, for testinfra, whose Ansible backend would take addresses without rendering them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import testinfra
import yaml
from kubernetes import client, config
from testinfra.host import Host
from testinfra.utils.ansible_runner import AnsibleRunner

ROOT = Path(__file__).resolve().parents[2]
INVENTORY = ROOT / "inventories/lab/hosts.ini"
LAB = Path.home() / ".cache/trainyard/labs/molecule"


def members(group: str) -> list[str]:
    """Return the hosts of the group; an inventory without hosts raises, and a group without any is refused here."""
    names: list[str] = AnsibleRunner(str(INVENTORY)).get_hosts(group)
    if not names:
        raise pytest.UsageError(f"group {group} has no host: nothing would be tested")
    return names


def connect(name: str) -> Host:
    """Return the node of this name, reached as the lab says."""
    return testinfra.get_host(f"ssh://{name}", ssh_config=str(LAB / "ssh_config"))


@pytest.fixture(scope="session", params=members("k8s_cluster"))
def node(request: pytest.FixtureRequest) -> Host:
    """Each node of the cluster in turn."""
    return connect(request.param)


@pytest.fixture(scope="session", params=members("kube_control_plane"))
def control_plane(request: pytest.FixtureRequest) -> Host:
    """Each control plane in turn."""
    return connect(request.param)


@pytest.fixture(scope="session", params=members("kube_node"))
def worker(request: pytest.FixtureRequest) -> Host:
    """Each worker in turn."""
    return connect(request.param)


@pytest.fixture(scope="session")
def lab_dir() -> Path:
    """The lab's folder on this machine."""
    return LAB


@pytest.fixture(scope="session")
def release() -> dict[str, Any]:
    """The newest release: what a run without mlstack_release installs."""
    return dict(yaml.safe_load(max((ROOT / "releases").glob("*.yml")).read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def api(lab_dir: Path) -> client.ApiClient:
    """The cluster's API, by the kubeconfig that site.yml brought to this machine."""
    return config.new_client_from_config(str(lab_dir / "kubeconfig"))


@pytest.fixture(scope="session")
def site() -> dict[str, Any]:
    """What the site sets of its own."""
    return dict(yaml.safe_load((ROOT / "molecule/default/vars/site.yml").read_text(encoding="utf-8")))
