# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

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


def test_a_list_of_jobs_takes_what_stands_beside_it(run_module: Any) -> None:
    jobs = [
        {"name": "a", "args": ["--rate=1"]},
        {"name": "b", "env": {"X": 1}, "node_selector": {"x": 1}, "namespace": "m"},
    ]
    result = run_module(
        "tfjob",
        state="rendered",
        namespace="n",
        image="i:1",
        node_selector={"y": 2},
        replicas={"Worker": {}},
        jobs=jobs,
    )
    assert [(job["kind"], job["name"], job["namespace"]) for job in result["jobs"]] == [
        ("tfjob", "a", "n"),
        ("tfjob", "b", "m"),
    ]
    assert "manifest" not in result
    first, second = (
        job["manifests"][0]["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"] for job in result["jobs"]
    )
    assert (first["containers"][0]["args"], first["nodeSelector"]) == (["--rate=1"], {"y": "2"})
    assert second["nodeSelector"] == {"y": "2", "x": "1"}
    assert second["containers"][0]["env"] == [{"name": "X", "value": "1"}]


def test_all_problems_of_all_jobs_at_once(run_module: Any) -> None:
    jobs = [
        {"name": "a", "gpus": 0.5},
        {"name": "B"},
        {"name": "c", "clean_pod_policy": "Sometimes", "backoff_limit": "many"},
        {"name": "d", "replicas": {"Worker": {"replicas": -1}}},
        {"image": "i:2"},
        {"name": "d", "replicas": {"Worker": {}}},
    ]
    text = run_module(
        "tfjob", kubeconfig="/not/there", timeout="long", image="i:1", replicas={"Worker": {}}, jobs=jobs
    )["msg"]
    for part in (
        "8 problems, nothing was changed",
        "tfjob = its options: argument 'timeout' is of type",
        "jobs[0] = a: argument 'gpus' is of type",
        "jobs[1].name = B: a job's name",
        "jobs[2] = c: value of clean_pod_policy must be one of: None, Running, All, got: Sometimes",
        "jobs[2] = c: argument 'backoff_limit' is of type",
        "jobs[3].replicas.Worker.replicas = -1",
        "jobs[4] = its options: missing required arguments: name",
        "jobs[5].name = d: a TFJob of this name stands in the list already, as jobs[3]. Rename one",
    ):
        assert part in text, text


def test_one_job_or_a_list(run_module: Any) -> None:
    assert "missing required arguments: name" in run_module("tfjob", image="i:1")["msg"]
    assert "mutually exclusive: name|jobs" in run_module("tfjob", name="j", jobs=[])["msg"]
    assert run_module("tfjob", state="rendered", jobs=[])["jobs"] == []


def test_suspended_renders_a_job_that_waits(run_module: Any) -> None:
    rendered = run_module("tfjob", check=True, state="suspended", kubeconfig="/not/there", **JOB)
    assert rendered["manifest"]["spec"]["runPolicy"]["suspend"] is True


def test_a_part_of_a_gpu_is_refused_by_the_options_themselves(run_module: Any) -> None:
    assert "gpus" in run_module("tfjob", name="j", image="i:1", replicas={"Worker": {"gpus": 0.5}})["msg"]


def test_a_kubeconfig_that_does_not_exist(run_module: Any, tmp_path: Path) -> None:
    options = {"kubeconfig": str(tmp_path / "none"), **JOB}
    assert f"kubeconfig = {tmp_path}/none" in run_module("tfjob", **options)["msg"]
    predicted = run_module("tfjob", check=True, wait=True, **options)
    assert predicted["changed"]
    assert "no cluster yet" in predicted["note"]
    assert not run_module("tfjob", check=True, state="absent", **options)["changed"]


def test_manifests_as_files(run_module: Any, tmp_path: Path) -> None:
    options = {"state": "rendered", "manifest_dir": str(tmp_path / "jobs"), "image": "i:1", "replicas": {"Worker": {}}}
    jobs = [{"name": "a"}, {"name": "b", "namespace": "m"}]
    predicted = run_module("tfjob", check=True, jobs=jobs, **options)
    assert (predicted["changed"], list(tmp_path.iterdir())) == (True, [])
    written = run_module("tfjob", jobs=jobs, **options)
    assert [job["file"] for job in written["jobs"]] == [
        f"{tmp_path}/jobs/default-tfjob-a.yml",
        f"{tmp_path}/jobs/m-tfjob-b.yml",
    ]
    assert yaml.safe_load((tmp_path / "jobs" / "m-tfjob-b.yml").read_text()) == written["jobs"][1]["manifests"][0]
    again = run_module("tfjob", jobs=jobs, **options)
    assert (again["changed"], again["diff"]) == (False, [])
    changed = run_module("tfjob", jobs=[{"name": "a"}, {"name": "b", "namespace": "m", "image": "i:2"}], **options)
    assert [job["changed"] for job in changed["jobs"]] == [False, True]
    assert [entry["before_header"] for entry in changed["diff"]] == [f"{tmp_path}/jobs/m-tfjob-b.yml"]
    (tmp_path / "file").touch()
    refused = run_module("tfjob", jobs=jobs, **{**options, "manifest_dir": str(tmp_path / "file" / "jobs")})
    assert f"manifest_dir = {tmp_path}/file/jobs: " in refused["msg"]
