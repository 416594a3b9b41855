# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which path serves a kind: one request for each group version that is needed, none for the others."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Dict, Optional, Set
from urllib.parse import quote

from .client import Client
from .errors import ApiError
from .resource import Ref


class KindUnknown(Exception):
    """The server does not serve this kind."""

    def __init__(self, api_version: str, kind: str) -> None:
        super().__init__(
            f"the API server knows no kind {kind} in {api_version}: is its CRD installed, is the apiVersion right?"
        )


@dataclass(frozen=True)
class Served:
    """How a kind is served."""

    plural: str
    namespaced: bool


class Discovery:
    """Remembers what was asked for. Safe to use from several threads."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: Dict[str, Dict[str, Served]] = {}
        self._versions: Optional[Set[str]] = None
        self._lock = Lock()

    def served(self, api_version: str, kind: str, fresh: bool = False) -> Served:
        """Return how a kind is served; `fresh` asks again when the kind was unknown before.

        Raises KindUnknown, ApiError.
        """
        with self._lock:
            kinds = self._known.get(api_version)
            if kinds is None or (fresh and kind not in kinds):
                kinds = self._known[api_version] = self._ask(api_version)
        if kind not in kinds:
            raise KindUnknown(api_version, kind)
        return kinds[kind]

    def offers(self, api_version: str) -> bool:
        """Tell whether there is a group version at all: one request for any number of them. Raises ApiError."""
        with self._lock:
            if self._versions is None:
                groups = self._client.call("GET", "/apis").get("groups", [])
                self._versions = {each["groupVersion"] for group in groups for each in group.get("versions", [])}
            return api_version in self._versions

    def _ask(self, api_version: str) -> Dict[str, Served]:
        try:
            answer = self._client.call("GET", root(api_version))
        except ApiError as error:
            if error.not_found:
                return {}
            raise
        return {
            item["kind"]: Served(item["name"], bool(item["namespaced"]))
            for item in answer.get("resources", [])
            if "/" not in item["name"]
        }

    def path(self, ref: Ref, fresh: bool = False) -> str:
        """Return the path of one object. Raises KindUnknown, ApiError."""
        served = self.served(ref.api_version, ref.kind, fresh)
        return f"{collection(ref.api_version, served, ref.namespace)}/{quote(ref.name, safe='')}"


def root(api_version: str) -> str:
    """Return the path of a group version."""
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def collection(api_version: str, served: Served, namespace: str) -> str:
    """Return the path of all objects of a kind, in one namespace or (namespace empty) in all."""
    inside = f"/namespaces/{quote(namespace, safe='')}" if served.namespaced and namespace else ""
    return f"{root(api_version)}{inside}/{served.plural}"
