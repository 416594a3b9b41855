# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the webhook is asked, in time that is handed in; the other checks are the API tier's and the lab's."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster import verify_run
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.discovery import KindUnknown
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError

SILENT = ApiError(500, "InternalError", 'Internal error occurred: failed calling webhook "v": connection refused')
DENIED = ApiError(403, "Forbidden", 'admission webhook "v" denied the request: two leaders')


@pytest.mark.parametrize(
    ("answers_at", "ok", "asked_until", "word"),
    [(0, True, 0, "two leaders"), (60, True, 62, "two leaders"), (999, False, 121, "connection refused")],
)
def test_a_webhook_has_time_to_answer(
    monkeypatch: pytest.MonkeyPatch, answers_at: float, ok: bool, asked_until: float, word: str
) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    def apply(*_arguments: Any, **_options: Any) -> None:
        raise DENIED if now[0] >= answers_at else SILENT

    monkeypatch.setattr(verify_run, "Deadline", lambda seconds: Deadline(seconds, lambda: now[0], sleep))
    store = MagicMock(apply=apply)
    check = verify_run.Verifier(store, MagicMock(), 120, lambda _text: None)._webhook([])
    assert check.ok is ok
    assert word in check.detail
    assert answers_at > 120 or now[0] >= answers_at
    assert now[0] <= asked_until


@pytest.mark.parametrize(
    ("name", "minor", "groups", "expected"),
    [
        ("none", 37, [], ""),
        ("native", 37, ["scheduling.k8s.io/v1beta1"], "scheduling.k8s.io/v1beta1"),
        ("native", 36, ["scheduling.k8s.io/v1alpha2"], "scheduling.k8s.io/v1alpha2"),
        # Nobody may have chosen it, and an older version has none.
        ("native", 36, [], ""),
        ("native", 37, [], "scheduling.k8s.io/v1beta1"),
        ("volcano", 30, [], "scheduling.volcano.sh/v1beta1"),
    ],
)
def test_which_gang_is_proven(name: str, minor: int, groups: list[str], expected: str) -> None:
    def served(api_version: str, kind: str) -> None:
        if api_version not in groups:
            raise KindUnknown(api_version, kind)

    store = MagicMock()
    store.discovery.served = served
    store.client.call.return_value = {"gitVersion": f"v1.{minor}.0"}
    backend = verify_run.Verifier(store, MagicMock(), 1, lambda _text: None)._backend(name)
    assert (backend.api_version if backend else "") == expected
