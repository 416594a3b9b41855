# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks: an interval that may be right is right, one that cannot be is a problem."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.clocks import checks


def judged(*offsets: tuple[float, float]) -> list[Problem]:
    """Return the problems of hosts a, b, c ... with these bounds."""
    hosts = {chr(97 + n): {"clock_offset": {"low": low, "high": high}} for n, (low, high) in enumerate(offsets)}
    return checks({"hosts": {**hosts, "silent": {}, "alone": {"clock_offset": None}}}, {})


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [
        ([(-0.5, 0.5), (-1.0, 0.2)], []),
        ([(4.0, 5.0)], []),
        ([(-30.0, 0.5), (0.0, 30.0)], []),
        ([(-4.0, -3.9), (0.9, 1.0)], []),
        ([(5.1, 6.1), (0.0, 0.1)], [("a", "clock", "6 s ahead of the controller")]),
        ([(-400.0, -399.0), (0.0, 0.1)], [("a", "clock", "400 s behind the controller")]),
        ([(7.0, 7.2)], [("a", "clock", "7 s ahead of the controller")]),
        ([(-4.0, -3.0), (3.0, 4.0)], [("", "clock", "b is at least 6 s ahead of a")]),
        ([(99.0, 101.0), (99.5, 102.0)], [("", "clock of the controller", "100 s behind the hosts")]),
        (
            [(99.0, 101.0), (-50.5, -49.5)],
            [("a", "clock", "100 s ahead of the controller"), ("b", "clock", "50 s behind the controller")],
        ),
        ([], []),
    ],
)
def test_clocks(offsets: list[tuple[float, float]], expected: list[tuple[str, str, str]]) -> None:
    problems = judged(*offsets)
    assert [(problem.host, problem.field, problem.value) for problem in problems] == expected
    assert all("timedatectl" in p.way_out or "runs Ansible" in p.way_out for p in problems)


@given(st.lists(st.tuples(st.floats(-2.5, 2.5), st.floats(0, 60), st.floats(0, 60)), max_size=6))
def test_a_slow_host_with_a_good_clock_raises_no_alarm(hosts: list[tuple[float, float, float]]) -> None:
    assert judged(*((true - before, true + after) for true, before, after in hosts)) == []
