# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any, Callable

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube import names

GOOD = [
    (names.label, ["a", "0", "a-b", "a" * 63]),
    (names.subdomain, ["a", "a.b-c.0", ".".join(["a" * 63] * 3)]),
    (names.node_name, ["a", "0.b-c.example.org", "a" * 63]),
    (names.qualified, ["a", "A_b.c", "example.org/a", "a" * 63]),
    (names.label_value, ["", "a", "A_b.c", "a" * 63]),
    (names.env_name, ["A", "a b", "1", "a.b"]),
    (names.config_key, ["a", "A_b.c-d", ".hidden"]),
    (names.port_name, ["http", "a-1", "a" * 15]),
    (names.label_map, [{}, {"a": "", "x.y/b": "c"}]),
    (names.annotation_map, [{}, {"a": "any text\n", "x.y/B": ""}]),
]
BAD = [
    (names.label, ["", "A", "a.b", "-a", "a-", "a_b", "a" * 64, "a\n"]),
    (names.subdomain, ["", "A", "a..b", ".a", "a.", "a_b", "a" * 254]),
    (names.node_name, ["", "A", "a_b", "a..b", "-a", "a" * 64]),
    (names.qualified, ["", "/a", "a/", "a/b/c", "A/b", "-a", "a b", "a" * 64]),
    (names.label_value, ["-a", "a b", "a/b", "a" * 64]),
    (names.env_name, ["", "a=b", "ä", "a\n"]),
    (names.config_key, ["", ".", "..", "..a", "a/b"]),
    (names.port_name, ["", "A", "80", "a--b", "-a", "a" * 16]),
    (names.label_map, [{"a b": "c"}, {"a": "b c"}]),
    (names.annotation_map, [{"a b": "c"}, {"a": "x" * 256 * 1024}]),
]


@pytest.mark.parametrize(("rule", "values"), GOOD)
def test_good(rule: Callable[[Any], str], values: list[Any]) -> None:
    assert {str(value)[:20]: rule(value) for value in values if rule(value)} == {}


@pytest.mark.parametrize(("rule", "values"), BAD)
def test_bad(rule: Callable[[Any], str], values: list[Any]) -> None:
    assert [value for value in values if not rule(value)] == []
