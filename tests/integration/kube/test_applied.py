# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What we call equal without a request, beside what the server's dry run says of the same manifest."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.read import read
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.applied import is_as_applied
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.compare import equal
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Manifest, ref_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from tests.integration.support import draws
from tests.integration.support.api_server import ApiServer
from tests.integration.support.job_options import job_options
from tests.integration.support.strict import job_types

TYPE = job_types()["tfjob"]
VALUES: list[Any] = ["x", "1", "", 1, 0, True, False, None, [], {}, ["x"], {"x": "1"}, {"name": "x"}]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values inside a manifest."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, item in inner for place in ((*path, key), *places(item, (*path, key)))]


def altered(draw: Any, manifest: Manifest) -> Manifest:
    """Return a manifest with one thing in it that is gone, new, another, doubled or in another place."""
    result = copy.deepcopy(manifest)
    # Its name and kind are those of the request.
    inside = [place for place in places(result) if place[0] == "spec" or place[:2] == ("metadata", "labels")]
    path = draw(st.sampled_from(inside))
    parent: Any = result
    for key in path[:-1]:
        parent = parent[key]
    act = draw(st.sampled_from(["remove", "set", "add", "double", "turn"]))
    if act == "remove":
        del parent[path[-1]]
    elif act == "set":
        parent[path[-1]] = draw(st.sampled_from(VALUES))
    elif act == "add" and isinstance(parent, dict):
        parent[draw(st.sampled_from(["hostname", "imagePullPolicy", "replicas", "x", "labels"]))] = draw(
            st.sampled_from(VALUES)
        )
    elif isinstance(parent, list):
        parent[:] = [*parent, parent[path[-1]]] if act == "double" else parent[::-1]
    return result


def hold(api: ApiServer, namespace: str, examples: int) -> None:
    store, seen = Store(api.client), Counter[str]()

    def equal_for_us_is_equal_for_the_server(data: st.DataObject) -> None:
        options: dict[str, Any] = json.loads(json.dumps(data.draw(job_options(TYPE.kind, TYPE.job_spec()))))
        wanted, problems = read(TYPE, {**options, "name": "job", "namespace": namespace})
        if problems or not wanted[0].job:
            return
        root = wanted[0].job.root
        ref = ref_of(root)
        # Made anew for each: what a former one had must not be in the list of fields.
        found = store.read(ref)
        if found:
            store.delete(ref, found["metadata"]["uid"])
        store.apply(ref, root, dry_run=False)
        live = store.read(ref)
        assert live
        seen["known" if is_as_applied(root, live, store.field_manager) else "asked for"] += 1
        for _number in range(6):
            other = altered(data.draw, root)
            if not is_as_applied(other, live, store.field_manager):
                seen["differs"] += 1
                continue
            seen["equal"] += 1
            try:
                result = store.apply(ref, other, dry_run=True)
            except ApiError as error:
                raise AssertionError(f"refused: {json.dumps(other)}") from error
            assert equal(live, result), json.dumps(other)

    draws.hold(examples, equal_for_us_is_equal_for_the_server, st.data())
    print(seen)
    # A rule that always asks the server would hold, and be of no use.
    assert seen["known"] > 10 * seen["asked for"], seen
    assert seen["differs"] > seen["equal"], seen


@pytest.mark.usefixtures("kubeflow")
def test_equal_for_us_is_equal_for_the_server(api: ApiServer, namespace: str) -> None:
    hold(api, namespace, 25)


@pytest.mark.long
@pytest.mark.usefixtures("kubeflow")
def test_many_more_of_them(api: ApiServer, namespace: str) -> None:
    hold(api, namespace, 3000)
