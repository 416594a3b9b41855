# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the bundle lacks is refused before anything is sent, with each package and the playbook to run."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.action.node_packages import repository
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle_index import Entry

SYSTEM = "packages/debian-12-amd64"


def entry(system: str, name: str) -> Entry:
    return Entry(f"{system}/{name}.deb", "package", name, "0" * 64, 1, "0644", "upstream")


ENTRIES = [entry(SYSTEM, "socat"), entry("packages/debian-1", "jq"), entry("packages/debian-12-amd64x", "jq")]


def test_only_the_hosts_own_system_counts() -> None:
    assert repository(ENTRIES, SYSTEM, ["socat"], "/b") == ENTRIES[:1]


@pytest.mark.parametrize(
    ("system", "names", "words"),
    [
        (SYSTEM, ["socat", "jq", "bc"], "bundle /b has no package bc, jq in packages/debian-12-amd64. Make them on"),
        ("packages/ubuntu-24.04-amd64", ["socat"], "bundle /b has no packages/ubuntu-24.04-amd64. Make them on"),
        ("", ["socat"], "bundle /b has no packages. Make them on"),
    ],
)
def test_what_is_lacking_is_named(system: str, names: list[str], words: str) -> None:
    with pytest.raises(AnsibleActionFail) as refused:
        repository(ENTRIES, system, names, "/b")
    assert words in str(refused.value)
    assert "playbooks/bundle_packages.yml" in str(refused.value)
