# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write plugins/module_utils/_pods/schema_data.py: what a pod template may hold, as the release's API server says it.

Usage: kubectl get --raw /openapi/v3/apis/batch/v1 > batch.json
       python dev/pod_schema.py batch.json <bundle>/manifests/training-operator.yaml
A test of the API tier holds that the file is what the release's API server and operator say.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from textwrap import wrap
from typing import Any, Mapping, Sequence

import yaml

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "plugins" / "module_utils" / "_pods" / "schema_data.py"
TEMPLATE = "io.k8s.api.core.v1.PodTemplateSpec"
# What the server refuses in a template though its description has it, what only pods on Windows have, and volumes of
# drivers that ended.
LEFT_OUT = (
    "Container.restartPolicyRules",
    "ObjectMeta.finalizers",
    "PodSecurityContext.windowsOptions",
    "PodSpec.ephemeralContainers",
    "SecurityContext.windowsOptions",
    "Volume.cephfs",
    "Volume.flocker",
    "Volume.gitRepo",
    "Volume.glusterfs",
    "Volume.photonPersistentDisk",
    "Volume.quobyte",
    "Volume.rbd",
    "Volume.scaleIO",
    "Volume.storageos",
)
# Words that the server's code asks for where its description leaves any text.
WORDS = {
    "Container.restartPolicy": "Always|Never|OnFailure",
    "ContainerResizePolicy.resourceName": "cpu|memory",
    "ContainerResizePolicy.restartPolicy": "NotRequired|RestartContainer",
    "EmptyDirVolumeSource.medium": "|Memory|HugePages|HugePages-2Mi|HugePages-1Gi",
    "LabelSelectorRequirement.operator": "In|NotIn|Exists|DoesNotExist",
    "PodCertificateProjection.keyType": "RSA3072|RSA4096|ECDSAP256|ECDSAP384|ECDSAP521|ED25519",
    "PodOS.name": "linux",
    "PodSecurityContext.seLinuxChangePolicy": "Recursive|MountOption",
    # The others are behind a feature gate.
    "Toleration.operator": "Equal|Exists",
    "VolumeMount.recursiveReadOnly": "Disabled|IfPossible|Enabled",
}
LONGEST_WORD = 110

_HEAD = '''# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pod template may hold. Made by dev/pod_schema.py from the API server's own description; not by hand.

A type a line, with its fields: `name` is text, `name!` must be given, `name:int32` has another type, `A|B` is one of
these words, `[T]` a list, `[T/key]` a list in which no two items have the same key, `{T}` a map.
"""

from __future__ import annotations

SCHEMA = """
'''
_SIMPLE = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "intstr",
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "any",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "str",
}
_KINDS = {"boolean": "bool", "string": "str", "object": "any", "number": "number"}


def short(name: str) -> str:
    """Return a type's name without where it is defined."""
    return name.rpartition(".")[2]


def reference(schema: Mapping[str, Any]) -> str:
    """Return the name of the type that a schema refers to, or nothing."""
    found = schema.get("$ref") or next((item["$ref"] for item in schema.get("allOf", []) if "$ref" in item), "")
    return str(found).rpartition("/")[2]


def type_of(schema: Mapping[str, Any]) -> str:
    """Return a field's type in the words of the file."""
    name = reference(schema)
    if name:
        return _SIMPLE.get(name) or short(name)
    kind = schema.get("type", "")
    if kind == "array":
        keys = list(schema.get("x-kubernetes-list-map-keys", []))
        if schema.get("x-kubernetes-list-type") == "set":
            keys = ["*"]
        return f"[{type_of(schema['items'])}{'/' + ','.join(keys) if keys else ''}]"
    if kind == "object" and "additionalProperties" in schema:
        return f"{{{type_of(schema['additionalProperties'])}}}"
    if kind == "integer":
        return str(schema.get("format", "int64"))
    if "enum" in schema:
        return "|".join(str(word) for word in schema["enum"])
    return _KINDS.get(kind, "any")


def operator_template(manifest: Sequence[Mapping[str, Any]], kind: str = "TFJob") -> Mapping[str, Any]:
    """Return the schema of the pod template in a CRD of the operator."""
    for item in manifest:
        if item.get("kind") == "CustomResourceDefinition" and item["spec"]["names"]["kind"] == kind:
            spec = item["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
            specs = next(value for key, value in spec.items() if key.endswith("ReplicaSpecs"))
            return dict(specs["additionalProperties"]["properties"]["template"])
    raise LookupError(f"the manifest has no CRD of {kind}")


def types(schemas: Mapping[str, Any], template: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return all types that a template is made of, each with its fields; a field that must be given ends with !.

    template: the same in the operator's CRD, which knows the fields of the Kubernetes that it was built with; only what
    both take is taken.
    """
    found: dict[str, dict[str, str]] = {}
    waiting = [(TEMPLATE, template)]
    while waiting:
        name, known = waiting.pop()
        if short(name) in found:
            continue
        schema = schemas[name]
        properties = {
            key: value
            for key, value in schema.get("properties", {}).items()
            if key in known.get("properties", {}) and f"{short(name)}.{key}" not in LEFT_OUT
        }
        found[short(name)] = {
            f"{key}{'!' if key in schema.get('required', []) else ''}": (
                WORDS.get(f"{short(name)}.{key}") or type_of(properties[key])
            )
            for key in sorted(properties)
        }
        for key, value in properties.items():
            inner = value.get("items") or value.get("additionalProperties") or value
            if reference(inner) and reference(inner) not in _SIMPLE:
                below = known["properties"][key]
                waiting.append((reference(inner), below.get("items") or below.get("additionalProperties") or below))
    return dict(sorted(found.items()))


def render(schemas: Mapping[str, Any], template: Mapping[str, Any]) -> str:
    """Return the whole file."""
    lines: list[str] = []
    for name, fields in types(schemas, template).items():
        words = [key if kind == "str" else f"{key}:{kind}" for key, kind in fields.items()]
        # A long list of words is broken, too; the reader takes the blanks out again.
        words = [word.replace("|", "| ") if len(word) > LONGEST_WORD else word for word in words]
        lines += wrap(" ".join([name, *words]), 120, subsequent_indent="  ", break_on_hyphens=False)
    return _HEAD + "\n".join(lines) + '\n"""\n'


def main(arguments: list[str]) -> None:
    """Read both descriptions and write the file."""
    schemas = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))["components"]["schemas"]
    manifest = [item for item in yaml.safe_load_all(Path(arguments[1]).read_text(encoding="utf-8")) if item]
    TARGET.write_text(render(schemas, operator_template(manifest)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
