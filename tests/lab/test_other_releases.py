# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bundles of older releases can still be built from what is committed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle_index import read_index, verify
from ansible_collections.trainyard.mlstack.plugins.module_utils._release import known_releases, load_release

ROOT = Path(__file__).parents[2]
ANSIBLE = str(Path(sys.executable).parent / "ansible-playbook")


def bundle_of(name: str) -> Path:
    """Build the bundle of a release, beside the others, and return its folder."""
    options = ["-e", f"mlstack_release='{name}'", "-e", "mlstack_bundle_source=build"]
    subprocess.run(
        [ANSIBLE, "playbooks/bundle.yml", *options],
        cwd=ROOT,
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        stdin=subprocess.DEVNULL,
        check=True,
    )
    cache = os.path.expanduser("~/.cache/trainyard")
    machine = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
    return Path(cache, "bundles", f"{name}-{machine}")


@pytest.mark.long
@pytest.mark.parametrize("name", known_releases()[:-1])
def test_an_older_release_can_be_built(name: str) -> None:
    bundle = bundle_of(name)
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
