# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module as Ansible runs it: what it says before any request."""

from __future__ import annotations

from typing import Any

OPTIONS = {"kubeconfig": "/not/there", "kind": "tfjob", "name": "j", "backend": "volcano", "pods": 2}


def test_check_mode_looks_at_nothing(run_module: Any) -> None:
    assert run_module("gang_proof", check=True, **OPTIONS)["changed"] is False


def test_a_kubeconfig_that_is_not_there(run_module: Any) -> None:
    assert "kubeconfig = /not/there: must be" in run_module("gang_proof", **OPTIONS)["msg"]
