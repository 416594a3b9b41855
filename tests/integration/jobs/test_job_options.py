# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever options a job module is given: it refuses them before a request, or the server takes what it renders."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.read import read
from tests.integration.support import draws
from tests.integration.support.api_server import ApiServer
from tests.integration.support.job_options import job_options
from tests.integration.support.strict import job_types, refusals
from tests.support.volcano import needed_for

TYPES = job_types()


def hold(judge: ApiServer, name: str, examples: int) -> None:
    """Try so many options of a module; fail with the smallest ones that the server refuses."""
    of_kind, seen = TYPES[name], Counter()

    def options_are_refused_by_us_or_taken_by_the_server(data: st.DataObject) -> None:
        options: dict[str, Any] = data.draw(job_options(of_kind.kind, of_kind.job_spec()))
        # What a module is given has come as JSON.
        options = json.loads(json.dumps(options))
        wanted, problems = read(of_kind, options)
        seen["refused" if problems else "taken"] += 1
        if not problems:
            assert wanted[0].job is not None
            assert refusals(judge, wanted[0].job) == [], json.dumps(options)

    draws.hold(examples, options_are_refused_by_us_or_taken_by_the_server, st.data())
    # A test whose options are all refused would hold for any renderer.
    assert min(seen["refused"], seen["taken"]) > examples / 6, seen


@pytest.mark.parametrize("name", TYPES)
def test_refused_by_us_or_taken_by_the_server(judge: ApiServer, name: str) -> None:
    needed_for(name)
    hold(judge, name, 150)


@pytest.mark.long
@pytest.mark.parametrize("name", TYPES)
def test_many_more_of_them(judge: ApiServer, name: str) -> None:
    needed_for(name)
    hold(judge, name, 5000)
