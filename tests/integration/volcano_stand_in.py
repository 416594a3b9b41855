# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Volcano's programs do when they are installed, played where the real ones cannot run: a stand-in.

It says of workloads that they run, answers the webhooks over TLS under their service's name, writes its authority into
their configurations and opens queues. As the real webhook, it lets nobody delete the queues `default` and `root`.
"""

from __future__ import annotations

import base64
import json
import ssl
import subprocess
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable

from ansible_collections.trainyard.mlstack.plugins.module_utils._api_error import ApiError
from tests.integration.api_server import ApiServer
from tests.integration.processes import free_port
from tests.integration.training_operator import own_address

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
        self._address, self._port = own_address(), free_port()
        self._key, self._certificate = folder / "admission.key", folder / "admission.crt"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=admission"]
            + ["-addext", f"subjectAltName=DNS:{SERVICE}.{NAMESPACE}.svc"]
            + ["-keyout", str(self._key), "-out", str(self._certificate)],
            check=True,
            capture_output=True,
        )
        self._server: ThreadingHTTPServer | None = None
        self.asked: list[str] = []

    def start(self) -> None:
        """Begin."""
        self._serve()
        self.__enter__()

    def stop(self) -> None:
        """End, as when nobody runs them any more."""
        self.__exit__()
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _parts(self) -> list[Callable[[], None]]:
        return [*super()._parts(), self._endpoint, self._authority, self._queues]

    def _serve(self) -> None:
        programs = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.dumps(programs._answer(review)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer((self._address, self._port), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificate, self._key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _answer(self, review: dict[str, Any]) -> dict[str, Any]:
        request = review["request"]
        self.asked.append(f"{request['operation']} {request['kind']['kind']} {request['name']}")
        denied = request["operation"] == "DELETE" and request["name"] in _KEPT
        answer: dict[str, Any] = {"uid": request["uid"], "allowed": not denied}
        if denied:
            answer["status"] = {"code": 403, "message": f"`{request['name']}` queue can not be deleted"}
        return {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": answer}

    def _endpoint(self) -> None:
        root = f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices"
        if not self._api.client.call("GET", root)["items"]:
            slice_of = {
                "apiVersion": "discovery.k8s.io/v1",
                "kind": "EndpointSlice",
                "metadata": {"name": SERVICE, "labels": {"kubernetes.io/service-name": SERVICE}},
                "addressType": "IPv4",
                "endpoints": [{"addresses": [self._address]}],
                "ports": [{"port": self._port, "protocol": "TCP"}],
            }
            self._api.create(slice_of, root)

    def _authority(self) -> None:
        bundle = base64.b64encode(self._certificate.read_bytes()).decode()
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
