"""How long each test took, for the list of the slowest ones at the end of `make test`."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

_seconds: dict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up set-up, call and tear-down."""
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the times where the run wants them. A worker of xdist leaves that to its controller."""
    folder = os.environ.get("TRAINYARD_DURATIONS")
    if folder and not hasattr(session.config, "workerinput"):
        Path(folder, f"{os.getpid()}.json").write_text(json.dumps(_seconds), encoding="utf-8")
