# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._release import known_releases

ROOT = Path(__file__).parents[4]


def bundle_dir(**variables: Any) -> str:
    """Return what a playbook with these variables gets."""
    ansible = str(Path(sys.executable).with_name("ansible"))
    module = ["-m", "ansible.builtin.debug", "-a", json.dumps({"msg": "{{ lookup('trainyard.mlstack.bundle_dir') }}"})]
    argv = [ansible, "localhost", "-i", "localhost,", "-c", "local", *module, "-e", json.dumps(variables)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    found = re.search(r"msg: (\S+)", done.stdout)
    assert found, done.stdout
    return found.group(1)


def test_the_newest_release_below_the_cache_by_default() -> None:
    path = Path(bundle_dir(mlstack_architecture="arm64"))
    assert path == Path("~/.cache/trainyard/bundles").expanduser() / f"{known_releases()[-1]}-arm64"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"mlstack_cache_dir": "/c", "mlstack_release": "2026.08"}, "/c/bundles/2026.08-amd64"),
        ({"mlstack_bundle_dir": "/my/bundle", "mlstack_release": "2026.08"}, "/my/bundle"),
    ],
)
def test_the_users_variables_win(variables: dict[str, str], expected: str) -> None:
    assert bundle_dir(mlstack_architecture="amd64", **variables) == expected


def test_home_is_expanded() -> None:
    assert bundle_dir(mlstack_bundle_dir="~/b") == str(Path("~/b").expanduser())
