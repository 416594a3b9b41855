# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all jobs of the operator have in common; what each has besides: test_tfjob.py, test_pytorchjob.py."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.operator_job import (
    OperatorJob,
    operator_job_parts,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB

OPTIONS: dict[str, Any] = {"name": "j", "namespace": "n", "image": "i:1", "gang": {"backend": "native"}}
WORKER = {"Worker": {"replicas": 3, "restart_policy": "OnFailure"}, "Master": {}}


@pytest.mark.parametrize("kind", [TFJOB, PYTORCHJOB])
def test_a_job_of_any_kind(kind: OperatorJob) -> None:
    common, problems = operator_job_parts(kind, OPTIONS, WORKER)
    assert problems == []
    job = common.job({"own": 1}, ["note"])
    assert (job.name, job.namespace, job.notes) == ("j", "n", ["note"])
    assert list(job.root["spec"]) == ["runPolicy", "own", kind.replica_specs]
    specs = job.root["spec"][kind.replica_specs]
    assert [(name, spec["replicas"], spec["restartPolicy"]) for name, spec in specs.items()] == [
        ("Worker", 3, "OnFailure"),
        ("Master", 1, "Never"),
    ]
    assert specs["Master"]["template"]["spec"]["containers"][0]["name"] == kind.container
    assert [part["metadata"]["name"] for part in job.parts] == [f"{kind.name}-j"]


def test_all_that_is_wrong_at_once_in_the_order_of_the_pieces() -> None:
    gang = {"backend": "native", "queue": "q"}
    wrong = {**OPTIONS, "backoff_limit": -1, "gpus": -1, "gang": gang, "labels": {"-": 1}}
    fields = [problem.field for problem in operator_job_parts(TFJOB, wrong, WORKER)[1]]
    assert fields[0] == "backoff_limit"
    assert fields.index("gang.queue") < fields.index("labels")
    assert any("gpu" in field for field in fields[1 : fields.index("gang.queue")])
