# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a release names is what its own kubeadm asks for."""

from __future__ import annotations

import subprocess

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import load_release
from tests.support.paths import bundle_dir

pytestmark = pytest.mark.api


def test_kubeadm_lists_the_images_of_the_release() -> None:
    release = load_release(read_index(str(bundle_dir())).release)
    kubeadm = str(bundle_dir() / "bin/kubeadm")
    done = subprocess.run(
        [kubeadm, "config", "images", "list", "--kubernetes-version", f"v{release['components']['kubernetes']}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stdout.split()) <= set(release["images"].values())
    assert len(done.stdout.split()) == 7
