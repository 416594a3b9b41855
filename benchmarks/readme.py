"""The tables of README.md, each between two marks that name the script by which it is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
README = HERE / "README.md"
Rows = Callable[[dict[str, Any]], Sequence[Sequence[Any]]]


def record(script: str, result: dict[str, Any], head: Sequence[str], rows: Rows) -> str:
    """Keep a result as results/<script>-<date>.json and write the table of all results of the script.

    rows: from one result to its lines. Returns the table of this result alone.
    """
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{script}-{result['date']}.json"
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob(f"{script}-*.json"))]
    begin, end = f"<!-- results: written by {script}.py -->", f"<!-- end of {script}.py -->"
    before, rest = README.read_text(encoding="utf-8").split(begin)
    whole = _table(head, [row for each in results for row in rows(each)])
    README.write_text(f"{before}{begin}\n{whole}\n{end}{rest.split(end)[1]}", encoding="utf-8")
    return _table(head, rows(result))


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines: list[Sequence[Any]] = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)
