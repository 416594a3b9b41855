# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run will do to a cluster, as data: the objects of one role, and the rights that they need. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from .._kube.resource import Manifest, Ref, ref_of

# Server-side apply of an object that may not exist yet, after a look at it.
APPLY = ("get", "create", "patch")
# A job is also followed (pods, logs) and may be replaced.
JOB_GROUP = "kubeflow.org"
RBAC = "rbac.authorization.k8s.io"
_WORKLOADS = ("Deployment", "DaemonSet", "StatefulSet", "Job")


@dataclass(frozen=True)
class Right:
    """What the API server is asked about.

    resource: may name a subresource. namespace: empty for all of them. name: of one object; empty for any.
    """

    verb: str
    group: str
    resource: str
    namespace: str = ""
    name: str = ""

    def where(self) -> str:
        """Return the resource in kubectl's own form, and where."""
        full = f"{self.resource}.{self.group}" if self.group else self.resource
        return f"{full} in namespace {self.namespace}" if self.namespace else f"{full} in the whole cluster"


@dataclass(frozen=True)
class Plan:
    """What one part is about to do.

    objects: what it applies, `condensed`. prunes: whose former members it takes away: `api_version`, `kind`,
    `namespace`. adopt: take over what others made. requests: of its largest pod. tolerations: of its pods.
    pull_secrets: names of Secrets that its namespaces must have. notes: what the user must have done himself.
    """

    part: str
    objects: Sequence[Manifest] = ()
    prunes: Sequence[Mapping[str, str]] = ()
    adopt: bool = False
    requests: Mapping[str, Any] = field(default_factory=dict)
    tolerations: Sequence[Mapping[str, Any]] = ()
    pull_secrets: Sequence[str] = ()
    notes: Sequence[str] = ()

    def secrets(self) -> List[Tuple[str, str]]:
        """Return (namespace, name) of the Secrets that must be there."""
        return [(space, name) for space in namespaces(self.objects) for name in self.pull_secrets]


def condensed(manifests: Iterable[Manifest]) -> List[Manifest]:
    """Return the manifests with definitions reduced to what names their kinds: their schemas are megabytes."""
    return [_condensed(manifest) for manifest in manifests]


def _condensed(manifest: Manifest) -> Manifest:
    if manifest.get("kind") != "CustomResourceDefinition":
        return manifest
    spec = manifest["spec"]
    return {**manifest, "spec": {key: spec[key] for key in ("group", "names", "scope") if key in spec}}


def rights(
    manifests: Sequence[Manifest],
    resource_of: Callable[[Ref], Optional[Tuple[str, bool]]],
    prunes: Sequence[Mapping[str, str]] = (),
) -> List[Right]:
    """Return every right that applying, waiting for and following these objects takes, each once.

    prunes: as in Plan. resource_of: the plural of an object's kind and whether the kind lives in namespaces; None when
    nobody knows it.
    """
    found: Dict[Right, None] = {}
    for manifest in manifests:
        ref = ref_of(manifest)
        served = resource_of(ref)
        if served is None:
            continue
        resource, namespaced = served
        inside = ref.namespace if namespaced else ""
        wanted = [Right(verb, ref.group, resource, inside) for verb in APPLY]
        wanted += _around(manifest, ref, resource, inside)
        found.update(dict.fromkeys(wanted))
    for former in prunes:
        ref = Ref(former["api_version"], former["kind"], "", former["namespace"])
        served = resource_of(ref)
        if served:
            found.update(dict.fromkeys(Right(verb, ref.group, served[0], ref.namespace) for verb in ("list", "delete")))
    return list(found)


def _around(manifest: Manifest, ref: Ref, resource: str, inside: str) -> List[Right]:
    """Return what else the work on an object takes."""
    if ref.group == JOB_GROUP and ref.kind.endswith("Job"):
        return [
            Right("delete", ref.group, resource, inside),
            Right("list", "", "pods", inside),
            Right("get", "", "pods/log", inside),
            Right("list", "", "events", inside),
        ]
    if ref.group == "" and ref.kind == "Pod":
        return [Right("list", "", resource, inside), Right("delete", "", resource, inside)]
    if ref.kind in _WORKLOADS:
        return [Right("list", "", "pods", inside)]
    if ref.kind.endswith("WebhookConfiguration"):
        services = [(hook.get("clientConfig") or {}).get("service") or {} for hook in manifest.get("webhooks") or []]
        spaces = sorted({str(service["namespace"]) for service in services if service.get("namespace")})
        return [Right("list", "discovery.k8s.io", "endpointslices", space) for space in spaces]
    if ref.kind == "PersistentVolumeClaim" and (manifest.get("spec") or {}).get("storageClassName"):
        return [Right("get", "storage.k8s.io", "storageclasses")]
    return []


def roles(manifests: Sequence[Manifest]) -> List[Tuple[List[Right], List[Right]]]:
    """Return for each role of the list the rights that free its maker, and those that it hands out.

    The API server lets nobody hand out what he does not have himself, unless he may escalate and bind that very role.
    """
    found: List[Tuple[List[Right], List[Right]]] = []
    for manifest in manifests:
        ref = ref_of(manifest)
        if ref.group != RBAC or ref.kind not in ("Role", "ClusterRole"):
            continue
        inside, resource = (ref.namespace, "roles") if ref.kind == "Role" else ("", "clusterroles")
        free = [Right(verb, RBAC, resource, inside, ref.name) for verb in ("escalate", "bind")]
        handed = [right for rule in manifest.get("rules") or [] for right in _of_rule(rule, inside)]
        found.append((free, handed))
    return found


def _of_rule(rule: Mapping[str, Any], inside: str) -> Iterable[Right]:
    for group in rule.get("apiGroups") or []:
        for resource in rule.get("resources") or []:
            for verb in rule.get("verbs") or []:
                yield Right(verb, group, resource, inside)


def merged(denied: Iterable[Right]) -> List[Tuple[Tuple[str, ...], Right]]:
    """Return the rights with the verbs of one resource in one place together, in the order of their first."""
    verbs: Dict[Right, List[str]] = {}
    for right in denied:
        verbs.setdefault(Right("", right.group, right.resource, right.namespace), []).append(right.verb)
    return [(tuple(names), right) for right, names in verbs.items()]


def namespaces(manifests: Sequence[Manifest]) -> List[str]:
    """Return the namespaces in which the objects live, those that the list makes among them."""
    found: Set[str] = {ref_of(manifest).namespace for manifest in manifests}
    found |= {ref_of(manifest).name for manifest in manifests if manifest.get("kind") == "Namespace"}
    return sorted(found - {""})
