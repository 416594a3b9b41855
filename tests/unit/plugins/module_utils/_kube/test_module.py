# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import listed
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import (
    api_spec,
    no_cluster_yet,
    progress,
    unanswered,
)


def module(check_mode: bool, **params: Any) -> Any:
    return SimpleNamespace(check_mode=check_mode, params={**dict.fromkeys(api_spec()), **params})


@pytest.mark.parametrize(
    ("check_mode", "exists", "to_come"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_a_cluster_to_come(tmp_path: Path, check_mode: bool, exists: bool, to_come: bool) -> None:
    path = tmp_path / "kubeconfig"
    if exists:
        path.touch()
    note = no_cluster_yet(module(check_mode, kubeconfig=str(path)))
    assert (str(path) in note) is to_come
    assert bool(note) is to_come


def test_a_server_that_does_not_answer_is_a_problem_of_the_kubeconfig() -> None:
    problem = unanswered(module(False, kubeconfig="/a/b.conf"), ApiError(0, "", "no answer from https://127.0.0.1:1"))
    assert problem.line().startswith("kubeconfig = /a/b.conf: no answer from https://127.0.0.1:1. Look: kubectl")
    assert [sorted(each) for each in listed([problem])] == [["field", "rule", "value", "way_out"]]


def test_progress(tmp_path: Path) -> None:
    path = tmp_path / "progress"
    progress(module(False, progress_file=str(path)))("created Pod a")
    assert json.loads(path.read_text(encoding="utf-8"))["text"] == "created Pod a"
    progress(module(False))("nobody listens")
