# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""volcano_job under Volcano's own programs, where they are: what test_volcano_job.py plays is real here."""

from __future__ import annotations

from typing import Any

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import exits
from tests.integration.support.samples import namespace_object

NAMESPACE = "volcano-job-running"


def test_its_worker_completes_it_and_a_second_run_changes_nothing(
    cluster: ApiServer, run_on_cluster: Run, volcano_running: None
) -> None:
    cluster.create(namespace_object(NAMESPACE), "/api/v1/namespaces")
    completes = [{"event": "TaskCompleted", "action": "CompleteJob"}]
    worker = {"name": "worker", "replicas": 2, "policies": completes, **exits(0, "5s")}
    options: dict[str, Any] = {
        "name": "mnist",
        "namespace": NAMESPACE,
        "image": "mnist:1",
        "command": ["python", "/mnist.py"],
        "tf_config": {},
        "ports": [{"name": "cluster", "containerPort": 2222}],
        "tasks": [{"name": "ps"}, worker],
    }
    assert run_on_cluster("volcano_job", **options)["changed"]
    with cluster.quiet():
        # Its admission has filled in what we left out.
        again = run_on_cluster("volcano_job", **options, wait=True, timeout=120)
    assert (again["changed"], again["end"]) == (False, "succeeded"), again
    assert run_on_cluster("volcano_job", name="mnist", namespace=NAMESPACE, state="absent")["changed"]
