# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

"""The bounded retry, in time that is handed in; the requests themselves are the API tier's."""

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.discovery import KindUnknown
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import KIND_GRACE_S, patiently

SILENT = ApiError(500, "InternalError", 'Internal error occurred: failed calling webhook "v": connection refused')
DENIED = ApiError(403, "Forbidden", 'admission webhook "v" denied the request: main container missing')
UNKNOWN = KindUnknown("kubeflow.org/v1", "TFJob")
NO_PATH = ApiError(404, "", "404 page not found")


class World:
    """A request that is refused until a moment."""

    def __init__(self, refusal: Exception, until: float) -> None:
        self.now, self.calls = 0.0, 0
        self._refusal, self._until = refusal, until

    def request(self) -> str:
        self.calls += 1
        if self.now < self._until:
            raise self._refusal
        return "done"

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def deadline(self, timeout: float) -> Deadline:
        return Deadline(timeout, lambda: self.now, self.sleep)


@pytest.mark.parametrize(("refusal", "until"), [(UNKNOWN, 8), (NO_PATH, 8), (SILENT, 20), (SILENT, 100)])
def test_what_passes_is_waited_for(refusal: Exception, until: float) -> None:
    world = World(refusal, until)
    assert patiently(world.request, world.deadline(120)) == "done"
    assert world.now == pytest.approx(until, abs=2)


@pytest.mark.parametrize(
    ("refusal", "options"), [(DENIED, {}), (SILENT, {"kinds_only": True}), (ApiError(500, "", "x"), {})]
)
def test_everything_else_is_raised_at_once(refusal: Exception, options: dict[str, Any]) -> None:
    world = World(refusal, 5)
    with pytest.raises(type(refusal)):
        patiently(world.request, world.deadline(120), **options)
    assert (world.calls, world.now) == (1, 0)


@pytest.mark.parametrize(
    ("refusal", "timeout", "end"), [(UNKNOWN, 120, KIND_GRACE_S), (SILENT, 30, 30), (UNKNOWN, 5, 5)]
)
def test_the_wait_is_bounded(refusal: Exception, timeout: float, end: float) -> None:
    world = World(refusal, 1e9)
    with pytest.raises(type(refusal)):
        patiently(world.request, world.deadline(timeout))
    assert world.now == pytest.approx(end, abs=1.5)
