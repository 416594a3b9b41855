# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.compare import changes, diff, equal


def obj(**more: Any) -> dict[str, Any]:
    return {"kind": "ConfigMap", "metadata": {"name": "a", **more.pop("metadata", {})}, **more}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (obj(), obj(), True),
        (obj(status={"x": 1}), obj(), True),
        (
            obj(metadata={"resourceVersion": "1", "generation": 1, "managedFields": []}),
            obj(metadata={"uid": "u"}),
            True,
        ),
        (obj(metadata={"labels": {"a": "1"}}), obj(), False),
        (obj(data={"cpu": "1000m"}), obj(data={"cpu": "1"}), False),
        (
            obj(spec=[{"resources": {"limits": {"cpu": "1000m", "x/gpu": 1}}}]),
            obj(spec=[{"resources": {"limits": {"cpu": 1, "x/gpu": "1"}}}]),
            True,
        ),
        (obj(spec={"requests": {"x": "1Gi"}}), obj(spec={"requests": {"x": "1024Mi"}}), True),
        (obj(spec={"limits": [{"max": "1"}]}), obj(spec={"limits": [{"max": "2"}]}), False),
    ],
)
def test_equal(one: dict[str, Any], other: dict[str, Any], same: bool) -> None:
    assert equal(one, other) is same


def test_changes() -> None:
    before = {"a": 1, "b": [{"c": 1}, {"c": 2}], "d": [1], "e": 1}
    after = {"a": 1, "b": [{"c": 1}, {"c": 3}], "d": [1, 2], "f": None}
    assert list(changes(before, after, "spec")) == [("spec.b[1].c", 2, 3), ("spec.d", [1], [1, 2]), ("spec.e", 1, None)]


def test_a_long_object_that_comes_or_goes_is_cut() -> None:
    long = {"kind": "ConfigMap", "metadata": {"name": "a"}, "data": {str(number): "x" for number in range(100)}}
    created, deleted, changed = diff("a", None, long), diff("a", long, None), diff("a", long, {**long, "data": {}})
    assert created["after"].splitlines()[-1] == "... and 48 more lines"
    assert (created["before"], deleted["after"]) == ("", "")
    assert deleted["before"] == created["after"]
    assert (changed["before"], changed["after"]["data"]) == (long, {})


def test_diff_shows_no_secret() -> None:
    last = {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{secret-1}"}}
    before = {"kind": "Secret", "metadata": {"name": "s", **last}, "data": {"a": "secret-1", "b": "same"}}
    after = {
        "kind": "Secret",
        "metadata": {"name": "s"},
        "data": {"a": "secret-2", "b": "same"},
        "stringData": {"c": "secret-3"},
    }
    entry = diff("Secret s", before, after)
    assert "secret-" not in str(entry)
    assert entry["before"]["data"] == {"a": "hidden, before", "b": "hidden"}
    assert entry["after"]["data"] == {"a": "hidden, after", "b": "hidden"}
    assert diff("Secret s", None, after)["after"]["stringData"] == {"c": "hidden, after"}
