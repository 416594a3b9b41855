# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Volcano's programs do when they are installed, played where the real ones cannot run: a stand-in.

It says of workloads that they run, answers the webhooks over TLS under their service's name, writes its authority into
their configurations and opens queues. As the real webhook, it lets nobody delete the queues `default` and `root`.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from tests.integration.support.api_server import ApiServer
from tests.integration.support.reviews import Reviews
from tests.integration.support.training_operator import own_address

NAMESPACE, SERVICE = "volcano-system", "volcano-admission-service"
_HOOKS = "/apis/admissionregistration.k8s.io/v1"
_KEPT = ("default", "root")


class ReadyWorkloads:
    """Says inside a block that the Deployments and Jobs of a namespace run as they should."""

    def __init__(self, api: ApiServer, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> ReadyWorkloads:
        self._ended.clear()
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        if self._thread:
            self._thread.join()

    def _parts(self) -> list[Callable[[], None]]:
        return [self._deployments, self._jobs]

    def _play(self) -> None:
        while not self._ended.wait(0.3):
            for part in self._parts():
                # Not there yet, or gone, or written by somebody else meanwhile: the next round sees.
                with suppress(ApiError):
                    part()

    def _deployments(self) -> None:
        root = f"/apis/apps/v1/namespaces/{self._namespace}/deployments"
        for item in self._api.client.call("GET", root)["items"]:
            number = item["spec"]["replicas"]
            counts = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), number)
            status = {"observedGeneration": item["metadata"]["generation"], **counts}
            if {key: item.get("status", {}).get(key) for key in status} != status:
                self._api.patch_status(f"{root}/{item['metadata']['name']}", status)

    def _jobs(self) -> None:
        root = f"/apis/batch/v1/namespaces/{self._namespace}/jobs"
        for item in self._api.client.call("GET", root)["items"]:
            if not item.get("status", {}).get("conditions"):
                now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
                kinds = ("SuccessCriteriaMet", "Complete")
                done = [{"type": kind, "status": "True", "lastTransitionTime": now} for kind in kinds]
                status = {"conditions": done, "startTime": now, "completionTime": now, "succeeded": 1}
                self._api.patch_status(f"{root}/{item['metadata']['name']}", status)


class VolcanoStandIn(ReadyWorkloads):
    """Plays them on one server between `start` and `stop`. asked: "OPERATION kind name" of each request."""

    def __init__(self, api: ApiServer, folder: Path) -> None:
        super().__init__(api, NAMESPACE)
        self._reviews = Reviews(folder, f"DNS:{SERVICE}.{NAMESPACE}.svc", self._denies, own_address())
        self.asked: list[str] = []

    def start(self) -> None:
        """Begin."""
        self._reviews.start()
        self.__enter__()

    def stop(self) -> None:
        """End, as when nobody runs them any more."""
        self.__exit__()
        self._reviews.stop()

    def _parts(self) -> list[Callable[[], None]]:
        return [*super()._parts(), self._endpoint, self._authority, self._queues]

    def _denies(self, request: dict[str, Any]) -> str:
        self.asked.append(f"{request['operation']} {request['kind']['kind']} {request['name']}")
        kept = request["operation"] == "DELETE" and request["name"] in _KEPT
        return f"`{request['name']}` queue can not be deleted" if kept else ""

    def _endpoint(self) -> None:
        root = f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices"
        if not self._api.client.call("GET", root)["items"]:
            slice_of = {
                "apiVersion": "discovery.k8s.io/v1",
                "kind": "EndpointSlice",
                "metadata": {"name": SERVICE, "labels": {"kubernetes.io/service-name": SERVICE}},
                "addressType": "IPv4",
                "endpoints": [{"addresses": [self._reviews.address]}],
                "ports": [{"port": self._reviews.port, "protocol": "TCP"}],
            }
            self._api.create(slice_of, root)

    def _authority(self) -> None:
        bundle = self._reviews.authority
        for plural in ("mutatingwebhookconfigurations", "validatingwebhookconfigurations"):
            for item in self._api.client.call("GET", f"{_HOOKS}/{plural}")["items"]:
                if any(hook["clientConfig"].get("caBundle") != bundle for hook in item["webhooks"]):
                    for hook in item["webhooks"]:
                        hook["clientConfig"]["caBundle"] = bundle
                    path = f"{_HOOKS}/{plural}/{item['metadata']['name']}?fieldManager=vc-webhook-manager"
                    self._api.client.call("PUT", path, (), item)

    def _queues(self) -> None:
        root = "/apis/scheduling.volcano.sh/v1beta1/queues"
        for item in self._api.client.call("GET", root)["items"]:
            if item.get("status", {}).get("state") != "Open":
                self._api.patch_status(f"{root}/{item['metadata']['name']}", {"state": "Open"})
