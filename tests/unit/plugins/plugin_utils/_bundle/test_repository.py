# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the bundle lacks is refused before anything is sent, with each package and the playbook to run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.repository import repository

SYSTEM = "packages/debian-12-amd64"
PATHS = [f"{SYSTEM}/socat.deb", "packages/debian-1/jq.deb", "packages/debian-12-amd64x/jq.deb"]


@pytest.fixture
def bundle(tmp_path: Path) -> str:
    """A bundle of packages for several systems, and a program that has the name of a package."""
    common = {"sha256": "0" * 64, "size": 1, "mode": "0644", "source": "upstream"}
    files = [{"path": path, "kind": "package", "name": Path(path).stem, **common} for path in PATHS]
    files.append({"path": f"{SYSTEM}/bc", "kind": "program", "name": "bc", **common})
    index = {"release": "1", "architecture": "amd64", "files": files}
    (tmp_path / "index.json").write_text(json.dumps(index))
    return str(tmp_path)


def test_only_the_hosts_own_system_counts(bundle: str) -> None:
    assert [entry.path for entry in repository(bundle, SYSTEM, ["socat"])] == PATHS[:1]


@pytest.mark.parametrize(
    ("system", "names", "words"),
    [
        (SYSTEM, ["socat", "jq", "bc"], "has no package bc, jq in packages/debian-12-amd64. Make them on"),
        ("packages/ubuntu-24.04-amd64", ["socat"], "has no packages/ubuntu-24.04-amd64. Make them on"),
        ("", ["socat"], "has no packages. Make them on"),
    ],
)
def test_what_is_lacking_is_named(bundle: str, system: str, names: list[str], words: str) -> None:
    with pytest.raises(AnsibleActionFail) as refused:
        repository(bundle, system, names)
    assert f"bundle {bundle} {words}" in str(refused.value)
    assert "playbooks/bundle_packages.yml" in str(refused.value)
