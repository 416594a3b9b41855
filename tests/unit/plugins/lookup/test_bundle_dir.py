# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup as a playbook calls it, on hosts that each have variables of their own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import known_releases
from tests.support.paths import ROOT

HOSTS = {
    "default": {"mlstack_architecture": "arm64"},
    "cached": {"mlstack_architecture": "amd64", "mlstack_cache_dir": "/c", "mlstack_release": "2026.08"},
    "given": {"mlstack_architecture": "amd64", "mlstack_bundle_dir": "/my/bundle", "mlstack_release": "2026.08"},
    "home": {"mlstack_bundle_dir": "~/b"},
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each host gets, out of one run."""
    inventory = tmp_path_factory.mktemp("inventory") / "hosts.yml"
    inventory.write_text(json.dumps({"all": {"hosts": HOSTS}}))
    ansible = str(Path(sys.executable).with_name("ansible"))
    module = ["-m", "ansible.builtin.debug", "-a", json.dumps({"msg": "{{ lookup('trainyard.mlstack.bundle_dir') }}"})]
    argv = [ansible, "all", "-i", str(inventory), "-c", "local", *module]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return dict(re.findall(r"^(\w+) \| SUCCESS[^:]*?msg: (\S+)", done.stdout, re.MULTILINE))


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("default", str(Path("~/.cache/trainyard/bundles").expanduser() / f"{known_releases()[-1]}-arm64")),
        ("cached", "/c/bundles/2026.08-amd64"),
        ("given", "/my/bundle"),
        ("home", str(Path("~/b").expanduser())),
    ],
)
def test_the_users_variables_win(found: dict[str, str], host: str, expected: str) -> None:
    assert found[host] == expected
