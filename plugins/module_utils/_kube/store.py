# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests that objects need: read, list, apply, delete, and the bounded retry for what was not there yet."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Dict, List, Optional, Sequence, Tuple, TypeVar

from .._common import parallel
from .._common.deadline import Deadline
from .client import Client
from .discovery import Discovery, KindUnknown, collection
from .errors import ApiError
from .outcome import ObjectsFailed, Trouble, count
from .resource import Definition, Item, Manifest, Ref, defined_kinds, ref_of
from .takeover import is_client_side, takeover_patch

FIELD_MANAGER = "trainyard.mlstack"
# How long a kind may stay unknown: a CRD that was just Established is served within seconds, a wrong apiVersion never.
KIND_GRACE_S = 20.0
_RETRY_S = 1.0
_PAGE = "500"
# Up to this many objects of a namespace are read one by one: a list would bring all the others, too.
_FEW = 3

T = TypeVar("T")


class Store:
    """Objects of one cluster."""

    def __init__(self, client: Client, field_manager: str = FIELD_MANAGER, force_conflicts: bool = True) -> None:
        self.client = client
        self.discovery = Discovery(client)
        self.field_manager = field_manager
        self._force = force_conflicts

    def items(self, manifests: Sequence[Manifest], namespace: str) -> List[Item]:
        """Return the manifests with their identities. Raises ApiError, and ObjectsFailed when one lacks a namespace.

        namespace: for objects that name none, if their kind lives in a namespace.
        """
        defined = defined_kinds(manifests)
        items, troubles = [], []
        for manifest in manifests:
            ref = ref_of(manifest)
            namespaced = self._namespaced(ref, defined)
            # A kind that nobody knows is taken at its manifest's word.
            inside = ref.namespace or namespace if namespaced in (True, None) else ""
            if namespaced and not inside:
                troubles.append(Trouble(ref, "lacks a namespace: set metadata.namespace or the option namespace"))
            items.append(Item(replace(ref, namespace=inside), manifest))
        if troubles:
            raise ObjectsFailed(f"{count(len(troubles), 'object')} refused, nothing was changed", troubles)
        return items

    def _namespaced(self, ref: Ref, defined: Dict[Tuple[str, str], Definition]) -> Optional[bool]:
        """Tell whether a kind lives in a namespace; None when neither the server nor a CRD of the list knows it."""
        try:
            return self.discovery.served(ref.api_version, ref.kind).namespaced
        except KindUnknown:
            own = defined.get((ref.group, ref.kind))
            return own.namespaced if own else None

    def read(self, ref: Ref) -> Optional[Manifest]:
        """Return the live object; None when it, its namespace or its kind does not exist. Raises ApiError."""
        try:
            return self.client.call("GET", self.discovery.path(ref, fresh=True))
        except KindUnknown:
            return None
        except ApiError as error:
            if error.not_found:
                return None
            raise

    def list(
        self,
        api_version: str,
        kind: str,
        namespace: str = "",
        selector: str = "",
        fields: str = "",
        shape: Optional[Callable[[Manifest], Manifest]] = None,
    ) -> List[Manifest]:
        """Return all objects of a kind; none when the kind is unknown. Raises ApiError.

        selector: of labels. fields: a field selector. shape: what is kept of each object, done page by page.
        """
        try:
            path = collection(api_version, self.discovery.served(api_version, kind), namespace)
        except KindUnknown:
            return []
        items: List[Manifest] = []
        selectors = (("labelSelector", selector), ("fieldSelector", fields))
        query = [("limit", _PAGE)] + [entry for entry in selectors if entry[1]]
        following = ""
        while True:
            answer = self.client.call("GET", path, query + ([("continue", following)] if following else []))
            # A list names its kind once, at the top.
            found = ({**item, "apiVersion": api_version, "kind": kind} for item in answer.get("items") or [])
            items.extend(found if shape is None else map(shape, found))
            following = str((answer.get("metadata") or {}).get("continue") or "")
            if not following:
                return items

    def read_all(
        self,
        refs: Sequence[Ref],
        shape: Optional[Callable[[Manifest], Manifest]] = None,
        selector: str = "",
        only_allowed: bool = False,
    ) -> Dict[Ref, Optional[Manifest]]:
        """Return many objects: with one list for each kind and namespace, or one by one where they are few.

        None stands for what does not exist. shape, selector: as `list` takes them, where a list is made. only_allowed:
        leave out what this user may not read. Raises ApiError.
        """
        groups: Dict[Tuple[str, str, str], List[Ref]] = {}
        for ref in dict.fromkeys(refs):
            groups.setdefault((ref.api_version, ref.kind, ref.namespace), []).append(ref)
        asked: List[Sequence[Ref]] = []
        for group in groups.values():
            asked += [[ref] for ref in group] if len(group) <= _FEW else [group]

        def answer(together: Sequence[Ref]) -> Dict[Ref, Optional[Manifest]]:
            first = together[0]
            try:
                if len(together) == 1:
                    return {first: self.read(first)}
                items = self.list(first.api_version, first.kind, first.namespace, selector, shape=shape)
            except ApiError as error:
                if only_allowed and error.status == 403:
                    return {}
                raise
            by_name = {str(item["metadata"]["name"]): item for item in items}
            return {ref: by_name.get(ref.name) for ref in together}

        return {ref: live for answers in parallel.each(answer, asked) for ref, live in answers.items()}

    def apply(self, ref: Ref, manifest: Manifest, dry_run: bool) -> Manifest:
        """Server-side apply with strict validation. Raises KindUnknown, ApiError."""
        query = [
            ("fieldManager", self.field_manager),
            ("force", str(self._force).lower()),
            ("fieldValidation", "Strict"),
        ]
        if dry_run:
            query.append(("dryRun", "All"))
        metadata = {**manifest["metadata"], **({"namespace": ref.namespace} if ref.namespace else {})}
        body = {**manifest, "metadata": metadata}
        return self.client.call(
            "PATCH", self.discovery.path(ref, fresh=True), query, body, "application/apply-patch+yaml"
        )

    def takes_over(self, live: Manifest) -> bool:
        """Tell whether an apply has to make kubectl's fields ours first."""
        return self._force and is_client_side(live)

    def take_over(self, ref: Ref, live: Manifest) -> None:
        """Make kubectl's fields ours; nothing else changes. Raises ApiError, also when the object changed since."""
        patch = takeover_patch(live, self.field_manager)
        self.client.call("PATCH", self.discovery.path(ref), (), patch, "application/json-patch+json")

    def delete(self, ref: Ref, uid: str) -> None:
        """Delete the very object that was read (uid); its dependents follow in the background. Raises ApiError."""
        options = {"propagationPolicy": "Background", "preconditions": {"uid": uid}}
        try:
            self.client.call("DELETE", self.discovery.path(ref), (), options)
        except ApiError as error:
            # 409: another object of the same name took its place meanwhile. Ours is gone all the same.
            if error.status not in (404, 409):
                raise


def served(store: Store, api_version: str, kind: str) -> bool:
    """Tell whether a cluster has a kind. Raises ApiError."""
    try:
        store.discovery.served(api_version, kind)
    except KindUnknown:
        return False
    return True


def patiently(request: Callable[[], T], deadline: Deadline, kinds_only: bool = False) -> T:
    """Make a request; try again only while its kind is not known or (unless kinds_only) its webhook cannot be reached.

    Both pass by themselves when CRDs, operator and first object come in one run. A denial never passes: it is raised
    at once.
    """
    started = deadline.spent()
    while True:
        try:
            return request()
        except (KindUnknown, ApiError) as error:
            if isinstance(error, KindUnknown) or error.kind_unknown:
                passes = deadline.spent() - started < KIND_GRACE_S
            else:
                passes = error.webhook_silent and not kinds_only
            if not passes or not deadline.pause(_RETRY_S):
                raise
