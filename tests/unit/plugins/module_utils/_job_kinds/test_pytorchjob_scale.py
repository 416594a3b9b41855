# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who decides how many workers a living job has."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob_scale import beside
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import PYTORCHJOB

PATH = ("spec", "pytorchReplicaSpecs", "Worker", "replicas")
OWNED = {"f:spec": {"f:pytorchReplicaSpecs": {"f:Worker": {"f:replicas": {}, "f:template": {}}}}}
OTHERS = {"f:spec": {"f:pytorchReplicaSpecs": {"f:Worker": {"f:template": {}}}}}


def root(workers: int | None) -> dict[str, Any]:
    number = {} if workers is None else {"replicas": workers}
    return {"metadata": {"name": "j"}, "spec": {"pytorchReplicaSpecs": {"Worker": {**number, "template": {}}}}}


def live(workers: int, *managers: tuple[str, str, Any]) -> dict[str, Any]:
    fields = [{"manager": name, "operation": how, "fieldsV1": fields} for name, how, fields in managers]
    return {**root(workers), "metadata": {"name": "j", "managedFields": fields}}


@pytest.mark.parametrize(
    ("found", "sent"),
    [
        (None, 2),
        (live(3), None),
        (live(2, ("us", "Apply", OWNED)), 2),
        # Scaled by something that did not take the field from us.
        (live(3, ("us", "Apply", OWNED)), 3),
        (live(3, ("us", "Apply", OTHERS), ("kube-controller-manager", "Update", OWNED)), None),
        (live(3, ("us", "Update", OWNED)), None),
    ],
)
def test_what_is_sent_of_a_scaled_number(found: Any, sent: int | None) -> None:
    job = Job(PYTORCHJOB, "j", "n", root(2), scaled=[PATH])
    assert beside(job, found, "us") == root(sent)
    assert job.root == root(2)


def test_without_an_autoscaler_the_users_number_is_sent() -> None:
    assert beside(Job(PYTORCHJOB, "j", "n", root(2)), live(3, ("us", "Apply", OWNED)), "us") == root(2)


def test_a_type_that_the_live_job_lacks_is_sent_whole() -> None:
    job = Job(PYTORCHJOB, "j", "n", root(2), scaled=[PATH])
    assert beside(job, {"metadata": {}, "spec": {"pytorchReplicaSpecs": {}}}, "us") == root(2)
