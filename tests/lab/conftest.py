"""One lab for all tests of this folder: made bare, and taken down at the end.

TRAINYARD_LAB_INVENTORY names the inventory of a lab that stays; MLSTACK_LAB is then its name.
TRAINYARD_TEST_LAB is the name of the one that is made, for two checkouts that test at once on one machine.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator

import pytest

from tests.lab.support.lab import Lab
from tests.lab.support.local_cluster import find_data, make_python
from tests.support.paths import RELEASE, ROOT

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
    with Lab(os.environ.get("TRAINYARD_TEST_LAB", "kill"), ROOT / "inventories/lab/hosts.ini", logs).bare() as lab:
        yield lab


@pytest.fixture(scope="session")
def converged_lab(logs: Path, request: pytest.FixtureRequest) -> Lab:
    """Nodes on which site.yml has ended well: a lab that is there already, else the one of the other tests."""
    inventory = os.environ.get("TRAINYARD_LAB_INVENTORY")
    lab: Lab
    if inventory:
        lab = Lab(os.environ["MLSTACK_LAB"], Path(inventory), logs)
    else:
        lab = request.getfixturevalue("bare_lab")
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
