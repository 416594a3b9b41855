# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster says about itself before a run changes it: version, groups, rights, what is there. Only reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, TypeVar

from .._common import parallel
from .._kube.discovery import KindUnknown
from .._kube.errors import ApiError
from .._kube.resource import Manifest, Ref, defined_kinds, ref_of
from .._kube.store import FIELD_MANAGER, Store
from .plan import Plan, Right, rights, roles

# Made with the cluster by role kubernetes: whoever finds it knows that the cluster is ours.
MARK = Ref("v1", "ConfigMap", "trainyard-mlstack", "kube-system")
REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"

T = TypeVar("T")


@dataclass(frozen=True)
class Live:
    """An object of a plan as it is in the cluster. managers: who wrote its fields, the last one first."""

    ref: Ref
    managers: Tuple[str, ...]
    images: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Cluster:
    """What was read.

    version: as the server says it. user: who the kubeconfig makes us; empty when the server does not tell.
    mark: the data of our mark; None on a cluster that we did not make. groups: group versions that are served.
    denied: part -> the rights that its objects need and the user lacks. unknown: part -> kinds that nobody serves.
    live: part -> those of its objects that exist. nodes, classes: None when the user may not list them.
    secrets: (namespace, name) of those that plans need and that exist. unread: of those that the user may not look at.
    own: field managers whose objects are ours.
    """

    version: str
    user: str = ""
    mark: Optional[Mapping[str, str]] = None
    groups: Tuple[str, ...] = ()
    denied: Mapping[str, Sequence[Right]] = field(default_factory=dict)
    unknown: Mapping[str, Sequence[Ref]] = field(default_factory=dict)
    live: Mapping[str, Sequence[Live]] = field(default_factory=dict)
    nodes: Optional[Sequence[Manifest]] = None
    classes: Optional[Sequence[Manifest]] = None
    secrets: Sequence[Tuple[str, str]] = ()
    unread: Sequence[Tuple[str, str]] = ()
    own: Sequence[str] = (FIELD_MANAGER,)


class Reader:
    """Reads one cluster for some plans."""

    def __init__(self, store: Store, plans: Sequence[Plan]) -> None:
        self._store = store
        self._client = store.client
        self._plans = plans
        self._defined = defined_kinds(manifest for plan in plans for manifest in plan.objects)

    def read(self) -> Cluster:
        """Return what the plans need to know.

        Raises ApiError when the server does not answer, or not even says who it is.
        """
        version = str(self._client.call("GET", "/version")["gitVersion"])
        wanted = list(dict.fromkeys(one for plan in self._plans for one in plan.secrets()))
        secrets = {one: self._secret(*one) for one in wanted}
        mark = self._quiet(MARK)
        return Cluster(
            version=version,
            user=self._user(),
            mark=(mark.get("data") or {}) if mark else None,
            groups=self._groups(),
            denied={plan.part: self.denied(plan.objects, plan.prunes) for plan in self._plans},
            unknown={plan.part: self._unknown(plan.objects) for plan in self._plans},
            live={plan.part: self._live(plan.objects) for plan in self._plans},
            nodes=self._list("v1", "Node"),
            classes=self._list("storage.k8s.io/v1", "StorageClass"),
            secrets=[one for one, there in secrets.items() if there],
            unread=[one for one, there in secrets.items() if there is None],
            own=tuple(dict.fromkeys([FIELD_MANAGER, self._store.field_manager])),
        )

    def _user(self) -> str:
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        try:
            answer = self._client.call("POST", WHO, (), body)
        except ApiError:
            # Kubernetes before 1.28.
            return ""
        return str(((answer.get("status") or {}).get("userInfo") or {}).get("username") or "")

    def _groups(self) -> Tuple[str, ...]:
        answer = self._client.call("GET", "/apis")
        return tuple(
            str(version["groupVersion"]) for group in answer.get("groups") or [] for version in group["versions"]
        )

    def _resource_of(self, ref: Ref) -> Optional[Tuple[str, bool]]:
        own = self._defined.get((ref.group, ref.kind))
        if own:
            return own.plural, own.namespaced
        try:
            served = self._store.discovery.served(ref.api_version, ref.kind)
        except KindUnknown:
            return None
        return served.plural, served.namespaced

    def _unknown(self, manifests: Sequence[Manifest]) -> List[Ref]:
        return [ref for ref in map(ref_of, manifests) if self._resource_of(ref) is None]

    def denied(self, manifests: Sequence[Manifest], prunes: Sequence[Mapping[str, str]] = ()) -> List[Right]:
        """Return the rights that the objects need and the user does not have. prunes: as in Plan. Raises ApiError."""
        asked = rights(manifests, self._resource_of, prunes)
        for free, handed in roles(manifests):
            if not all(map(self.allowed, free)):
                asked += handed
        asked = list(dict.fromkeys(asked))
        return [right for right, allowed in zip(asked, parallel.each(self.allowed, asked)) if not allowed]

    def allowed(self, right: Right) -> bool:
        """Return whether the user has a right. Raises ApiError."""
        resource, _slash, subresource = right.resource.partition("/")
        attributes = {"verb": right.verb, "group": right.group, "resource": resource, "subresource": subresource}
        attributes.update(namespace=right.namespace, name=right.name)
        body = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {key: value for key, value in attributes.items() if value}},
        }
        return bool(self._client.call("POST", REVIEW, (), body)["status"].get("allowed"))

    def _live(self, manifests: Sequence[Manifest]) -> List[Live]:
        refs = [ref_of(manifest) for manifest in manifests]
        found = parallel.each(self._quiet, refs)
        return [live_of(ref, manifest) for ref, manifest in zip(refs, found) if manifest]

    def _quiet(self, ref: Ref) -> Optional[Manifest]:
        """Return a live object; None also when it may not be read: that is a matter of the rights."""
        return _if_allowed(lambda: self._store.read(ref))

    def _secret(self, namespace: str, name: str) -> Optional[bool]:
        """Tell whether a Secret is there; None when it may not be looked at."""
        return _if_allowed(lambda: self._store.read(Ref("v1", "Secret", name, namespace)) is not None)

    def _list(self, api_version: str, kind: str) -> Optional[List[Manifest]]:
        return _if_allowed(lambda: self._store.list(api_version, kind))


def _if_allowed(ask: Callable[[], Optional[T]]) -> Optional[T]:
    """Return the answer; None also when it may not be asked for. Raises ApiError."""
    try:
        return ask()
    except ApiError as error:
        if error.status in (401, 403):
            return None
        raise


def live_of(ref: Ref, manifest: Mapping[str, Any]) -> Live:
    """Return what matters of a live object."""
    fields = sorted(
        manifest["metadata"].get("managedFields") or [], key=lambda entry: str(entry.get("time")), reverse=True
    )
    template = (manifest.get("spec") or {}).get("template") or {}
    containers = (template.get("spec") or {}).get("containers") or []
    return Live(
        ref,
        tuple(dict.fromkeys(str(entry.get("manager")) for entry in fields)),
        tuple(str(container.get("image")) for container in containers),
    )
