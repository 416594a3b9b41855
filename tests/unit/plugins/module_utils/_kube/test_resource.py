# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import (
    Item,
    Ref,
    check,
    defined_kinds,
    flatten,
    ref_of,
    stages,
)


def manifest(api_version: str, kind: str, name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    meta = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **more}


CRD = manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.test")
CRD["spec"] = {"group": "example.test", "names": {"kind": "Widget"}, "scope": "Cluster"}


def test_an_object_is_the_same_in_every_version() -> None:
    assert Ref("apps/v1", "Deployment", "a", "b").key() == Ref("apps/v1beta1", "Deployment", "a", "b").key()
    assert str(Ref("v1", "Pod", "a", "b")) == "Pod b/a"
    assert str(Ref("v1", "Node", "a")) == "Node a"


def test_flatten() -> None:
    inner = manifest("v1", "Pod", "a")
    assert flatten([None, {}, {"kind": "List", "items": [inner, {"kind": "List", "items": [inner]}]}]) == [inner, inner]


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ([7], ["objects[0] = 7"]),
        ([{"kind": "Pod"}], ["apiVersion and metadata.name must be given"]),
        ([manifest("v1", "Pod", "a", "n"), manifest("v1", "Pod", "a", "n")], ["objects[1]", "twice"]),
        ([manifest("v1", "Pod", "a", "n"), manifest("v1", "Pod", "a", "m")], []),
    ],
)
def test_check(objects: list[Any], words: list[str]) -> None:
    lines = "\n".join(problem.line() for problem in check(objects))
    assert bool(lines) == bool(words)
    assert all(word in lines for word in words)


def test_stages() -> None:
    objects = [
        manifest("example.test/v1", "Widget", "w"),
        manifest("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook"),
        manifest("apps/v1", "Deployment", "d", "n"),
        manifest("v1", "Secret", "s", "n"),
        manifest("rbac.authorization.k8s.io/v1", "ClusterRole", "r"),
        CRD,
        manifest("v1", "Namespace", "n"),
        manifest("kubeflow.org/v1", "TFJob", "t", "n"),
    ]
    order = [[item.ref.kind for item in stage] for stage in stages([Item(ref_of(o), o) for o in objects])]
    assert order == [
        ["CustomResourceDefinition", "Namespace"],
        ["Secret", "ClusterRole"],
        ["Deployment"],
        ["ValidatingWebhookConfiguration"],
        ["Widget", "TFJob"],
    ]


def test_defined_kinds_know_their_scope() -> None:
    definition = defined_kinds([CRD])[("example.test", "Widget")]
    assert (definition.crd.name, definition.namespaced) == ("widgets.example.test", False)
