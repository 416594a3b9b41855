# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""molecule ends a scenario Successful when its plays match no host. These fail before that can happen."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tests.support.paths import ROOT

BIN = Path(sys.executable).parent
GROUPS = ("kube_control_plane", "kube_node", "k8s_cluster")
SCENARIOS = sorted(path.parent for path in ROOT.glob("molecule/*/molecule.yml"))
ENVIRONMENT = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "PATH": f"{BIN}:{os.environ['PATH']}"}


def inventory_of_all_scenarios() -> Path:
    """Return the inventory that molecule's base config gives to each playbook."""
    settings = yaml.safe_load((ROOT / ".config/molecule/config.yml").read_text())
    arguments = settings["ansible"]["executor"]["args"]["ansible_playbook"]
    values = [argument.split("=", 1)[1] for argument in arguments if argument.startswith("--inventory=")]
    assert len(values) == 1, f"one --inventory is needed in .config/molecule/config.yml, not {values}"
    return Path(values[0].replace("${MOLECULE_PROJECT_DIRECTORY}", str(ROOT)))


def conftest(scenario: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"conftest_of_{scenario.name}", scenario / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_is_a_scenario() -> None:
    assert [scenario.name for scenario in SCENARIOS].count("default") == 1


def test_the_inventory_that_molecule_gives_has_hosts() -> None:
    command = [str(BIN / "ansible-inventory"), "-i", str(inventory_of_all_scenarios()), "--list"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT, cwd=ROOT)
    groups = json.loads(done.stdout)
    assert [name for name in GROUPS if not {"hosts", "children"} & set(groups.get(name, {}))] == []
    assert groups["_meta"]["hostvars"]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_converge_refuses_an_empty_inventory_before_anything_else(scenario: Path, tmp_path: Path) -> None:
    (tmp_path / "hosts.ini").write_text("[kube_control_plane]\n[kube_node]\n[k8s_cluster]\n")
    command = [str(BIN / "ansible-playbook"), "-i", str(tmp_path / "hosts.ini"), str(scenario / "converge.yml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=ROOT)
    assert done.returncode != 0
    assert "has no host, so nothing would be tested" in " ".join(done.stdout.split())
    assert done.stdout.count("PLAY [") == 1


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_verify_refuses_a_group_without_hosts(scenario: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", ENVIRONMENT["PATH"])
    with pytest.raises(pytest.UsageError, match="group nobody has no host"):
        conftest(scenario).members("nobody")
