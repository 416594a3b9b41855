# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError, from_answer

HOOK = 'failed calling webhook "v.x.test": failed to call webhook: Post "https://a.b.svc:443/": connection refused'


def answer(status: int, message: str, reason: str = "InternalError", **details: object) -> ApiError:
    return from_answer(
        status, json.dumps({"kind": "Status", "message": message, "reason": reason, "details": details}).encode()
    )


@pytest.mark.parametrize(
    ("error", "silent"),
    [
        (answer(500, f"Internal error occurred: {HOOK}"), True),
        (answer(500, "conversion webhook for x.test/v1, Kind=X failed: Post: EOF"), True),
        (answer(403, 'admission webhook "v.x.test" denied the request: not this one', "Forbidden"), False),
        (answer(500, 'admission webhook "v.x.test" denied the request: failed calling webhook'), False),
        (answer(500, "etcdserver: request timed out"), False),
        (answer(400, HOOK, "BadRequest"), False),
    ],
)
def test_only_a_silent_webhook_is_one(error: ApiError, silent: bool) -> None:
    assert error.webhook_silent is silent


@pytest.mark.parametrize(
    ("error", "unknown"),
    [
        (from_answer(404, b"404 page not found\n"), True),
        (answer(404, "the server could not find the requested resource", "NotFound"), True),
        (answer(404, 'widgets.x.test "w" not found', "NotFound"), False),
        (answer(404, 'namespaces "n" not found', "NotFound"), False),
    ],
)
def test_an_unknown_kind_is_not_a_missing_object(error: ApiError, unknown: bool) -> None:
    assert error.not_found
    assert error.kind_unknown is unknown


def test_missing_namespace() -> None:
    assert answer(404, 'namespaces "n" not found', "NotFound").namespace_missing
    assert not answer(404, 'pods "n" not found', "NotFound").namespace_missing


def test_causes_that_the_sentence_leaves_out_are_added() -> None:
    causes = [{"field": "spec.a", "message": "is wrong"}, {"field": "spec.b", "message": "is wrong too"}]
    assert answer(422, "X is invalid: spec.a: is wrong", "Invalid", causes=causes[:1]).message.count("is wrong") == 1
    assert "spec.b: is wrong too" in answer(422, "X is invalid: spec.a: is wrong", "Invalid", causes=causes).message


@pytest.mark.parametrize(
    ("body", "message"), [(b"upstream timed out", "upstream timed out"), (b"", "HTTP status 502"), (b"[]", "[]")]
)
def test_answers_of_something_in_between(body: bytes, message: str) -> None:
    error = from_answer(502, body)
    assert (error.message, error.passing) == (message, True)
