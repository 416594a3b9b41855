# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module on the machine that runs the tests: whatever it is, it can be read."""

from __future__ import annotations

import os
import time

from tests.unit.conftest import RunModule


def test_reads_this_machine_and_leaves_the_fact(run_module: RunModule) -> None:
    wanted = {"sysctls": ["kernel.ostype"], "modules": ["no_such_module"]}
    result = run_module("node_info", check=True, name="Some-Name", **wanted)
    node = result["node"]
    assert result["ansible_facts"] == {"mlstack_node": node}
    assert not result["changed"]
    assert node["name"] == "some-name"
    assert node["architecture"] == os.uname().machine
    assert node["sysctls"] == {"kernel.ostype": "Linux"}
    assert node["modules"] == {"no_such_module": "absent"}
    assert abs(node["clock"] - time.time()) < 60
