# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module as Ansible runs it: what it refuses before any request."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("backend", ["none", "kube-batch"])
def test_a_scheduler_that_there_is_not(run_module: Any, backend: str) -> None:
    said = run_module("gang_migration", kubeconfig="/not/there", backend=backend)["msg"]
    assert "value of backend must be one of: native, volcano, kube_batch, scheduler_plugins" in said


def test_a_kubeconfig_that_is_not_there(run_module: Any) -> None:
    said = run_module("gang_migration", kubeconfig="/not/there", backend="native")["msg"]
    assert "kubeconfig = /not/there: must be a usable kubeconfig" in said
