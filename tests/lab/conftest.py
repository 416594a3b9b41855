"""The labs of this folder's tests: one with a cluster, and one whose nodes are made bare.

TRAINYARD_LAB=molecule takes molecule's lab, which its scenario has converged, for the tests that need a cluster;
any other name takes a lab of inventories/lab that stays. Without the variable they converge the bare lab.
TRAINYARD_TEST_LAB is the name of the bare one, for two checkouts that test at once on one machine.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator

import pytest

from tests.lab.support.lab import Lab
from tests.lab.support.local_cluster import find_data, make_python
from tests.support.paths import RELEASE, ROOT

INVENTORY = ROOT / "inventories/lab/hosts.ini"
# The tests here are about the way to the cluster; what runs on it is molecule's.
WITHOUT_SAMPLES = ("-e", '{"mlstack_samples": []}')
VERIFIED = (*WITHOUT_SAMPLES, "-e", "mlstack_verify=full")


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the output of each run."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="session")
def bare_lab(logs: Path) -> Iterator[Lab]:
    """Nodes that nothing was done to."""
    with Lab(os.environ.get("TRAINYARD_TEST_LAB", "kill"), INVENTORY, logs).bare() as lab:
        yield lab


@pytest.fixture(scope="session")
def converged_lab(logs: Path, request: pytest.FixtureRequest) -> Lab:
    """Nodes on which site.yml has ended well: a lab that is there already, else the one of the other tests."""
    name = os.environ.get("TRAINYARD_LAB")
    if name == "molecule":
        return Lab(name, INVENTORY, logs, ("-e", f"@{ROOT / 'molecule/default/vars/site.yml'}"))
    lab: Lab = Lab(name, INVENTORY, logs) if name else request.getfixturevalue("bare_lab")
    lab.converge(*VERIFIED)
    return lab


@pytest.fixture(scope="module")
def verifiable_lab(converged_lab: Lab) -> Lab:
    """The converged lab, with the image that a full verification runs on its nodes, where others left it bare, too."""
    held = f"ctr --namespace k8s.io images list --quiet name=={RELEASE['images']['tensorflow']}"
    if not all(converged_lab.ssh(node, held).stdout.strip() for node in converged_lab.groups["kube_node"]):
        converged_lab.converge(*VERIFIED)
    return converged_lab


@pytest.fixture
def fresh_lab(bare_lab: Lab) -> Lab:
    """The lab, bare again."""
    bare_lab.renew()
    return bare_lab


@pytest.fixture(scope="session")
def tensorflow() -> Path:
    """A Python that has the release's TensorFlow, without Kubernetes."""
    return make_python()


@pytest.fixture(scope="session")
def digits() -> Path:
    """The samples' data."""
    return find_data()
