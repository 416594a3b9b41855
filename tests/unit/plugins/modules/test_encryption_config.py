# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key for secrets at rest: made once, taken over, never shown, never replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.encryption import (
    config_text,
    key_of,
    new_key,
)
from ansible_collections.trainyard.mlstack.plugins.modules import encryption_config
from tests.unit.conftest import RunModule


def test_a_key_is_made_once_and_roots_alone(tmp_path: Path, run_module: RunModule) -> None:
    first = run_module("encryption_config", folder=str(tmp_path))
    path = Path(first["path"])
    key = key_of(path.read_text())
    assert (first["changed"], path.stat().st_mode & 0o7777) == (True, 0o600)
    assert key
    assert key not in str(first)
    second = run_module("encryption_config", folder=str(tmp_path))
    assert (second["changed"], key_of(path.read_text())) == (False, key)


def test_check_mode_says_the_same_and_writes_nothing(tmp_path: Path, run_module: RunModule) -> None:
    result = run_module("encryption_config", check=True, folder=str(tmp_path))
    assert (result["changed"], list(tmp_path.iterdir())) == (True, [])


def test_the_key_stays_when_encryption_is_switched_off_and_on(tmp_path: Path, run_module: RunModule) -> None:
    paths = [
        run_module("encryption_config", folder=str(tmp_path), provider=provider)["path"]
        for provider in ("secretbox", "none", "secretbox")
    ]
    assert len({key_of(Path(path).read_text()) for path in paths}) == 1
    assert len(set(paths)) == 2


def test_another_control_plane_takes_over_the_key(tmp_path: Path, run_module: RunModule) -> None:
    content = config_text("secretbox", new_key())
    result = run_module("encryption_config", folder=str(tmp_path), content=content)
    assert Path(result["path"]).read_text() == content
    assert not run_module("encryption_config", folder=str(tmp_path), content=content)["changed"]


def test_two_keys_are_refused(tmp_path: Path, run_module: RunModule) -> None:
    run_module("encryption_config", folder=str(tmp_path))
    before = (tmp_path / "encryption-secretbox.yaml").read_text()
    content = config_text("secretbox", new_key())
    result = run_module("encryption_config", folder=str(tmp_path), content=content)
    assert result["failed"]
    assert "another key" in result["msg"]
    assert (tmp_path / "encryption-secretbox.yaml").read_text() == before


def test_a_foreign_file_is_refused(tmp_path: Path, run_module: RunModule) -> None:
    result = run_module("encryption_config", folder=str(tmp_path), content="kind: Other\n")
    assert result["failed"]
    assert "whole file" in result["msg"]


@pytest.mark.parametrize(
    ("manifest", "used"), [(None, False), ("- --v=2\n", False), ("- --encryption-provider-config=/x\n", True)]
)
def test_a_key_in_use_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: str | None, used: bool
) -> None:
    path = tmp_path / "kube-apiserver.yaml"
    if manifest is not None:
        path.write_text(manifest)
    monkeypatch.setattr(encryption_config, "API_SERVER", str(path))
    assert encryption_config.in_use() is used
