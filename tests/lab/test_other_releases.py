# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Older releases: their bundles can still be built from what is committed, and a cluster of them runs a job."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index, verify
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import known_releases, load_release
from tests.lab.support.lab import BIN, Lab, changes, recap
from tests.support.paths import ROOT, bundle_dir

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=known_releases()[:-1])
def name(request: pytest.FixtureRequest) -> str:
    """A release, whose bundle has been built beside the others."""
    name: str = request.param
    options = ["-e", f"mlstack_release='{name}'", "-e", "mlstack_bundle_source=build"]
    subprocess.run(
        [str(BIN / "ansible-playbook"), "playbooks/bundle.yml", *options],
        cwd=ROOT,
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        stdin=subprocess.DEVNULL,
        check=True,
    )
    return name


def test_it_can_be_built(name: str) -> None:
    bundle = bundle_dir(name)
    release = load_release(name)
    assert verify(str(bundle)) == []
    assert {entry.source for entry in read_index(str(bundle)).files if entry.kind == "program"} == {"build"}

    version = f"v{release['components']['kubernetes']}"
    kubeadm = str(bundle / "bin/kubeadm")
    shown = subprocess.run([kubeadm, "version", "--output", "short"], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == version
    argv = [kubeadm, "config", "images", "list", "--kubernetes-version", version]
    listed = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert set(listed.stdout.split()) <= set(release["images"].values())
    for program, component in (("containerd", "containerd"), ("runc", "runc"), ("crictl", "cri_tools")):
        said = subprocess.run([str(bundle / "bin" / program), "--version"], capture_output=True, text=True, check=True)
        assert release["components"][component] in said.stdout


@pytest.fixture(scope="module")
def older(name: str, logs: Path) -> Iterator[Lab]:
    """Bare nodes of a lab of their own."""
    with Lab("older", ROOT / "inventories/lab/hosts.ini", logs).bare() as lab:
        yield lab


def test_a_cluster_of_it_runs_the_samples(name: str, older: Lab) -> None:
    options = ("-e", f"mlstack_release='{name}'", "-e", "mlstack_verify=full")
    older.converge(*options)
    versions = set(older.kubectl("get nodes --output 'jsonpath={.items[*].status.nodeInfo.kubeletVersion}'").split())
    assert versions == {f"v{load_release(name)['components']['kubernetes']}"}
    last = "jsonpath={.items[*].status.conditions[-1:].type}"
    ends = older.kubectl(f"--namespace mlstack-samples get tfjobs --output '{last}'")
    assert ends.split() == ["Succeeded", "Succeeded"]
    counts = recap(older.run("site.yml", *options))
    assert older.hosts <= set(counts)
    assert changes(counts) == {}
