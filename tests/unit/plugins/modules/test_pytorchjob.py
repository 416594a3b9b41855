# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module as Ansible runs it: what its argument spec makes of what a user writes."""

from __future__ import annotations

from typing import Any

import pytest

JOB: dict[str, Any] = {"name": "j", "image": "i:1", "replicas": {"Master": {}, "Worker": {"replicas": 3}}}


def test_the_form_of_the_old_guides(run_module: Any) -> None:
    result = run_module("pytorchjob", state="rendered", kubeconfig="/not/there", **JOB)
    assert (result["kind"], result["manifest"]["kind"], result["changed"]) == ("pytorchjob", "PyTorchJob", False)
    specs = result["manifest"]["spec"]["pytorchReplicaSpecs"]
    assert {kind: spec["replicas"] for kind, spec in specs.items()} == {"Master": 1, "Worker": 3}


@pytest.mark.parametrize(("given", "sent"), [(8, "8"), ("8", "8"), ("auto", "auto"), ("gpu", "gpu")])
def test_the_number_of_processes_is_sent_as_text(run_module: Any, given: Any, sent: str) -> None:
    result = run_module("pytorchjob", state="rendered", nproc_per_node=given, **JOB)
    assert result["manifest"]["spec"]["nprocPerNode"] == sent


def test_a_type_in_lower_case_is_sent_as_the_webhook_knows_it(run_module: Any) -> None:
    result = run_module("pytorchjob", state="rendered", name="j", image="i:1", replicas={"worker": {"replicas": 2}})
    assert list(result["manifest"]["spec"]["pytorchReplicaSpecs"]) == ["Worker"]


def test_problems_come_before_the_cluster(run_module: Any) -> None:
    job = {**JOB, "nproc_per_node": "many", "elastic": {"min_replicas": 4, "max_replicas": 2}}
    refused = run_module("pytorchjob", kubeconfig="/not/there", **job)
    assert "2 problems, nothing was changed" in refused["msg"]
    assert "nproc_per_node = many: must be auto, cpu, gpu or a number" in refused["msg"]
    assert "elastic.min_replicas = 4: must not be above max_replicas, which is 2" in refused["msg"]
