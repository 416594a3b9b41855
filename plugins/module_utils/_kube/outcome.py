# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of each object, and how failures are told. Pure."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence

from .compare import diff
from .resource import Manifest, Ref


@dataclass(frozen=True)
class Outcome:
    """One object: created, changed, unchanged, deleted, absent or ready; its states before and after."""

    ref: Ref
    result: str
    before: Optional[Manifest] = None
    after: Optional[Manifest] = None

    @property
    def changed(self) -> bool:
        """Tell whether the cluster is (or would be) another one."""
        return self.result in ("created", "changed", "deleted")

    def summary(self) -> Dict[str, str]:
        """Return the entry of the module's result."""
        return {
            "kind": self.ref.kind,
            "api_version": self.ref.api_version,
            "name": self.ref.name,
            "namespace": self.ref.namespace,
            "result": self.result,
        }


@dataclass(frozen=True)
class Trouble:
    """One object and what is wrong with it, in the server's or the waiter's words."""

    ref: Ref
    reason: str


class ObjectsFailed(Exception):
    """Some objects could not be brought to the wanted state. All of them are named at once."""

    def __init__(self, headline: str, troubles: Sequence[Trouble], outcomes: Sequence[Outcome] = ()) -> None:
        lines = [f"{headline}:"] + [
            f"  {number}. {trouble.ref}: {trouble.reason}" for number, trouble in enumerate(troubles, start=1)
        ]
        super().__init__("\n".join(lines))
        self.troubles = list(troubles)
        self.outcomes = list(outcomes)


@contextmanager
def after(outcomes: Sequence[Outcome]) -> Iterator[None]:
    """Let a failure in the block tell what had been done before it: the cluster is another one all the same."""
    try:
        yield
    except ObjectsFailed as error:
        error.outcomes = [*outcomes, *error.outcomes]
        raise


def diffs(outcomes: Sequence[Outcome]) -> List[Dict[str, Any]]:
    """Return Ansible's diff of all objects that change."""
    return [diff(str(outcome.ref), outcome.before, outcome.after) for outcome in outcomes if outcome.changed]


def steps(outcomes: Sequence[Outcome]) -> List[str]:
    """Return what was done in few lines, however many objects it was done to."""
    lines: List[str] = []
    for result in ("created", "changed", "deleted"):
        refs = [outcome.ref for outcome in outcomes if outcome.result == result]
        if refs:
            lines.append(f"{result} {refs[0]}" + (f" and {count(len(refs) - 1, 'other')}" if len(refs) > 1 else ""))
    return lines


def count(number: int, noun: str) -> str:
    """Return "1 object", "2 objects"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
