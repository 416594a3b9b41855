# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A web server that can be told to misbehave."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Served:
    """What a server has and how it behaves.

    files: path -> content. ranges: whether it knows them. breaks: path -> after how many bytes the next answers end.
    answers: path -> statuses of the next answers. redirects: path -> address. requests: path and range of each request.
    proxied: whole addresses that were asked for, as of a proxy.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    ranges: bool = True
    breaks: dict[str, list[int]] = field(default_factory=dict)
    answers: dict[str, list[int]] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    proxied: list[str] = field(default_factory=list)
    url: str = ""


class _Handler(BaseHTTPRequestHandler):
    served: Served
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        served, path = self.served, self.path
        if path.startswith("http://"):
            served.proxied.append(path)
            path = "/" + path.split("/", 3)[3]
        span = self.headers.get("Range", "")
        served.requests.append((path, span))
        if served.answers.get(path):
            self._answer(served.answers[path].pop(0))
        elif path in served.redirects:
            self._answer(302, Location=served.redirects[path])
        elif path not in served.files:
            self._answer(404)
        else:
            self._send(path, served.files[path], span)

    def _send(self, path: str, content: bytes, span: str) -> None:
        start = int(span[len("bytes=") : -1]) if span and self.served.ranges else 0
        if start >= len(content) > 0:
            self._answer(416)
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        limits = self.served.breaks.get(path, [])
        part = content[start:]
        if limits:
            part = part[: limits.pop(0)]
            self.close_connection = True
        self.wfile.write(part)

    def _answer(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextlib.contextmanager
def serving(served: Served, wrap: Callable[[Any], Any] = lambda socket: socket) -> Iterator[Served]:
    """Serve on a port of this machine. wrap: makes another socket of the server's, for TLS."""
    handler = type("Handler", (_Handler,), {"served": served})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.socket = wrap(server.socket)
        served.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
