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
