"""What this Python can do, Debian 13's can too, with the newest ansible-core."""

from __future__ import annotations

import re
import subprocess
from typing import Iterator

import pytest

from tests.debian13.controller import Controller
from tests.lab.support.lab import Lab, recap
from tests.support.paths import CACHE, ROOT

pytestmark = pytest.mark.lab
LAB = "debian13"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Bare nodes. Made first, since this also installs what makes images and containers here."""
    with Lab(LAB, ROOT / "inventories/lab/hosts.ini", tmp_path_factory.mktemp("runs")).bare() as lab:
        yield lab


@pytest.fixture(scope="module")
def controller(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Controller:
    """A container with a copy of the checkout."""
    source = tmp_path_factory.mktemp("debian13") / "ansible_collections/trainyard/mlstack"
    subprocess.run([str(ROOT / "dev/copy-tracked"), str(source)], check=True)
    # The contract tests ask git which files there are.
    for command in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", "-C", str(source), *command], check=True)
    image = CACHE / "debian13" / "image"
    image.parent.mkdir(parents=True, exist_ok=True)
    lab.run("tests/debian13/image.yml", "-e", f"image_file={image}")
    controller = Controller(image.read_text(encoding="utf-8"), source)
    controller.prepare()
    return controller


def test_it_is_the_newer_python_and_the_newer_core(controller: Controller) -> None:
    found = re.search(r"core (\d+)\.(\d+)[\s\S]*python version = 3\.(\d+)", controller.run("ansible --version"))
    assert found, "ansible --version tells neither"
    core, minor, python = (int(number) for number in found.groups())
    assert (core, minor) > (2, 19)
    assert python >= 13


def test_unit_tests_pass(controller: Controller) -> None:
    output = controller.run("python -m pytest tests/unit -q -p no:cacheprovider")
    passed = re.search(r"(\d+) passed", output)
    assert int(passed.group(1) if passed else 0) > 1000, output


def test_check_mode_ends_well_on_bare_nodes(controller: Controller, lab: Lab) -> None:
    output = controller.run("ansible-playbook -i inventories/lab/hosts.ini site.yml --check --diff", MLSTACK_LAB=LAB)
    counts = recap(output)
    assert lab.hosts <= set(counts)
    assert all(counts[host].changed > 5 and counts[host].failed == 0 for host in lab.hosts), counts
    assert lab.ssh("cp-1", "ls /etc/kubernetes /usr/local/bin/kubelet").returncode != 0
    assert "DEPRECATION WARNING" not in output, output


@pytest.mark.long
def test_sanity_passes(controller: Controller) -> None:
    controller.run(f"ln -sfn {controller.environment} .venv && dev/sanity")
