# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import Entry
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.entries import pick

KNOWN = {name: Entry(f"images/{name}.tar", "image", name, "0" * 64, 1, "0644", "build") for name in ("pause", "etcd")}


def test_entries_come_in_the_order_they_were_asked_for() -> None:
    assert [entry.name for entry in pick("/b", KNOWN, ["pause", "etcd"])] == ["pause", "etcd"]


def test_everything_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(AnsibleActionFail, match=r"bundle /b has no image a, b: .*playbooks/bundle.yml"):
        pick("/b", KNOWN, ["b", "pause", "a"], noun="image")
    with pytest.raises(AnsibleActionFail, match=r"bundle /b has no bin/x: make it again"):
        pick("/b", KNOWN, ["bin/x"])
