# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.jobs_table import table


def test_one_line_a_job() -> None:
    base = {"kind": "tfjob", "namespace": "n", "changed": False}
    jobs = [
        {
            **base,
            "name": "a",
            "state": "succeeded",
            "end": "succeeded",
            "duration_s": 42.4,
            "ended_by": "its Chief ended well",
        },
        {
            **base,
            "name": "b",
            "changed": True,
            "state": "queued",
            "end": "timed_out",
            "message": "no\nroom " + "x" * 80,
        },
        {**base, "name": "c", "state": "created"},
    ]
    assert table(jobs).splitlines() == [
        "JOB  KIND   CHANGED  STATE      TIME  WHY",
        "n/a  tfjob  no       succeeded  42 s  its Chief ended well",
        f"n/b  tfjob  yes      timed_out        no room {'x' * 59}...",
        "n/c  tfjob  no       created",
    ]
