# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a job without an operator has no pods."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_status.why import wanted_replicas
from tests.support.why_objects import event, why
from tests.unit.plugins.module_utils._job_status.test_why_no_pods import QUOTA


def test_a_parameter_server_jobs_own_jobs_speak_for_it() -> None:
    root = {
        "metadata": {
            "name": "bert",
            "namespace": "team-a",
            "uid": "job-1",
            "creationTimestamp": "2026-11-28T11:00:00Z",
        },
        "data": {"ps_hosts": "bert-ps-0:2222", "worker_hosts": "bert-worker-0:2222,bert-worker-1:2222"},
    }
    assert wanted_replicas(PS_JOB, root) == ["PS-0", "Worker-0", "Worker-1"]
    told = why(root, [], PS_JOB, events=[event("FailedCreate", QUOTA, "Job", "bert-ps-0")])
    assert told.sentence.startswith("The quota gpus of namespace team-a has no room for PS-0, Worker-0 and Worker-1")
    assert why(root, [], PS_JOB).sentence.startswith("The Job controller has not taken up the job's Jobs in 60m")
