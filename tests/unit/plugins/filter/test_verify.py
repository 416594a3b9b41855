# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters' own part: their names and the kubectl line that problems show."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.filter.verify import FilterModule


def test_wanted_takes_objects() -> None:
    found = FilterModule().filters()["verify_wanted"]([{"kind": "Node", "metadata": {"name": "cp-1"}}])
    assert found[0]["metadata"]["name"] == "cp-1"


def test_problems_show_how_to_ask_this_cluster() -> None:
    running = {
        "kind": "TFJob",
        "metadata": {"name": "digits"},
        "status": {"conditions": [{"type": "Running", "status": "True"}]},
    }
    report = FilterModule().filters()["verify_report"](
        [running], samples=["digits"], namespace="ns", kubeconfig="/tmp/kubeconfig"
    )
    assert "kubectl --kubeconfig /tmp/kubeconfig -n ns describe tfjob digits" in report["problems"][0]
    assert "sample digits: Running" in report["summary"]
