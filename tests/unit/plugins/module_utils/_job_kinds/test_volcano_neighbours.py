# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Volcano Job beside what all jobs share: names, quotas, whose its pods are."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.live import JobWatch
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.name_clash import judge, offspring
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.quota import Namespace
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.quota import judge as judge_quotas
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref
from tests.support.quotas import GPUS, quota, short
from tests.support.volcano_jobs import TWO, job

MPI = [{"name": "master"}, {"name": "worker"}]
NETWORK = "networking.k8s.io/v1 NetworkPolicy j"
NAMED = ["v1 Service j", "v1 ConfigMap j-svc"]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({}, []),
        ({"plugins": {"env": []}}, []),
        ({"plugins": {"svc": []}}, [*NAMED, NETWORK]),
        ({"plugins": {"svc": ["--disable-network-policy=true"]}}, NAMED),
        ({"plugins": {"mpi": []}, "tasks": MPI}, [*NAMED, NETWORK, "v1 Secret j-ssh"]),
        ({"tf_config": {}, "command": ["a"]}, [*NAMED, NETWORK]),
    ],
)
def test_what_plugins_make_under_the_jobs_name(given: dict[str, Any], names: list[str]) -> None:
    assert [f"{ref.api_version} {ref.kind} {ref.name}" for ref in offspring(job(**given))] == names


@pytest.mark.parametrize(
    ("owner", "ours"),
    [
        ({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "j"}, True),
        # Kubernetes' own Job of this name is another one.
        ({"apiVersion": "batch/v1", "kind": "Job", "name": "j"}, False),
        ({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "k"}, False),
    ],
)
def test_whose_an_object_is(owner: dict[str, Any], ours: bool) -> None:
    service = {"metadata": {"name": "j", "ownerReferences": [{**owner, "uid": "u"}]}}
    made = job(plugins={"svc": []})
    found = judge({Ref("v1", "Service", "j", "n"): service}, [made])
    assert len(found) == (0 if ours else 1)
    assert JobWatch(VOLCANO_JOB, made.ref).owns(service) is ours


def test_a_quota_counts_the_pods_that_start_together() -> None:
    """FC-28: what can never start is told, what only starts in parts too."""
    three = job(gpus=1)
    assert short([three], quota({GPUS: 3}, {GPUS: 0})) == []
    (line,) = short([three], quota({GPUS: 4}, {GPUS: 2}))
    assert "2 is left, Volcano Job j needs 3" in line
    found = judge_quotas(Namespace("n", [quota({GPUS: 4}, {GPUS: 2})]), [job(gpus=1, min_available=2)])
    assert "2 is left: Volcano Job j can start and asks for 3 in all" in found.partly[0].line()


def test_a_quota_counts_what_plugins_make() -> None:
    hard = {
        "services": 0,
        "configmaps": 0,
        "count/networkpolicies.networking.k8s.io": 0,
        "count/jobs.batch.volcano.sh": 0,
    }
    made = job(plugins={"svc": []}, tasks=TWO)
    assert sorted(line.split(" = ")[1].split(" ")[0] for line in short([made], quota(hard, {}))) == sorted(hard)
