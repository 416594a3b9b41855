# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any

JOB: dict[str, Any] = {"name": "j", "image": "i:1", "replicas": {"Worker": {"replicas": 2, "gpus": 1}}}


def test_rendered_makes_no_request(run_module: Any) -> None:
    result = run_module("tfjob", state="rendered", kubeconfig="/not/there", **JOB)
    assert not result["changed"]
    worker = result["manifest"]["spec"]["tfReplicaSpecs"]["Worker"]
    assert worker["replicas"] == 2
    assert worker["template"]["spec"]["containers"][0]["resources"] == {"limits": {"nvidia.com/gpu": "1"}}


def test_problems_come_before_the_cluster(run_module: Any) -> None:
    refused = run_module("tfjob", kubeconfig="/not/there", name="J", replicas={"Worker": {"gpus": -1}})
    assert "3 problems, nothing was changed" in refused["msg"]
    assert "kubeconfig" not in refused["msg"]


def test_a_part_of_a_gpu_is_refused_by_the_options_themselves(run_module: Any) -> None:
    assert "gpus" in run_module("tfjob", name="j", image="i:1", replicas={"Worker": {"gpus": 0.5}})["msg"]


def test_a_kubeconfig_that_does_not_exist(run_module: Any, tmp_path: Path) -> None:
    options = {"kubeconfig": str(tmp_path / "none"), **JOB}
    assert f"kubeconfig = {tmp_path}/none" in run_module("tfjob", **options)["msg"]
    predicted = run_module("tfjob", check=True, wait=True, **options)
    assert predicted["changed"]
    assert "no cluster yet" in predicted["note"]
    assert not run_module("tfjob", check=True, state="absent", **options)["changed"]
