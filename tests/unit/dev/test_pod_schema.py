# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""On a small description; the whole one is held against the API server in tests/integration/jobs/test_pod_schema.py."""

from __future__ import annotations

from typing import Any

from dev.pod_schema import TEMPLATE, operator_template, render, types

REF = "#/components/schemas/io.k8s.api.core.v1."
WORDS = [f"A-LONG-WORD-{number}" for number in range(20)]
SCHEMAS: dict[str, Any] = {
    TEMPLATE: {
        "properties": {"spec": {"allOf": [{"$ref": f"{REF}PodSpec"}], "default": {}}, "new": {"type": "string"}}
    },
    "io.k8s.api.core.v1.PodSpec": {
        "required": ["items"],
        "properties": {
            "items": {
                "type": "array",
                "items": {"$ref": f"{REF}Item"},
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
            "ephemeralContainers": {"type": "array", "items": {"type": "string"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "sets": {"type": "array", "items": {"type": "integer", "format": "int32"}, "x-kubernetes-list-type": "set"},
        },
    },
    "io.k8s.api.core.v1.Item": {
        "properties": {
            "name": {"type": "string"},
            "on": {"type": "boolean"},
            "size": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"},
            "word": {"type": "string", "enum": WORDS},
        }
    },
}
ITEM = {"properties": {key: {} for key in ["name", "on", "size", "word"]}}
KNOWN = {"items": {"items": ITEM}, "ephemeralContainers": {}, "labels": {"additionalProperties": {}}, "sets": {}}
OPERATOR = {"properties": {"spec": {"properties": KNOWN}}}


def crd(kind: str, template: dict[str, Any]) -> dict[str, Any]:
    specs = {"additionalProperties": {"properties": {"template": template}}}
    spec = {"properties": {"runPolicy": {}, "tfReplicaSpecs": specs}}
    version = {"schema": {"openAPIV3Schema": {"properties": {"spec": spec}}}}
    return {"kind": "CustomResourceDefinition", "spec": {"names": {"kind": kind}, "versions": [version]}}


def test_types_as_both_know_them() -> None:
    assert types(SCHEMAS, OPERATOR) == {
        "Item": {"name": "str", "on": "bool", "size": "quantity", "word": "|".join(WORDS)},
        "PodSpec": {"items!": "[Item/name]", "labels": "{str}", "sets": "[int32/*]"},
        "PodTemplateSpec": {"spec": "PodSpec"},
    }


def test_the_file_has_no_long_line_and_says_all() -> None:
    text = render(SCHEMAS, OPERATOR)
    assert max(map(len, text.splitlines())) <= 120
    assert "PodSpec items!:[Item/name] labels:{str} sets:[int32/*]\n" in text
    assert "|".join(WORDS) in text.replace("\n ", "").replace("| ", "|")


def test_the_template_of_the_operator() -> None:
    manifest = [{"kind": "Deployment"}, crd("PyTorchJob", {}), crd("TFJob", OPERATOR)]
    assert operator_template(manifest) == OPERATOR
