# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests as data: what an object is called, in which order a list is applied, what is wrong with it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Sequence, Set, Tuple

from .._common.problem import Problem

Manifest = Dict[str, Any]

WEBHOOKS = {"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}
WORKLOADS = {
    ("apps", "Deployment"),
    ("apps", "DaemonSet"),
    ("apps", "StatefulSet"),
    ("apps", "ReplicaSet"),
    ("batch", "Job"),
    ("batch", "CronJob"),
    ("", "Pod"),
    ("", "ReplicationController"),
}
_SERVED_BY_KUBERNETES = ("apps", "batch", "autoscaling", "policy", "extensions")


@dataclass(frozen=True)
class Ref:
    """The identity of one object. namespace is empty for a cluster-wide one."""

    api_version: str
    kind: str
    name: str
    namespace: str = ""

    @property
    def group(self) -> str:
        """Return the API group; empty for the core one."""
        return self.api_version.rpartition("/")[0]

    def key(self) -> Tuple[str, str, str, str]:
        """Return what makes two objects the same one: a version is only a view of it."""
        return (self.group, self.kind, self.namespace, self.name)

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


def ref_of(manifest: Manifest, namespace: str = "") -> Ref:
    """Return the identity of a manifest; `namespace` is used when it names none."""
    meta = manifest.get("metadata") or {}
    return Ref(
        str(manifest.get("apiVersion", "")),
        str(manifest.get("kind", "")),
        str(meta.get("name", "")),
        str(meta.get("namespace") or namespace),
    )


def flatten(objects: Iterable[Any]) -> List[Any]:
    """Return the objects one by one: lists of kind List taken apart, empty documents of a YAML file left out."""
    result: List[Any] = []
    for item in objects:
        if not item:
            continue
        if isinstance(item, dict) and item.get("kind") == "List" and isinstance(item.get("items"), list):
            result.extend(flatten(item["items"]))
        else:
            result.append(item)
    return result


def check(objects: Sequence[Any]) -> List[Problem]:
    """Return what is wrong with a list of manifests before any request is made."""
    problems: List[Problem] = []
    seen: Set[Tuple[str, str, str, str]] = set()
    for index, item in enumerate(objects):
        field = f"objects[{index}]"
        if not isinstance(item, dict):
            way_out = "Give a mapping with apiVersion, kind and metadata"
            problems.append(Problem(field, repr(item)[:60], "must be a manifest", way_out))
            continue
        ref = ref_of(item)
        needed = {"apiVersion": ref.api_version, "kind": ref.kind, "metadata.name": ref.name}
        missing = " and ".join(key for key, value in needed.items() if not value)
        if missing:
            problems.append(
                Problem(field, str(ref).strip() or "{}", f"{missing} must be given", "Complete the manifest")
            )
        elif ref.key() in seen:
            problems.append(Problem(field, str(ref), "stands in the list twice", "Keep one of the two"))
        seen.add(ref.key())
    return problems


@dataclass(frozen=True)
class Item:
    """One object of a list: its identity, namespace decided, and its manifest."""

    ref: Ref
    manifest: Manifest


@dataclass(frozen=True)
class Definition:
    """What a CRD says about its kind."""

    crd: Ref
    plural: str
    namespaced: bool


def defined_kinds(manifests: Iterable[Manifest]) -> Dict[Tuple[str, str], Definition]:
    """Return the kinds that the CRDs in a list define, by (group, kind)."""
    kinds: Dict[Tuple[str, str], Definition] = {}
    for manifest in manifests:
        if manifest.get("kind") == "CustomResourceDefinition":
            spec = manifest.get("spec") or {}
            names = spec.get("names") or {}
            key = (str(spec.get("group", "")), str(names.get("kind", "")))
            kinds[key] = Definition(ref_of(manifest), str(names.get("plural", "")), spec.get("scope") != "Cluster")
    return kinds


def stages(items: Sequence[Item]) -> List[List[Item]]:
    """Return the list in the groups in which it is applied; deletion goes the other way round.

    Namespaces and CRDs, then what others refer to, then workloads, then webhook configurations (they refuse others'
    requests until their workload answers), then custom resources (they need all of it).
    """
    own_kinds = defined_kinds(item.manifest for item in items)
    ranked: Dict[int, List[Item]] = {}
    for item in items:
        ranked.setdefault(_rank(item.ref, own_kinds), []).append(item)
    return [ranked[rank] for rank in sorted(ranked)]


def _rank(ref: Ref, own_kinds: Dict[Tuple[str, str], Definition]) -> int:
    if ref.kind == "CustomResourceDefinition" or (ref.group, ref.kind) == ("", "Namespace"):
        return 0
    if ref.kind in WEBHOOKS:
        return 3
    if (ref.group, ref.kind) in WORKLOADS:
        return 2
    built_in = not ref.group or ref.group in _SERVED_BY_KUBERNETES or ref.group.endswith(".k8s.io")
    return 4 if (ref.group, ref.kind) in own_kinds or not built_in else 1
