# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""objects, state absent, and prune."""

from __future__ import annotations

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import config_map, crd, later, namespace_object, results, widget


def test_absent_and_absent_again(api: ApiServer, run: Run, namespace: str) -> None:
    objects = [config_map("a", namespace), config_map("b", namespace)]
    run("objects", objects=objects)
    mark = api.audit_mark()
    predicted = run("objects", check=True, state="absent", objects=objects)
    assert (results(predicted), api.writes(mark)) == (["deleted", "deleted"], [])
    assert results(run("objects", state="absent", objects=objects)) == ["deleted", "deleted"]
    mark = api.audit_mark()
    again = run("objects", state="absent", objects=objects)
    assert (again["changed"], results(again), api.writes(mark)) == (False, ["absent", "absent"], [])


def test_absent_without_crd_and_namespace(run: Run) -> None:
    objects = [widget("gone.example.test", "w", "not-there"), crd("gone.example.test"), config_map("a", "not-there")]
    assert results(run("objects", state="absent", objects=objects)) == ["absent"] * 3


def test_a_crd_goes_after_its_objects(run: Run, namespace: str) -> None:
    objects = [crd("going.example.test"), widget("going.example.test", "w", namespace)]
    run("objects", objects=objects)
    assert results(run("objects", state="absent", objects=objects)) == ["deleted", "deleted"]
    assert results(run("objects", state="absent", objects=objects)) == ["absent", "absent"]


def test_absent_waits_for_finalizers_and_says_so(api: ApiServer, run: Run, namespace: str) -> None:
    held = config_map("held", namespace)
    held["metadata"]["finalizers"] = ["example.test/hold"]
    path = f"/api/v1/namespaces/{namespace}/configmaps/held"
    run("objects", objects=[held])
    result = run("objects", state="absent", objects=[held], timeout=1)
    assert "finalizer example.test/hold" in result["msg"]

    def release() -> None:
        api.client.call("PATCH", path, (), {"metadata": {"finalizers": None}}, "application/merge-patch+json")

    with later(1.0, release):
        assert results(run("objects", state="absent", objects=[held], timeout=30)) == ["deleted"]


def test_a_namespace_is_waited_for_until_it_is_gone(cluster: ApiServer, run: Run) -> None:
    objects = [namespace_object("short-lived"), config_map("a", "short-lived")]
    there = {"kubeconfig": str(cluster.kubeconfig)}
    run("objects", objects=objects, **there)
    assert results(run("objects", state="absent", objects=objects[:1], timeout=60, **there)) == ["deleted"]
    assert results(run("objects", objects=objects, **there)) == ["created", "created"]


def test_prune(api: ApiServer, run: Run, namespace: str) -> None:
    label, other = {"part-of": "ours"}, {"part-of": "theirs"}
    objects = [config_map(name, namespace, label, x="1") for name in ("keep", "drop")]
    run("objects", objects=[*objects, config_map("foreign", namespace, other)])
    owned = config_map("owned", namespace, label)
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "keep", "uid": "0", "controller": True}
    owned["metadata"]["ownerReferences"] = [owner]
    api.create(owned, f"/api/v1/namespaces/{namespace}/configmaps")
    prune = {"selector": label, "kinds": [{"api_version": "v1", "kind": "ConfigMap"}], "namespace": namespace}

    predicted = run("objects", check=True, objects=objects[:1], prune=prune)
    assert results(predicted) == ["unchanged", "deleted"]
    result = run("objects", objects=objects[:1], prune=prune)
    assert [(entry["name"], entry["result"]) for entry in result["objects"]] == [
        ("keep", "unchanged"),
        ("drop", "deleted"),
    ]
    left = api.client.call("GET", f"/api/v1/namespaces/{namespace}/configmaps")["items"]
    assert {item["metadata"]["name"] for item in left} >= {"keep", "foreign", "owned"}
    again = run("objects", objects=objects[:1], prune=prune)
    assert (again["changed"], results(again)) == (False, ["unchanged"])


def test_prune_refuses_what_it_could_not_find_again(run: Run, namespace: str) -> None:
    kinds = [{"api_version": "v1", "kind": "ConfigMap"}]
    result = run(
        "objects", objects=[config_map("a", namespace)], prune={"selector": {"part-of": "ours"}, "kinds": kinds}
    )
    assert "must carry part-of=ours" in result["msg"]
    assert "at least one label" in run("objects", objects=[], prune={"selector": {}, "kinds": kinds})["msg"]
