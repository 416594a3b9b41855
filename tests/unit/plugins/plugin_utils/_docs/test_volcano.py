# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation of Volcano Jobs names what argument specs take."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.doc_fragments import (
    volcano_job_policies,
    volcano_job_tasks,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from tests.unit.plugins.plugin_utils._docs.shapes import documented, shape


def test_tasks_and_policies_of_a_volcano_job() -> None:
    documents = {**documented(volcano_job_tasks), **documented(volcano_job_policies)}
    options = {name: VOLCANO_JOB.job_options()[name] for name in ("tasks", "policies")}
    assert shape(documents, "suboptions") == shape(options, "options")
