# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps that make the image, with programs that only write down how they were called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab.image import SETTINGS_PATH, SOURCES_PATH, Recipe
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab.image_make import has, make

RECIPE = Recipe("debian:12", "bookworm", ("systemd",), {SOURCES_PATH: "sources", SETTINGS_PATH: "settings"}, "true\n")


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put a podman and an unshare on PATH and return a function that reads how they were called."""
    log = tmp_path / "log"
    log.touch()

    def program(name: str, body: str) -> None:
        path = tmp_path / name
        path.write_text(f'#!/bin/sh\necho "{name} $1 $2" >> {log}\n{body}\n')
        path.chmod(0o755)

    program(
        "podman",
        f"""case "$1" in
  pull) exit ${{PULL_STATUS:-0}} ;;
  image) exit ${{EXISTS_STATUS:-1}} ;;
  import) test -f "$3" ;;
  build)
    for context; do :; done
    cp "$context/Containerfile" {tmp_path}/built
    test -f "$context/root/{SOURCES_PATH}" ;;
esac""",
    )
    program("unshare", "cat; echo 'no such suite' >&2; exit ${BOOTSTRAP_STATUS:-0}")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return lambda: log.read_text().splitlines()


def test_a_base_that_can_be_pulled_is_used(calls: Any, tmp_path: Path) -> None:
    assert make(RECIPE) == "pulled"
    assert calls() == ["podman pull --quiet", "podman build --quiet"]
    assert (tmp_path / "built").read_text().startswith("FROM debian:12\n")


def test_without_a_registry_the_base_is_bootstrapped(
    calls: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULL_STATUS", "125")
    assert make(RECIPE) == "bootstrapped"
    assert calls() == [
        "podman pull --quiet",
        "unshare --mount --propagation",
        "podman import --quiet",
        "podman build --quiet",
    ]
    assert (tmp_path / "built").read_text().startswith(f"FROM {RECIPE.image}-base\n")


def test_a_failure_says_which_program_and_its_last_words(calls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULL_STATUS", "125")
    monkeypatch.setenv("BOOTSTRAP_STATUS", "25")
    with pytest.raises(AnsibleActionFail, match=r"unshare ended with 25\. Its last words:\nno such suite"):
        make(RECIPE)


def test_an_image_that_is_there_is_found(calls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not has(RECIPE.image)
    monkeypatch.setenv("EXISTS_STATUS", "0")
    assert has(RECIPE.image)


def test_a_machine_without_podman_has_no_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not has(RECIPE.image)


def test_without_a_registry_and_sources_it_is_refused_with_the_way_out(
    calls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULL_STATUS", "125")
    with pytest.raises(AnsibleActionFail, match=r"no apt sources of Debian bookworm .*podman pull debian:12"):
        make(RECIPE._replace(files={SETTINGS_PATH: "settings"}))
    assert calls() == ["podman pull --quiet"]
