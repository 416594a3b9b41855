# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What answers an API server's admission reviews over TLS."""

from __future__ import annotations

import base64
import json
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable

from tests.integration.support.processes import free_port


def make_certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a self-signed certificate; return its key and itself. name: such as IP:127.0.0.1, or DNS:hook.test."""
    key, certificate = folder / "tls.key", folder / "tls.crt"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=hook"]
        + ["-addext", f"subjectAltName={name}", "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    return key, certificate


def authority(certificate: Path) -> str:
    """Return a certificate as a webhook configuration holds it."""
    return base64.b64encode(certificate.read_bytes()).decode()


class Reviews:
    """Answers between `start` and `stop`.

    name: for which its certificate is, as `make_certificate` takes it. denies: the request of a review -> why it is
    denied; nothing when it is allowed.
    """

    def __init__(
        self, folder: Path, name: str, denies: Callable[[dict[str, Any]], str], address: str = "127.0.0.1"
    ) -> None:
        self.address, self.port = address, free_port()
        self._key, self._certificate = make_certificate(folder, name)
        self.authority = authority(self._certificate)
        self._denies = denies
        self._server: ThreadingHTTPServer | None = None

    def start(self) -> None:
        """Begin to answer."""
        reviews = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.dumps(reviews._answer(review)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer((self.address, self.port), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificate, self._key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _answer(self, review: dict[str, Any]) -> dict[str, Any]:
        request = review["request"]
        denied = self._denies(request)
        answer: dict[str, Any] = {"uid": request["uid"], "allowed": not denied}
        if denied:
            answer["status"] = {"code": 403, "message": denied}
        return {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": answer}

    def stop(self) -> None:
        """End it; it may be started again."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
