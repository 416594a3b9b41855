# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.state import JobState, Noted, Replica
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.tally import gone_lines, numbers, tally


def workers(*states: str) -> list[Replica]:
    return [Replica("Worker", index, f"j-worker-{index}", "n", state) for index, state in enumerate(states)]


@pytest.mark.parametrize(
    ("state", "seen", "noted", "shown"),
    [
        ("running", ["running", "pending", "removed"], Noted(), "Worker 1/3"),
        ("succeeded", ["succeeded"] * 3, Noted(succeeded=3), "Worker 3/3"),
        # Removed by clean_pod_policy, before or after somebody looked.
        ("succeeded", [], Noted(succeeded=3), "Worker 3/3"),
        ("succeeded", ["removed"] * 3, Noted(succeeded=3), "Worker 3/3"),
        ("failed", [], Noted(failed=1, active=2), "Worker 0/3 (1 failed, 3 pods gone)"),
        ("failed", ["removed"] * 3, Noted(failed=1, succeeded=1, active=1), "Worker 1/3 (1 failed, 3 pods gone)"),
        # clean_pod_policy Running leaves those that ended.
        (
            "failed",
            ["failed", "succeeded"],
            Noted(failed=1, succeeded=1, active=1),
            "Worker 1/3 (1 failed, 1 pod gone)",
        ),
        ("failed", ["failed", "running", "running"], Noted(failed=1, active=2), "Worker 2/3"),
        # Nobody noted anything.
        ("succeeded", [], Noted(), "Worker 0/3 (3 pods gone)"),
        ("vanished", ["removed"] * 3, Noted(), "Worker 0/3"),
        ("suspended", [], Noted(), "Worker 0/3"),
    ],
)
def test_numbers(state: str, seen: list[str], noted: Noted, shown: str) -> None:
    found = JobState(state, replicas=workers(*seen), noted={"Worker": noted})
    assert numbers(tally(found, {"Worker": 3})) == shown


def test_without_its_spec_the_numbers_are_what_was_seen_and_noted() -> None:
    state = JobState("succeeded", replicas=workers("removed"), noted={"Worker": Noted(succeeded=2), "PS": Noted(1)})
    assert tally(state, {}) == {
        "Worker": {"ready": 2, "total": 2, "failed": 0, "gone": 2},
        "PS": {"ready": 1, "total": 1, "failed": 0, "gone": 1},
    }
    assert numbers(tally(JobState("created"), {})) == ""


def test_a_line_for_each_type_whose_pods_are_gone() -> None:
    noted = {"Chief": Noted(failed=1), "Worker": Noted(succeeded=1)}
    chief = Replica("Chief", 0, "j-chief-0", "n", "failed")
    state = JobState("failed", replicas=[chief], noted=noted)
    assert gone_lines(tally(state, {})) == ["  Worker: 1 of 1 ended well or with the job, 1 pod gone"]
