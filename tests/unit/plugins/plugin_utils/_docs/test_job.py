# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is documented of modules for jobs is what their argument specs take."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.doc_fragments import api, job, job_run
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import identity_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.read import run_options
from tests.unit.plugins.plugin_utils._docs.shapes import documented, shape


def test_what_is_to_be_done() -> None:
    assert shape({**documented(job_run), **documented(api)}, "suboptions") == shape(run_options(), "options")


def test_what_names_a_job() -> None:
    more = {"name": {"type": "str"}, "jobs": {"type": "list", "elements": "dict"}}
    spec = {**identity_options(), **run_options(), **more}
    assert shape({**documented(job), **documented(api)}, "suboptions") == shape(spec, "options")
