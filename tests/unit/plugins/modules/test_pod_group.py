# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import ObjectsFailed, Outcome
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref
from ansible_collections.trainyard.mlstack.plugins.modules import pod_group


def test_problems_come_before_the_cluster(run_module: Any) -> None:
    refused = run_module("pod_group", kubeconfig="/not/there", name="G", min_available=0, queue="q")
    assert "3 problems, nothing was changed" in refused["msg"]
    assert "kubeconfig" not in refused["msg"]
    assert "min_available" in run_module("pod_group", name="g")["msg"]


def test_a_cluster_that_is_yet_to_be_made(run_module: Any, tmp_path: Path) -> None:
    options = {"backend": "volcano", "kubeconfig": str(tmp_path / "none"), "name": "g"}
    assert f"kubeconfig = {tmp_path}/none" in run_module("pod_group", min_available=2, **options)["msg"]
    made = run_module("pod_group", check=True, min_available=2, **options)
    assert (made["changed"], made["result"], made["manifest"]["spec"]) == (True, "created", {"minMember": 2})
    assert made["template"]["spec"] == {"schedulerName": "volcano"}
    assert "does not exist" in made["note"]
    gone = run_module("pod_group", check=True, state="absent", **options)
    assert (gone["changed"], gone["result"], gone["diff"]) == (False, "absent", [])


@pytest.mark.parametrize(("result", "changed"), [("deleted", True), ("absent", False)])
def test_a_failure_tells_what_was_done_before(monkeypatch: pytest.MonkeyPatch, result: str, changed: bool) -> None:
    outcome = Outcome(Ref("v1", "PodGroup", "g", "n"), result)
    module = Mock()
    monkeypatch.setattr(pod_group, "AnsibleModule", Mock(return_value=module))
    monkeypatch.setattr(pod_group, "run", Mock(side_effect=ObjectsFailed("1 object not gone", [], [outcome])))
    pod_group.main()
    module.fail_json.assert_called_once_with(msg="1 object not gone:", changed=changed)
