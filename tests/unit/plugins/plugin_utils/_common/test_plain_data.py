# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ansible hands in, as YAML's safe dumper takes it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.plain_data import plain


class Text(str):
    """A text with a mark of Ansible's."""


class Number(int):
    """A number with one."""


class Fraction(float):
    """A fraction with one."""


@pytest.mark.parametrize("value", [Text("a"), Number(10), Fraction(1.5), True, None, {Text("a"): [(Number(1), "b")]}])
def test_is_the_same_without_marks(value: Any) -> None:
    written = yaml.safe_load(yaml.safe_dump(plain(value)))
    assert written == ({"a": [[1, "b"]]} if isinstance(value, dict) else value)
    assert type(written) in (str, int, float, bool, type(None), dict)
