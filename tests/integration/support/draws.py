# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Try a property on a real server with many drawn examples."""

from __future__ import annotations

from typing import Any, Callable

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.support.seed import SEED, TOLD


def hold(examples: int, test: Callable[..., None], *drawn: st.SearchStrategy[Any]) -> None:
    """Hold a property with so many examples of what is drawn; fail with the smallest one, telling the seed."""
    print(f"\n{TOLD}")
    tried = settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    seed(SEED)(tried(given(*drawn)(test)))()
