# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module as Ansible runs it: what its argument spec makes of what a user writes."""

from __future__ import annotations

from typing import Any

JOB: dict[str, Any] = {"name": "j", "image": "i:1", "replicas": {"PS": {}, "Worker": {"replicas": 2}}}


def test_rendered_needs_no_cluster(run_module: Any) -> None:
    result = run_module("ps_job", state="rendered", kubeconfig="/not/there", **JOB)
    assert (result["kind"], result["changed"], result["manifest"]["kind"]) == ("ps_job", False, "ConfigMap")
    kinds = [manifest["kind"] for manifest in result["manifests"]]
    assert kinds == ["ConfigMap", *["Service", "Job"] * 3]


def test_one_contract_may_be_written_without_a_list(run_module: Any) -> None:
    result = run_module("ps_job", state="rendered", contract="environment", **JOB)
    (container,) = result["manifests"][2]["spec"]["template"]["spec"]["containers"]
    assert [entry["name"] for entry in container["env"]] == ["POD_NAME", "CLUSTER_CONFIG"]


def test_problems_come_before_the_cluster(run_module: Any) -> None:
    refused = run_module("ps_job", kubeconfig="/not/there", **JOB, port=0, ttl_seconds_after_finished=3)
    assert "2 problems, nothing was changed" in refused["msg"]
    assert "port = 0: must be a port from 1 to 65535" in refused["msg"]
