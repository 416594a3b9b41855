# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What cluster_checks does without a cluster; with one it is tested in tests/integration."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_a_kubeconfig_that_does_not_exist_is_refused_also_in_check_mode(run_module: Any, tmp_path: Path) -> None:
    for check in (False, True):
        refused = run_module("cluster_checks", check=check, kubeconfig=str(tmp_path / "none"))
        assert refused["failed"]
        assert f"kubeconfig = {tmp_path}/none" in refused["msg"]


def test_check_mode_before_there_is_a_cluster(run_module: Any, tmp_path: Path) -> None:
    options = {"kubeconfig": str(tmp_path / "none"), "cluster_exists": False}
    planned = run_module("cluster_checks", check=True, **options)
    assert (planned["changed"], planned["problems"]) == (False, [])
    assert "no cluster yet" in planned["note"]
    assert run_module("cluster_checks", **options)["failed"]


def test_a_server_that_does_not_answer_and_a_file_that_is_missing_are_told_together(
    run_module: Any, tmp_path: Path
) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(
        "{apiVersion: v1, kind: Config, current-context: x, contexts: [{name: x, context: {cluster: x, user: x}}],"
        " users: [{name: x, user: {token: t}}], clusters: [{name: x, cluster: {server: 'https://127.0.0.1:9'}}]}"
    )
    plans = [{"part": "training_operator", "missing_files": ["/bundle/manifests/operator.yaml"]}]
    refused = run_module("cluster_checks", kubeconfig=str(kubeconfig), plans=plans)
    assert [problem["field"] for problem in refused["problems"]] == ["training_operator", "kubeconfig"]
    assert "2 problems, nothing was changed" in refused["msg"]
    assert "trainyard.mlstack.bundle" in refused["msg"]
    assert "no answer from https://127.0.0.1:9" in refused["msg"]


def test_an_unusable_kubeconfig_hides_no_other_problem(run_module: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("{", encoding="utf-8")
    plans = [
        {"part": "training_operator", "missing_files": ["/bundle/manifests/operator.yaml"]},
        {"part": "samples", "requests": {"memory": "4 GB"}},
    ]
    for path in (broken, tmp_path / "none"):
        refused = run_module("cluster_checks", kubeconfig=str(path), plans=plans)
        fields = [problem["field"] for problem in refused["problems"]]
        assert fields == ["training_operator", "samples_resources", "kubeconfig"]
        assert "3 problems, nothing was changed" in refused["msg"]
        assert f"kubeconfig = {path}: must be a usable kubeconfig" in refused["msg"]
