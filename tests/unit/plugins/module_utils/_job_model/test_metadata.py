# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.metadata import job_metadata
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.old_forms import check_marks

GROUP = "scheduling.k8s.io/group-name"


def test_marks_of_a_job_itself() -> None:
    options = {"name": "j", "namespace": "n", "annotations": {GROUP: "g"}, "labels": {"a b": 1}}
    assert [problem.field for problem in job_metadata(options)[1]] == ["labels", f"metadata.annotations[{GROUP}]"]
    assert job_metadata({**options, "annotations": {"a": True}, "labels": {"b": 1, "c": None}}) == (
        {"name": "j", "namespace": "n", "annotations": {"a": "true"}, "labels": {"b": "1"}},
        [],
    )
    assert check_marks({GROUP: "no map of annotations"}, "", "metadata") == []
