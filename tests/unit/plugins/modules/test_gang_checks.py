# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module as Ansible runs it: what it says before any request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def test_a_version_that_is_none(run_module: Any) -> None:
    result = run_module("gang_checks", kubeconfig="/not/there", next_kubernetes="newest")
    assert "next_kubernetes = newest: must be a version of Kubernetes" in result["msg"]
    assert [problem["field"] for problem in result["problems"]] == ["next_kubernetes"]


def test_a_kubeconfig_that_is_not_there(run_module: Any) -> None:
    assert "kubeconfig = /not/there: must be" in run_module("gang_checks", kubeconfig="/not/there")["msg"]
    result = run_module("gang_checks", kubeconfig="/not/there", cluster_exists=False)
    assert (result["changed"], result["problems"]) == (False, [])
    assert "there is no cluster yet" in result["note"]


def test_a_server_that_does_not_answer(run_module: Any, tmp_path: Path) -> None:
    """A run that is to repair a cluster is not stopped by it."""
    kubeconfig = tmp_path / "admin.conf"
    cluster = {"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}
    context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
    users = [{"name": "u", "user": {"token": "t"}}]
    config = {"clusters": [cluster], "contexts": [context], "users": users, "current-context": "c"}
    kubeconfig.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", **config}), encoding="utf-8")
    refused = run_module("gang_checks", kubeconfig=str(kubeconfig))
    assert "no answer from https://127.0.0.1:1" in refused["msg"]
    result = run_module("gang_checks", kubeconfig=str(kubeconfig), cluster_exists=False)
    assert (result["changed"], result["problems"]) == (False, [])
    assert "nothing was judged: no answer from" in result["note"]
