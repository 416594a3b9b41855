# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import (
    ObjectsFailed,
    Outcome,
    Trouble,
    after,
    count,
    diffs,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref

REF = Ref("v1", "ConfigMap", "a", "n")
LIVE = {"kind": "ConfigMap", "metadata": {"name": "a"}}


def test_only_what_changes_is_in_the_diff() -> None:
    outcomes = [
        Outcome(REF, result, LIVE, LIVE) for result in ("created", "changed", "unchanged", "deleted", "absent", "ready")
    ]
    assert [outcome.changed for outcome in outcomes] == [True, True, False, True, False, False]
    assert [entry["before_header"] for entry in diffs(outcomes)] == ["ConfigMap n/a"] * 3


def test_every_trouble_is_named() -> None:
    error = ObjectsFailed(
        f"{count(2, 'object')} refused", [Trouble(REF, "no"), Trouble(Ref("v1", "Node", "b"), "never")]
    )
    assert str(error) == "2 objects refused:\n  1. ConfigMap n/a: no\n  2. Node b: never"
    assert count(1, "object") == "1 object"


def test_what_was_done_before_a_failure_is_told() -> None:
    done, later = Outcome(REF, "created"), Outcome(Ref("v1", "ConfigMap", "b", "n"), "deleted")
    with pytest.raises(ObjectsFailed) as caught, after([done]):
        raise ObjectsFailed("1 object not ready", [Trouble(REF, "no")], [later])
    assert caught.value.outcomes == [done, later]
