# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of equality without a request; beside a real server: tests/integration/kube/test_applied.py."""

from __future__ import annotations

import copy
from typing import Any, Callable

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.applied import is_as_applied, no_longer_wanted

WANTED: dict[str, Any] = {
    "apiVersion": "g/v1",
    "kind": "Thing",
    "metadata": {"name": "a", "namespace": "n", "labels": {"team": "x"}},
    "spec": {
        "number": 1,
        "args": ["b", "a"],
        "containers": [{"name": "main", "image": "i:1"}, {"name": "log", "image": "l:1"}],
        "volumes": [{"name": "v", "emptyDir": {}}],
    },
}
FIELDS: dict[str, Any] = {
    "f:metadata": {"f:labels": {"f:team": {}}},
    "f:spec": {
        "f:number": {},
        "f:args": {},
        "f:containers": {
            'k:{"name":"main"}': {".": {}, "f:name": {}, "f:image": {}},
            'k:{"name":"log"}': {".": {}, "f:name": {}, "f:image": {}},
        },
        "f:volumes": {'k:{"name":"v"}': {".": {}, "f:name": {}, "f:emptyDir": {}}},
    },
}


def live() -> dict[str, Any]:
    entry = {"manager": "us", "operation": "Apply", "apiVersion": "g/v1", "fieldsV1": copy.deepcopy(FIELDS)}
    status = {**entry, "manager": "us", "operation": "Update", "subresource": "status", "fieldsV1": {"f:status": {}}}
    found = copy.deepcopy(WANTED)
    found["metadata"].update(uid="1", managedFields=[entry, status], annotations={"by": "others"})
    found["spec"]["defaulted"] = True
    found["spec"]["containers"].insert(1, {"name": "injected"})
    return found


def test_the_very_same() -> None:
    assert is_as_applied(WANTED, live(), "us")


Change = Callable[[dict[str, Any], dict[str, Any]], Any]


def mine(found: dict[str, Any]) -> dict[str, Any]:
    return found["metadata"]["managedFields"][0]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "change",
    [
        lambda wanted, _live: wanted["spec"].update(number=2),
        lambda wanted, _live: wanted["spec"].update(number=True),
        lambda wanted, _live: wanted["spec"].pop("number"),
        lambda wanted, _live: wanted["spec"].update(more=1),
        lambda wanted, _live: wanted["spec"]["args"].reverse(),
        lambda wanted, _live: wanted["spec"]["containers"].reverse(),
        lambda wanted, _live: wanted["spec"]["containers"].pop(),
        lambda wanted, _live: wanted["spec"]["containers"].append({"name": "main", "image": "i:1"}),
        lambda wanted, _live: wanted["spec"].update(containers={"name": "main"}),
        lambda wanted, _live: wanted["metadata"].pop("labels"),
        lambda wanted, _live: wanted["metadata"]["labels"].update(team="y"),
        lambda wanted, _live: wanted.update(apiVersion="g/v2"),
        lambda _wanted, live: live["spec"].update(number=2),
        lambda _wanted, live: live["spec"].pop("args"),
        lambda _wanted, live: live["spec"]["containers"].pop(0),
        lambda _wanted, live: live["metadata"].pop("managedFields"),
        lambda _wanted, live: mine(live).update(manager="them"),
        lambda _wanted, live: mine(live).update(operation="Update"),
        lambda _wanted, live: mine(live)["fieldsV1"]["f:spec"].update({"f:gone": {}}),
        lambda _wanted, live: mine(live)["fieldsV1"]["f:spec"].pop("f:number"),
        lambda _wanted, live: live["metadata"]["managedFields"].append(dict(mine(live))),
    ],
)
def test_any_doubt_is_a_no(change: Change) -> None:
    wanted, found = copy.deepcopy(WANTED), live()
    change(wanted, found)
    assert not is_as_applied(wanted, found, "us")


def test_a_list_that_is_a_set_is_asked_for() -> None:
    found = live()
    mine(found)["fieldsV1"]["f:spec"]["f:args"] = {'v:"a"': {}, 'v:"b"': {}}
    assert not is_as_applied(WANTED, found, "us")


Spec = dict[str, Any]


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        (lambda spec: None, []),
        (lambda spec: spec.pop("number"), [("spec.number", 1)]),
        (lambda spec: spec["containers"][1].pop("image"), [("spec.containers[2].image", "l:1")]),
        (lambda spec: spec["volumes"][0].pop("emptyDir"), [("spec.volumes[0].emptyDir", {})]),
        (lambda spec: spec.update(number=2), []),
        # Whoever compares the lists sees it.
        (lambda spec: spec["containers"].pop(), []),
    ],
)
def test_what_we_wrote_and_do_not_want_any_more(change: Callable[[Spec], Any], gone: list[tuple[str, Any]]) -> None:
    wanted = copy.deepcopy(WANTED)
    change(wanted["spec"])
    assert list(no_longer_wanted(wanted, live(), "us", "spec")) == gone
    assert list(no_longer_wanted(wanted, live(), "somebody", "spec")) == []
