# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module as Ansible runs it: what it says before any request."""

from __future__ import annotations

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
