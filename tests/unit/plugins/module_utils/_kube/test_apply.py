# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A list is planned as a whole, then only what differs is written, in stages."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.apply import Applier, plan_one
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import ObjectsFailed
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import ref_of
from tests.unit.plugins.module_utils._kube.small_server import SmallServer, manifest

DENIED = ApiError(403, "Forbidden", 'admission webhook "v" denied the request: no')
TEAM = manifest("Namespace", "team", namespace="")


def config(name: str, value: str = "1") -> dict[str, Any]:
    return manifest("ConfigMap", name, data={"key": value})


def run(server: SmallServer, *manifests: dict[str, Any], check: bool = False) -> list[str]:
    """Apply the manifests and return the results in their order."""
    applier = Applier(server.store(), server.items(*manifests), server.deadline(), server.said.append, check)
    return [outcome.result for outcome in applier.run()]


def test_only_what_differs_is_written_and_namespaces_come_first() -> None:
    server = SmallServer()
    server.put(config("same"))
    server.put(config("other", "0"))
    assert run(server, config("new"), config("same"), config("other"), TEAM) == [
        "created",
        "unchanged",
        "changed",
        "created",
    ]
    assert server.writes[0] == "apply team"
    assert sorted(server.writes[1:]) == ["apply new", "apply other"]
    assert server.said == ["created Namespace team", "created ConfigMap team/new", "changed ConfigMap team/other"]
    server.writes.clear()
    assert run(server, config("new"), config("same"), config("other"), TEAM) == ["unchanged"] * 4
    assert server.writes == []


def test_check_mode_predicts_and_writes_nothing() -> None:
    server = SmallServer()
    server.put(config("other", "0"))
    assert run(server, config("new"), config("other"), check=True) == ["created", "changed"]
    assert (server.writes, server.said) == ([], [])


@pytest.mark.parametrize("check", [False, True])
def test_all_refusals_are_told_before_anything_is_written(check: bool) -> None:
    server = SmallServer()
    server.refusals = {"bad": DENIED, "worse": DENIED}
    with pytest.raises(ObjectsFailed) as failed:
        run(server, config("good"), config("bad"), config("worse"), check=check)
    head, *lines = str(failed.value).splitlines()
    assert head == "2 objects refused, nothing was changed:"
    assert lines == [f"  {n}. ConfigMap team/{name}: {DENIED.message}" for n, name in enumerate(("bad", "worse"), 1)]
    assert server.writes == []


def test_a_refusal_while_writing_says_what_had_been_written() -> None:
    server = SmallServer()
    applier = Applier(
        server.store(), server.items(config("late"), TEAM), server.deadline(), server.said.append, check_mode=False
    )
    planned = applier.plan()
    server.refusals = {"late": DENIED}
    with pytest.raises(ObjectsFailed, match=r"^1 object refused, after 1 object had been written:") as failed:
        applier.write(planned)
    assert [outcome.result for outcome in failed.value.outcomes] == ["created"]


MISSING = ApiError(404, "NotFound", 'namespaces "team" not found')


def test_an_object_whose_namespace_comes_is_planned_in_its_turn() -> None:
    server = SmallServer()
    server.refusals = {"x": MISSING}
    applier = Applier(server.store(), server.items(config("x"), TEAM), server.deadline(), server.said.append, False)
    [[first], [second]] = applier.plan()
    assert (first.open, second.open, second.outcome.result) == (False, True, "created")
    server.refusals.clear()
    assert [outcome.result for outcome in applier.write([[first], [second]])] == ["created", "created"]


def test_an_object_whose_namespace_does_not_come_is_refused() -> None:
    server = SmallServer()
    server.refusals = {"x": MISSING}
    with pytest.raises(ObjectsFailed, match='namespaces "team" not found'):
        run(server, config("x"))
    assert run(server, config("x"), check=True) == ["created"], "an earlier task of the play may make it"


def test_a_bare_pod_may_wait_for_what_the_list_brings() -> None:
    server = SmallServer()
    server.refusals = {"p": ApiError(403, "Forbidden", "error looking up service account team/x")}
    pod = manifest("Pod", "p")
    applier = Applier(server.store(), server.items(pod, config("x")), server.deadline(), server.said.append, False)
    [_first, [step]] = applier.plan()
    assert step.open
    with pytest.raises(ObjectsFailed, match="looking up service account"):
        run(server, pod)


def test_an_unknown_kind_is_refused_but_in_check_mode() -> None:
    server = SmallServer()
    job = manifest("TFJob", "j", "kubeflow.org/v1")
    with pytest.raises(ObjectsFailed, match=r"knows no kind TFJob in kubeflow\.org/v1"):
        run(server, job)
    assert server.now > 0, "a CRD that was just made gets its time"
    assert run(server, job, check=True) == ["created"]


def test_a_known_object_is_not_read_again() -> None:
    server = SmallServer()
    live = server.put(config("x"))
    ref = ref_of(live)
    outcome = plan_one(server.store(), ref, config("x"), {ref: live})
    assert (outcome.result, outcome.before, server.reads) == ("unchanged", live, [])
    assert plan_one(server.store(), ref, config("x")) == outcome
    assert server.reads == [server.path(live)]


def test_an_object_written_meanwhile_is_compared_again() -> None:
    server = SmallServer()
    live = server.put(config("x", "0"))
    ref = ref_of(live)
    server.put(config("x"))["metadata"]["resourceVersion"] = "99"
    outcome = plan_one(server.store(), ref, config("x"), {ref: live})
    assert (outcome.result, outcome.before) == ("unchanged", server.objects[server.path(live)])
