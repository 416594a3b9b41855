# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong, where, and the way out: the one shape in which every check of the collection reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Dict, List, Mapping, Sequence


@dataclass(frozen=True)
class Problem:
    """One thing that must be put right before a run may change anything.

    field: the option, variable or file that is wrong.
    value: what it holds now, as text; never a secret.
    rule: what it must hold instead.
    way_out: what the user does about it.
    host: the inventory host it concerns; empty when it concerns the run as a whole.
    """

    field: str
    value: str
    rule: str
    way_out: str
    host: str = ""

    def line(self) -> str:
        """Return the problem as one line of text."""
        where = f"{self.host}: " if self.host else ""
        return f"{where}{self.field} = {self.value}: {self.rule}. {self.way_out}"


@dataclass(frozen=True)
class Rule:
    """A rule as the documentation shows it; names in braces stand for what differs from case to case.

    field, rule, way_out: as in Problem, each a format string; `{host}` is there without being given.
    """

    field: str
    rule: str
    way_out: str

    def broken(self, value: object, host: str = "", **details: Any) -> Problem:
        """Return the problem of one case. Raises KeyError when a name in braces is not among the details."""
        texts = [text.format(host=host, **details) for text in (self.field, self.rule, self.way_out)]
        return Problem(texts[0], str(value), texts[1], texts[2], host)


def shown(value: Any) -> str:
    """Return a value as a problem shows it; what is inside a list or a map may be a secret, and has its own problem."""
    text = "a map" if isinstance(value, Mapping) else "a list" if isinstance(value, list) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def listed(problems: Sequence[Problem]) -> List[Dict[str, str]]:
    """Return problems of a cluster as data, without the host that they do not have."""
    return [{key: value for key, value in asdict(problem).items() if key != "host"} for problem in problems]


def report(problems: Sequence[Problem]) -> str:
    """Return all problems as one numbered text, with their count in the first line."""
    noun = "problem" if len(problems) == 1 else "problems"
    lines = [f"{len(problems)} {noun}, nothing was changed:"]
    lines += [f"  {number}. {problem.line()}" for number, problem in enumerate(problems, start=1)]
    return "\n".join(lines)
