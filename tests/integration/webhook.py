# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small admission webhook, for what only a real one can show."""

from __future__ import annotations

import base64
import json
import ssl
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable

from tests.integration.processes import free_port


def _certificate(folder: Path) -> tuple[Path, Path]:
    """Make a self-signed certificate for the loopback address."""
    key, certificate = folder / "hook.key", folder / "hook.crt"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=hook"]
        + ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    return key, certificate


class Webhook:
    """Answers for ConfigMaps of one namespace. seen: the names it was asked about."""

    def __init__(self, folder: Path, deny: Callable[[dict[str, Any]], bool]) -> None:
        self._port = free_port()
        self._key, self._certificate = _certificate(folder)
        self._deny = deny
        self._server: ThreadingHTTPServer | None = None
        self.seen: list[str] = []

    @staticmethod
    def any_certificate() -> str:
        """Return a CA bundle that is well formed."""
        with tempfile.TemporaryDirectory() as folder:
            return base64.b64encode(_certificate(Path(folder))[1].read_bytes()).decode()

    def configuration(self, name: str, namespace: str, group: str = "", resource: str = "configmaps") -> dict[str, Any]:
        """Return the configuration that sends the server here with new objects of one kind."""
        client = {
            "url": f"https://127.0.0.1:{self._port}/",
            "caBundle": base64.b64encode(self._certificate.read_bytes()).decode(),
        }
        rule = {"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": [resource]}
        hook = {
            "name": f"{name}.example.test",
            "clientConfig": client,
            "rules": [rule],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "failurePolicy": "Fail",
        }
        kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
        return {**kind, "metadata": {"name": name}, "webhooks": [hook]}

    def start(self) -> None:
        """Begin to answer."""
        webhook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                item = review["request"]["object"]
                webhook.seen.append(item["metadata"]["name"])
                denied = webhook._deny(item)
                answer = {"uid": review["request"]["uid"], "allowed": not denied}
                if denied:
                    answer["status"] = {"code": 403, "message": "not this one"}
                body = json.dumps(
                    {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": answer}
                ).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificate, self._key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """End it."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
