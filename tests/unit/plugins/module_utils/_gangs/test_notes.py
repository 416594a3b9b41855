# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.notes import gang_notes

GPU = {"nvidia.com/gpu": 1}


def specs(**requests: dict[str, Any]) -> dict[str, Any]:
    """Return replica types whose pods have one container with these requests."""
    return {
        name: {"template": {"spec": {"containers": [{"name": "t", "resources": {"requests": asked}}]}}}
        for name, asked in requests.items()
    }


def test_a_template_that_could_not_be_built() -> None:
    wanted = {"gang": {"backend": "kube_batch", "queue": "a"}}
    assert len(gang_notes(wanted, {"Worker": {"template": {}}})) == 1


@pytest.mark.parametrize(
    ("gang", "asked", "says"),
    [
        ({"backend": "kube_batch", "queue": "a"}, {"Worker": GPU}, "asks for cpu or memory: queue a may take more"),
        ({"backend": "kube_batch", "queue": "a"}, {"Worker": {**GPU, "cpu": 1}}, "asks for memory:"),
        ({"backend": "kube_batch", "queue": "a"}, {"Worker": {**GPU, "memory": "1Gi"}}, "asks for cpu:"),
        ({"backend": "kube_batch", "queue": "a"}, {"Worker": {**GPU, "memory": "1Gi", "cpu": 1}}, ""),
        ({"backend": "kube_batch", "queue": "a"}, {"PS": {"memory": "1Gi", "cpu": 1}, "Worker": GPU}, ""),
        ({"backend": "kube_batch", "queue": "a"}, {"Worker": {"cpu": "many"}}, ""),
        ({"backend": "kube_batch", "queue": None}, {"Worker": GPU}, ""),
        ({"backend": "volcano", "queue": "a"}, {"Worker": GPU}, ""),
        (None, {"Worker": GPU}, ""),
    ],
)
def test_a_queue_that_is_never_full(gang: dict[str, Any] | None, asked: dict[str, Any], says: str) -> None:
    notes = gang_notes({"gang": gang}, specs(**asked))
    assert says in "".join(notes)
    assert len(notes) == bool(says)
