# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of a build: their output, and the error when one fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import (
    TAIL_LINES,
    BuildError,
    failure,
    run,
)


def test_the_standard_output_alone_is_returned(tmp_path: Path) -> None:
    text = run(["sh", "-c", "echo $WORD in $(pwd); echo warning >&2"], cwd=tmp_path, env={"WORD": "hello"})
    assert text == f"hello in {tmp_path}\n"


def test_the_environment_of_this_process_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORD", "kept")
    assert run(["sh", "-c", "echo $WORD$MORE"], env={"MORE": "!"}) == "kept!\n"


def test_no_command_waits_for_input() -> None:
    assert run(["cat"]) == ""


def test_a_command_that_fails_is_named_with_status_and_output() -> None:
    with pytest.raises(BuildError) as failed:
        run(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert str(failed.value).splitlines() == [
        "command: sh -c 'echo out; echo err >&2; exit 3'",
        "status: 3",
        "last lines of its output:",
        "out",
        "err",
    ]


def test_a_command_that_is_missing_is_named() -> None:
    with pytest.raises(BuildError, match=r"^command: /no/such 'a b'\n.*No such file"):
        run(["/no/such", "a b"])


def test_output_that_is_no_text_is_no_error() -> None:
    assert run(["printf", r"a\377"]) == "a\ufffd"


def test_only_the_last_lines_are_shown() -> None:
    lines = failure(["make"], 2, "\n".join(map(str, range(100)))).splitlines()
    assert lines[3:] == [str(number) for number in range(100 - TAIL_LINES, 100)]
