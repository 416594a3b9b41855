# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module on the machine that runs the tests: whatever it is, it can be read."""

from __future__ import annotations

import os
import time

from tests.support.fake_upstream import serving
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


def test_tries_the_server_of_the_bundle(run_module: RunModule) -> None:
    index = b'{"release": "2026.11", "architecture": "amd64", "files": []}'
    proxy = "http://user:pa55@127.0.0.1:1"
    with serving({"/index.json": index}) as server:
        near = {"url": server.address, "http_proxy": proxy, "no_proxy": "127.0.0.0/8"}
        found = run_module("node_info", check=True, bundle_server=near)
        assert (found["node"]["served_bundle"]["release"], found["node"]["served_bundle"]["error"]) == ("2026.11", "")
    far = {"url": "http://files.invalid/b", "http_proxy": proxy}
    failed = run_module("node_info", check=True, bundle_server=far)
    assert failed["node"]["served_bundle"]["error"]
    assert "pa55" not in str(failed)
    assert run_module("node_info", check=True, bundle_server={})["node"]["served_bundle"] is None
