# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects are deleted dependents first; a prune takes what has left the list and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import ObjectsFailed
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.remove import (
    Prune,
    check_prune,
    leftovers,
    remove,
)
from tests.unit.plugins.module_utils._kube.small_server import SmallServer, manifest

LABELS = {"app": "x", "tier": "y"}
PRUNE = Prune(LABELS, [("v1", "ConfigMap")])


def config(name: str, namespace: str = "team", **metadata: Any) -> dict[str, Any]:
    return manifest("ConfigMap", name, namespace=namespace, metadata=metadata)


def run(server: SmallServer, *manifests: dict[str, Any], check: bool = False, wait: bool = True) -> list[str]:
    """Remove the objects and return the results in their order."""
    items = server.items(*manifests)
    outcomes = remove(server.store(), items, server.deadline(), server.said.append, check, wait)
    return [outcome.result for outcome in outcomes]


def test_dependents_go_before_what_they_need() -> None:
    server = SmallServer()
    needed, work = config("needed"), manifest("Deployment", "work", "apps/v1")
    for item in (needed, work):
        server.put(item)
    assert run(server, needed, config("never"), work) == ["deleted", "absent", "deleted"]
    assert server.writes == ["delete work", "delete needed"]
    assert server.said == ["deleted Deployment team/work", "deleted ConfigMap team/needed"]
    assert run(server, needed, work) == ["absent", "absent"]


def test_check_mode_predicts_and_deletes_nothing() -> None:
    server = SmallServer()
    server.put(config("a"))
    assert run(server, config("a"), config("b"), check=True) == ["deleted", "absent"]
    assert server.writes == []


@pytest.mark.parametrize("wait", [True, False])
def test_it_waits_until_they_are_gone(wait: bool) -> None:
    server = SmallServer()
    server.put(config("a"))
    server.until = 5.0
    assert run(server, config("a"), wait=wait) == ["deleted"]
    assert (server.now >= 5.0) == wait


def test_what_stays_is_told_with_what_had_been_deleted() -> None:
    server = SmallServer()
    server.put(config("a", finalizers=["example.org/keep"]))
    server.until = 1e9
    with pytest.raises(ObjectsFailed, match=r"1 object not gone after 60 s:\n.*team/a: finalizer example") as failed:
        run(server, config("a"))
    assert [outcome.result for outcome in failed.value.outcomes] == ["deleted"]


def test_a_refusal_names_the_object() -> None:
    server = SmallServer()
    for name in ("a", "b"):
        server.put(config(name))
    server.refusals = {"a": ApiError(403, "Forbidden", "you may not")}
    with pytest.raises(ObjectsFailed, match=r"1 object could not be deleted:\n  1\. ConfigMap team/a: you may not"):
        run(server, config("a"), config("b"))


@pytest.mark.parametrize("status", [404, 409])
def test_an_object_that_went_by_itself_is_no_trouble(status: int) -> None:
    server = SmallServer()
    server.put(config("a"))
    server.refusals = {"a": ApiError(status, "", "gone, or another one")}
    assert run(server, config("a"), wait=False) == ["deleted"]


def test_leftovers_carry_the_labels_are_not_listed_and_have_no_controller() -> None:
    server = SmallServer()
    server.put(config("listed", labels=LABELS))
    server.put(config("left", labels=LABELS))
    server.put(config("elsewhere", "other", labels=LABELS))
    server.put(config("half", labels={"app": "x"}))
    server.put(config("copied", labels=LABELS, ownerReferences=[{"controller": True}]))
    server.put(config("owned", labels=LABELS, ownerReferences=[{"kind": "X"}]))
    items = server.items(config("listed"))

    def found(namespace: str) -> list[str]:
        prune = Prune(LABELS, [("v1", "ConfigMap"), ("x.org/v1", "Unknown")], namespace)
        return [item.ref.name for item in leftovers(server.store(), prune, items)]

    assert found("") == ["left", "elsewhere", "owned"]
    assert found("team") == ["left", "owned"]


def test_the_selector_is_written_in_order() -> None:
    assert Prune({"b": "2", "a": "1"}, []).label_selector() == "a=1,b=2"


@pytest.mark.parametrize(
    ("selector", "labels", "fields"),
    [
        (LABELS, LABELS, []),
        (LABELS, {**LABELS, "more": "z"}, []),
        (LABELS, {"app": "x"}, ["metadata.labels"]),
        (LABELS, {**LABELS, "tier": "z"}, ["metadata.labels"]),
        (LABELS, None, ["metadata.labels"]),
        ({}, None, ["prune.selector"]),
    ],
)
def test_a_dangerous_or_useless_prune_is_refused(
    selector: dict[str, str], labels: dict[str, str] | None, fields: list[str]
) -> None:
    items = SmallServer().items(config("a", **({} if labels is None else {"labels": labels})))
    problems = check_prune(Prune(selector, PRUNE.kinds), items)
    assert [problem.field for problem in problems] == fields
    assert check_prune(Prune(LABELS, [("apps/v1", "Deployment")]), items) == [], "of other kinds nothing is pruned"
