# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(os.path.exists("/usr/local/bin/kubeadm"), reason="this machine is a node itself")


def test_a_host_without_kubeadm_is_told_so_and_nothing_is_changed(run_module: Any) -> None:
    for check in (True, False):
        result = run_module(
            "cluster_settings",
            check=check,
            documents=[{"kind": "ClusterConfiguration"}],
            secrets_encryption="secretbox",
        )
        assert result["failed"]
        assert "cluster's settings cannot be read" in result["msg"]
        assert "nothing was changed" in result["msg"]
