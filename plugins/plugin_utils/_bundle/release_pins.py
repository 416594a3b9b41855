# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums written into the text of a release, whose comments, order and spelling stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Path = tuple[str, ...]


class NoPlace(ValueError):
    """The text is not laid out in such a way that a value can be put into it."""


def with_pins(text: str, pins: Mapping[Path, str]) -> str:
    """Return the text of a YAML file with values at some paths, each a mapping in the file's own block style.

    pins: path of keys to value. What is missing on the way is added behind what is there. An empty flow mapping `{}`
    on the way becomes a block.
    """
    lines = text.splitlines()
    for path, value in pins.items():
        lines = _with_pin(lines, path, value)
    return "\n".join(lines) + "\n"


def _with_pin(lines: Sequence[str], path: Path, value: str) -> list[str]:
    found = list(lines)
    begin, end, indent = 0, len(found), 0
    for depth, key in enumerate(path):
        at = _find(found, begin, end, indent, key)
        last = depth == len(path) - 1
        if at is None:
            place = _behind(found, begin, end, indent)
            added = [f"{' ' * (indent + 2 * step)}{name}:" for step, name in enumerate(path[depth:])]
            added[-1] += f" {value}"
            return [*found[:place], *added, *found[place:]]
        if last:
            found[at] = re.sub(r"^(\s*[^:]+:).*?(\s+#.*)?$", rf"\g<1> {value}\g<2>", found[at])
            return found
        found[at] = _opened(found[at], ".".join(path))
        begin, end = at + 1, _end(found, at, indent)
        indent = _child_indent(found, begin, end, indent)
    return found


def _find(lines: Sequence[str], begin: int, end: int, indent: int, key: str) -> int | None:
    pattern = re.compile(rf"^ {{{indent}}}(?:{re.escape(key)}|\"{re.escape(key)}\"):(?:\s|$)")
    return next((number for number in range(begin, end) if pattern.match(lines[number])), None)


def _opened(line: str, path: str) -> str:
    """Return the line of a mapping so that a block can stand below it."""
    match = re.fullmatch(r"(\s*[^:]+:)(?:\s*\{\s*\})?(\s+#.*|\s*)", line)
    if match is None:
        raise NoPlace(f"{path} cannot be written below the line: {line.strip()}")
    return (match.group(1) + match.group(2)).rstrip()


def _end(lines: Sequence[str], at: int, indent: int) -> int:
    """Return the number of the first line behind a block that is not part of it."""
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if line.strip() and not line.lstrip().startswith("#") and _indent(line) <= indent:
            return number
    return len(lines)


def _child_indent(lines: Sequence[str], begin: int, end: int, indent: int) -> int:
    for line in lines[begin:end]:
        if line.strip() and not line.lstrip().startswith("#"):
            return _indent(line)
    return indent + 2


def _behind(lines: Sequence[str], begin: int, end: int, indent: int) -> int:
    """Return where a block's next key goes: behind its last value, before comments and blanks that introduce others."""
    for number in range(end - 1, begin - 1, -1):
        line = lines[number]
        if line.strip() and not line.lstrip().startswith("#") and _indent(line) >= indent:
            return number + 1
    return begin


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
