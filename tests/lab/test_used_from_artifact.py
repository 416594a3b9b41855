"""The built artifact alone, from /, against a user's inventory: nothing of the checkout helps it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.lab.conftest import WITHOUT_SAMPLES
from tests.lab.support.lab import BIN, Lab, changes, recap
from tests.support.paths import ROOT

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a collections path that holds the artifact and nothing else."""
    work = tmp_path_factory.mktemp("artifact")
    galaxy = [str(BIN / "ansible-galaxy"), "collection"]
    environment = outside(work / "collections")
    subprocess.run([str(ROOT / "dev" / "copy-tracked"), str(work / "source")], check=True)
    build = [*galaxy, "build", "--output-path", str(work), str(work / "source")]
    subprocess.run(build, cwd="/", env=environment, check=True, capture_output=True)
    install = [*galaxy, "install", "--offline", "--no-deps", "--collections-path", str(work / "collections")]
    packed = str(next(work.glob("*.tar.gz")))
    subprocess.run([*install, packed], cwd="/", env=environment, check=True, capture_output=True)
    return work / "collections"


def outside(collections: Path) -> dict[str, str]:
    """Return the environment of a user who has no ansible.cfg of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    return {**kept, "ANSIBLE_COLLECTIONS_PATH": str(collections), "LC_ALL": "C.UTF-8"}


def test_site_runs_in_check_mode_from_the_root_folder(installed: Path, converged_lab: Lab) -> None:
    command = [str(BIN / "ansible-playbook"), "-i", str(converged_lab.inventory.resolve()), "trainyard.mlstack.site"]
    environment = {**outside(installed), "MLSTACK_LAB": converged_lab.name}
    done = subprocess.run(
        [*command, "--check", "--diff", *converged_lab.arguments, *WITHOUT_SAMPLES],
        cwd="/",
        env=environment,
        stdin=subprocess.DEVNULL,
        text=True,
        capture_output=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    counts = recap(done.stdout)
    assert converged_lab.hosts <= set(counts)
    assert changes(counts) == {}
