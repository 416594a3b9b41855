# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any


def test_jobs_of_several_kinds(run_module: Any) -> None:
    jobs = [
        {"kind": "tfjob", "name": "a", "replicas": {"Chief": {}}},
        {"kind": "pytorchjob", "name": "b", "replicas": {"Master": {}}},
    ]
    result = run_module("jobs", state="rendered", defaults={"image": "i:1", "success_policy": "AllWorkers"}, jobs=jobs)
    # Defaults reach the kinds that know them.
    assert [job["manifests"][0]["spec"].get("successPolicy") for job in result["jobs"]] == ["AllWorkers", None]
    assert [job["manifests"][0]["kind"] for job in result["jobs"]] == ["TFJob", "PyTorchJob"]
    assert [job["kind"] for job in result["jobs"]] == ["tfjob", "pytorchjob"]


def test_all_problems_at_once(run_module: Any) -> None:
    jobs = [{"kind": "tfjob", "name": "A"}, {"kind": "mpijob", "name": "b"}, {"kind": "pytorchjob", "nam": "c"}]
    text = run_module("jobs", kubeconfig="/not/there", jobs=jobs, timout=1)["msg"]
    for part in (
        "jobs[0].name = A",
        "jobs[1].kind = mpijob: must be one of tfjob, pytorchjob",
        "jobs[2].nam = c",
        "timout",
    ):
        assert part in text, text
