# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def test_problems_come_before_the_cluster(run_module: Any) -> None:
    queues = [{"name": "a", "weight": 0}, {"name": "b", "parent": "a"}]
    refused = run_module("queue", backend="kube_batch", kubeconfig="/not/there", queues=queues)
    assert "2 problems, nothing was changed" in refused["msg"]
    assert "kubeconfig" not in refused["msg"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"name": "a", "queues": []},
        {"queues": [{"name": "a"}], "capability": {"cpu": 1}},
        {"queues": [{"name": "a"}], "weight": 2},
        {"queues": [{"weight": 1}]},
    ],
)
def test_one_or_a_list(run_module: Any, options: dict[str, Any]) -> None:
    assert run_module("queue", backend="volcano", **options)["failed"]


def test_a_cluster_that_is_yet_to_be_made(run_module: Any, tmp_path: Path) -> None:
    options = {"backend": "volcano", "kubeconfig": str(tmp_path / "none"), "name": "a", "weight": 2}
    assert f"kubeconfig = {tmp_path}/none" in run_module("queue", **options)["msg"]
    made = run_module("queue", check=True, **options)
    assert (made["changed"], made["queues"][0]["result"]) == (True, "created")
    assert made["queues"][0]["manifest"]["spec"] == {"weight": 2}
    assert "does not exist" in made["note"]
    gone = run_module("queue", check=True, state="absent", **options)
    assert (gone["changed"], gone["queues"]) == (False, [{"name": "a", "result": "absent"}])
