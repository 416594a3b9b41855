# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of pods, and what is wrong with their form."""

from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.schema import check_form

POD = {"containers": [{"name": "a"}]}


def lines(value: Any, kind: str) -> str:
    """Return what the API server would refuse in a value of this type, which is called x."""
    return "\n".join(problem.line() for problem in check_form(value, kind, "x"))
