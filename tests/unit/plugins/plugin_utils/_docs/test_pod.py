# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is documented is what the argument specs take."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.doc_fragments import (
    pod,
    ps_job_folders,
    ps_job_replicas,
    run_policy,
    tfjob_replicas,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds import ps_folders
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.replicas import replica_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.run_policy import run_policy_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.template import pod_options
from tests.unit.plugins.plugin_utils._docs.shapes import documented, shape


def test_pod_options() -> None:
    assert shape(documented(pod), "suboptions") == shape(pod_options(), "options")


def test_run_policy_options() -> None:
    assert shape(documented(run_policy), "suboptions") == shape(run_policy_options(), "options")


def test_replica_types_of_a_job_without_an_operator() -> None:
    replicas = {"replicas": PS_JOB.job_options()["replicas"]}
    assert shape(documented(ps_job_replicas), "suboptions") == shape(replicas, "options")


def test_folders_of_a_job_without_an_operator() -> None:
    assert shape(documented(ps_job_folders), "suboptions") == shape(ps_folders.folder_options(), "options")


def test_replica_types_of_a_tfjob() -> None:
    assert shape(documented(tfjob_replicas), "suboptions") == shape({"replicas": replica_options(TFJOB)}, "options")
