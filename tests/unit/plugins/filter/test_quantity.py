# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.filter.quantity import quantity
from tests.support.paths import ROOT


@pytest.mark.parametrize(
    ("value", "unit", "number"),
    [
        ("4Gi", "", 2**32),
        ("500m", "", 0.5),
        (2, "", 2),
        (0.5, "", 0.5),
        ("1e3", "", 1000),
        ("1536Mi", "Gi", 1.5),
        ("2", "m", 2000),
        (["100m", "200m"], "", 0.3),
        (["1Gi", "1G", 1], "", 2**30 + 10**9 + 1),
        ([], "", 0),
    ],
)
def test_numbers(value: Any, unit: str, number: float) -> None:
    found = quantity(value, unit)
    assert (found, type(found)) == (number, type(number))


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        ("4 GB", "", "'4 GB' is not a quantity"),
        (None, "", "is not a quantity"),
        (True, "", "is not a quantity"),
        (["1", "x"], "", "'x' is not a quantity"),
        ("1", "GB", "'GB' is no unit of quantities: give one of n, u, m, k"),
    ],
)
def test_what_is_none(value: Any, unit: str, words: str) -> None:
    with pytest.raises(AnsibleFilterError, match=words):
        quantity(value, unit)


@given(st.integers(0, 10**15), st.sampled_from(["", "k", "M", "Ki", "Gi"]))
def test_a_number_of_units_is_that_number(count: int, unit: str) -> None:
    assert quantity(f"{count}{unit}", unit) == count


def test_the_units_are_those_that_are_documented() -> None:
    documented = yaml.safe_load((ROOT / "plugins" / "filter" / "quantity.yml").read_text(encoding="utf-8"))
    for unit in documented["DOCUMENTATION"]["options"]["unit"]["choices"]:
        assert quantity(f"3{unit}", unit) == 3
