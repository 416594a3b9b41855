# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems as lines, as a report and as data."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import (
    Problem,
    Rule,
    listed,
    report,
    shown,
)

WRONG = Problem("replicas", "0", "must be 1 or more", "Set it")


@pytest.mark.parametrize(
    ("host", "line"),
    [
        ("", "replicas = 0: must be 1 or more. Set it"),
        ("gpu-1", "gpu-1: replicas = 0: must be 1 or more. Set it"),
    ],
)
def test_a_line_begins_with_the_host(host: str, line: str) -> None:
    assert Problem(WRONG.field, WRONG.value, WRONG.rule, WRONG.way_out, host).line() == line


def test_a_rule_becomes_a_problem_with_details() -> None:
    rule = Rule("disk {path}", "{host} needs {needed} MB", "Free {path}")
    assert rule.broken(5, "cp-1", path="/var", needed=9) == Problem(
        "disk /var", "5", "cp-1 needs 9 MB", "Free /var", "cp-1"
    )


def test_a_rule_without_a_detail_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError, match="path"):
        Rule("disk {path}", "", "").broken(5)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"password": "x"}, "a map"),
        (["x"], "a list"),
        (None, "None"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 57 + "..."),
    ],
)
def test_a_value_is_shown_short_and_without_secrets(value: Any, text: str) -> None:
    assert shown(value) == text


def test_problems_of_a_cluster_have_no_host() -> None:
    assert listed([WRONG]) == [{"field": "replicas", "value": "0", "rule": "must be 1 or more", "way_out": "Set it"}]


@pytest.mark.parametrize(("count", "head"), [(1, "1 problem, "), (2, "2 problems, ")])
def test_a_report_counts_and_numbers(count: int, head: str) -> None:
    first, *lines = report([WRONG] * count).splitlines()
    assert first == f"{head}nothing was changed:"
    assert lines == [f"  {number}. {WRONG.line()}" for number in range(1, count + 1)]
