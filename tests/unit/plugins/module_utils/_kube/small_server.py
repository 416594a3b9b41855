# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An API server in memory, as a client sees it; time is handed in."""

from __future__ import annotations

from typing import Any, Sequence

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Item
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store

Manifest = dict[str, Any]
KINDS = {
    "v1": {"Namespace": ("namespaces", False), "ConfigMap": ("configmaps", True), "Pod": ("pods", True)},
    "apps/v1": {"Deployment": ("deployments", True)},
    "apiextensions.k8s.io/v1": {"CustomResourceDefinition": ("customresourcedefinitions", False)},
    "admissionregistration.k8s.io/v1": {"ValidatingWebhookConfiguration": ("validatingwebhookconfigurations", False)},
    "discovery.k8s.io/v1": {"EndpointSlice": ("endpointslices", True)},
    "storage.k8s.io/v1": {"StorageClass": ("storageclasses", False)},
}
CLAIMS = {"PersistentVolumeClaim": ("persistentvolumeclaims", True)}


def root(api_version: str) -> str:
    """Return the path of a group version."""
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def manifest(kind: str, name: str, api_version: str = "v1", namespace: str = "team", **more: Any) -> Manifest:
    """Return a manifest; namespace is left out where it is empty."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **more.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


class SmallServer:
    """Objects by path, and what was asked for.

    refusals: an error for each name whose write is refused. reads: paths of single objects. writes: verb and name.
    until: seconds that a deleted object stays. ticks: functions called at each pause. said: lines of progress.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.objects: dict[str, Manifest] = {}
        self.refusals: dict[str, ApiError] = {}
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.until = 0.0
        self.gone_at: dict[str, float] = {}
        self.ticks: list[Any] = []
        self.said: list[str] = []
        self.kinds = {**KINDS, "v1": {**KINDS["v1"], **CLAIMS}}

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for tick in self.ticks:
            tick()

    def deadline(self, timeout: float = 60.0) -> Deadline:
        return Deadline(timeout, lambda: self.now, self.sleep)

    def store(self) -> Store:
        return Store(self)  # type: ignore[arg-type]

    def items(self, *manifests: Manifest) -> list[Item]:
        return self.store().items(list(manifests), "")

    def path(self, item: Manifest) -> str:
        plural, namespaced = self.kinds[item["apiVersion"]][item["kind"]]
        inside = f"/namespaces/{item['metadata']['namespace']}" if namespaced else ""
        return f"{root(item['apiVersion'])}{inside}/{plural}/{item['metadata']['name']}"

    def put(self, item: Manifest, **status: Any) -> Manifest:
        """Let an object be there."""
        number = str(len(self.objects) + 1)
        meta = {"uid": f"uid-{number}", "resourceVersion": number, "generation": 1, **item["metadata"]}
        live: Manifest = {**item, "metadata": meta, **({"status": status} if status else {})}
        self.objects[self.path(item)] = live
        return live

    def call(
        self, method: str, path: str, query: Sequence[tuple[str, str]] = (), body: Any = None, _type: str = ""
    ) -> Manifest:
        for gone, when in list(self.gone_at.items()):
            if self.now >= when:
                self.objects.pop(gone, None)
                del self.gone_at[gone]
        for api_version, kinds in self.kinds.items():
            if path == root(api_version):
                rows = [{"name": name, "kind": kind, "namespaced": inside} for kind, (name, inside) in kinds.items()]
                return {"resources": rows}
        if method == "GET" and path not in self.objects and self._is_list(path):
            return {"items": self._listed(path, dict(query).get("labelSelector", ""))}
        if method == "GET":
            self.reads.append(path)
            if path not in self.objects:
                raise ApiError(404, "NotFound", f'"{path}" not found')
            return self.objects[path]
        name = path.rpartition("/")[2]
        if name in self.refusals:
            raise self.refusals[name]
        if method == "DELETE":
            self.writes.append(f"delete {name}")
            self.gone_at[path] = self.now + self.until
            return {}
        return self._apply(path, dict(query), body)

    def _is_list(self, path: str) -> bool:
        return any(path.endswith(f"/{plural}") for kinds in self.kinds.values() for plural, _inside in kinds.values())

    def _listed(self, path: str, selector: str) -> list[Manifest]:
        wanted = dict(part.split("=") for part in selector.split(",") if part)
        plural = path.rpartition("/")[2]
        start = path if "/namespaces/" in path else path.rpartition("/")[0]
        return [
            live
            for key, live in self.objects.items()
            if key.startswith(start)
            and f"/{plural}/" in key
            and wanted.items() <= (live["metadata"].get("labels") or {}).items()
        ]

    def _apply(self, path: str, query: dict[str, str], body: Manifest) -> Manifest:
        old = self.objects.get(path)
        meta = {
            "uid": "new",
            "resourceVersion": "0",
            "generation": 1,
            **(old or {}).get("metadata", {}),
            **body["metadata"],
        }
        made = {**(old or {}), **body, "metadata": meta}
        if "dryRun" not in query:
            self.writes.append(f"apply {body['metadata']['name']}")
            self.objects[path] = made
        return made
