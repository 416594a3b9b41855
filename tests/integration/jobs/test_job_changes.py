# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is changed of a live job: it is refused before a request, or the server takes the change."""

from __future__ import annotations

import json
from collections import Counter
from itertools import count
from typing import Any

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.read import read
from tests.integration.conftest import run_module
from tests.integration.support import draws
from tests.integration.support.api_server import ApiServer
from tests.integration.support.job_options import Options, job_options, value
from tests.integration.support.samples import namespace_object
from tests.integration.support.strict import job_types
from tests.support.volcano import needed_for

TYPES = job_types()


def hold(judge: ApiServer, name: str, examples: int) -> None:
    """Try so many changes of live jobs of a module; fail with the smallest one that the server refuses."""
    of_kind, seen, numbers = TYPES[name], Counter(), count()
    spec, namespace = of_kind.job_spec(), f"changes-{name.replace('_', '-')}"
    run_module(judge, "objects", objects=[namespace_object(namespace)])

    def drawn(data: st.DataObject, strategy: st.SearchStrategy[Any]) -> Any:
        return json.loads(json.dumps(data.draw(strategy)))

    def a_change_is_refused_by_us_or_taken_by_the_server(data: st.DataObject) -> None:
        # It does not start, so no pod takes the machine's time; of Volcano's nobody makes any.
        state = "present" if of_kind.kind.gang_backend else "suspended"
        fixed: Options = {"namespace": namespace, "state": state, "quota_check": "ignore"}
        before: Options = {**drawn(data, job_options(of_kind.kind, spec)), "name": f"j{next(numbers)}", **fixed}
        assume(not read(of_kind, before)[1])
        made = run_module(judge, name, **before)
        assert made.get("changed"), (made.get("msg"), before)
        after = {**before}
        for key in drawn(
            data, st.lists(st.sampled_from(sorted(set(spec) - {"name", "namespace", "replicas", "tasks"})), max_size=2)
        ):
            after[key] = drawn(data, value(key, spec[key]))
        for replica in before.get("replicas", ()):
            own = spec["replicas"]["options"][replica]["options"]
            key = drawn(data, st.sampled_from(sorted(own)))
            if drawn(data, st.booleans()):
                after["replicas"] = {**after["replicas"], replica: {key: drawn(data, value(key, own[key]))}}
        for place, task in enumerate(before.get("tasks", ())):
            own = spec["tasks"]["options"]
            key = drawn(data, st.sampled_from(sorted(own)))
            if drawn(data, st.booleans()):
                tasks = [*after["tasks"]]
                tasks[place] = {**task, key: drawn(data, value(key, own[key]))}
                after["tasks"] = tasks
        changed = run_module(judge, name, check=True, **after)
        run_module(judge, "objects", state="absent", wait=False, objects=[made["manifest"]])
        seen["refused" if changed.get("failed") else "taken"] += 1
        assert "object refused" not in changed.get("msg", ""), (before, after)
        assert "objects refused" not in changed.get("msg", ""), (before, after)

    draws.hold(examples, a_change_is_refused_by_us_or_taken_by_the_server, st.data())
    assert min(seen["refused"], seen["taken"]) > 0, seen


@pytest.mark.parametrize("name", TYPES)
def test_a_change_is_refused_by_us_or_taken_by_the_server(judge: ApiServer, name: str) -> None:
    needed_for(name)
    hold(judge, name, 20)


@pytest.mark.long
@pytest.mark.parametrize("name", TYPES)
def test_many_more_changes(judge: ApiServer, name: str) -> None:
    needed_for(name)
    hold(judge, name, 500)
