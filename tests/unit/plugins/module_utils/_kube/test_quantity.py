# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.quantity import _SUFFIXES, MOST, canonical, parse


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (1, "1"),
        ("1", "1"),
        ("500m", "0.5"),
        (0.5, "0.5"),
        ("2Gi", str(2**31)),
        ("1e3", "1000"),
        ("1E", "1e18"),
        ("-1k", "-1000"),
    ],
)
def test_parse(value: Any, number: str) -> None:
    assert parse(value) == Decimal(number)


@pytest.mark.parametrize("value", ["", "1 Gi", "Gi", "1GiB", "one", True, None, "1e", "0x10", [1], "\u0661"])
def test_what_the_server_would_refuse(value: Any) -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        parse(value)
    assert canonical(value) == value


@given(st.integers(0, 10**6), st.sampled_from(sorted(_SUFFIXES)))
def test_each_spelling_has_one_canonical_form(number: int, suffix: str) -> None:
    text = f"{number}{suffix}"
    assert parse(canonical(text)) == min(parse(text), MOST)
    assert canonical(f"{number}.0{suffix}") == canonical(text) == canonical(canonical(text))


@pytest.mark.parametrize(
    ("value", "held"),
    [
        ("9Ei", "9223372036854775807"),
        ("1e999", "9223372036854775807"),
        ("-9Ei", "-9223372036854775807"),
        ("9223372036854775806", "9223372036854775806"),
        ("0.1n", "0.000000001"),
        ("1.5n", "0.000000002"),
        ("100", "100"),
        ("0", "0"),
    ],
)
def test_what_the_server_holds(value: str, held: str) -> None:
    assert canonical(value) == held
