# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file server in this process that plays upstream, or one of a bundle, with all the faults that there may be."""

from __future__ import annotations

import hashlib
import select
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class File:
    """What is served under a path, and how.

    cut: the connection breaks after so many bytes, the first `cuts` times, each time `later` bytes later.
    ranges: whether a part can be asked for.
    etag, modified: validators, empty for none. fail: statuses that are answered first, one after another.
    chunked: the answer does not say how long it is.
    redirect: where it lies instead. byte_s: seconds between two bytes. silent: it never answers.
    headers: of the answer.
    """

    content: bytes = b""
    cut: int | None = None
    cuts: int = 1
    later: int = 0
    ranges: bool = True
    etag: str = '"v1"'
    modified: str = ""
    fail: list[int] = field(default_factory=list)
    chunked: bool = False
    redirect: str = ""
    byte_s: float = 0.0
    silent: bool = False
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class Asked:
    """A request that came in."""

    path: str
    headers: dict[str, str]

    @property
    def range(self) -> str:
        return self.headers.get("range", "")


class Upstream:
    """Files by path, and what was asked for."""

    def __init__(self, tls: Path | None = None) -> None:
        """tls: a file with a key and its certificate; without it there is no encryption."""
        self.files: dict[str, File] = {}
        self.asked: list[Asked] = []
        self._server = _server(self)
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        port = self._server.server_address[1]
        self.address = f"{'https' if tls else 'http'}://{'localhost' if tls else '127.0.0.1'}:{port}"

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def put(self, path: str, content: bytes = b"", **how: object) -> str:
        """Serve something and return its address."""
        self.files[path] = File(content, **how)  # type: ignore[arg-type]
        return self.address + path

    @property
    def requests(self) -> list[tuple[str, str]]:
        """Return path and range of each request."""
        return [(asked.path, asked.range) for asked in self.asked]

    def times(self, path: str) -> int:
        """Return how often a path was asked for."""
        return sum(asked.path == path for asked in self.asked)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request. A registry overrides it."""
        self.serve(handler, self.files.get(handler.path))

    def serve(self, handler: BaseHTTPRequestHandler, file: File | None) -> None:
        """Answer with a file and its faults."""
        if file is None:
            send(handler, 404, b"not here")
        elif file.fail:
            send(handler, file.fail.pop(0), b"trouble", file.headers)
        elif file.redirect:
            send(handler, 302, b"", {"Location": file.redirect})
        elif file.silent:
            time.sleep(3)
        else:
            _send_file(handler, file)


def send(
    handler: BaseHTTPRequestHandler, status: int, content: bytes, headers: dict[str, str] | None = None
) -> None:
    """Send a whole answer."""
    handler.send_response(status)
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def _send_file(handler: BaseHTTPRequestHandler, file: File) -> None:
    start = _start(handler, file)
    if start is not None and start >= len(file.content):
        send(handler, 416, b"")
        return
    content = file.content[start or 0 :]
    handler.send_response(200 if start is None else 206)
    if start is not None:
        handler.send_header("Content-Range", f"bytes {start}-{len(file.content) - 1}/{len(file.content)}")
    for name, value in (("ETag", file.etag), ("Last-Modified", file.modified), *file.headers.items()):
        if value:
            handler.send_header(name, value)
    length = ("Transfer-Encoding", "chunked") if file.chunked else ("Content-Length", str(len(content)))
    handler.send_header(*length)
    handler.end_headers()
    if file.chunked:
        content = b"%x\r\n%b\r\n0\r\n\r\n" % (len(content), content)
    if file.cut is not None and file.cuts:
        file.cuts -= 1
        handler.wfile.write(content[: file.cut])
        file.cut += file.later
        handler.wfile.flush()
        # What a router does that forgets a connection.
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True
    elif file.byte_s:
        for byte in content:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            time.sleep(file.byte_s)
    else:
        handler.wfile.write(content)


def _start(handler: BaseHTTPRequestHandler, file: File) -> int | None:
    asked = handler.headers.get("Range", "")
    if not asked.startswith("bytes=") or not file.ranges:
        return None
    condition = handler.headers.get("If-Range")
    if condition and condition not in (file.etag, file.modified):
        return None
    return int(asked.removeprefix("bytes=").partition("-")[0])


def _tunnel(handler: BaseHTTPRequestHandler) -> None:
    """Carry bytes both ways, as a proxy does for HTTPS."""
    host, _colon, port = handler.path.rpartition(":")
    with socket.create_connection((host, int(port))) as far:
        handler.send_response(200)
        handler.end_headers()
        near = handler.connection
        while True:
            for side in select.select([near, far], [], [])[0]:
                block = side.recv(1 << 16)
                if not block:
                    handler.close_connection = True
                    return
                (far if side is near else near).sendall(block)


def _server(upstream: Upstream) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # the name that the library asks for
            upstream.asked.append(Asked(self.path, {name.lower(): value for name, value in self.headers.items()}))
            upstream.answer(self)

        def do_CONNECT(self) -> None:  # as above
            upstream.asked.append(Asked(self.path, {name.lower(): value for name, value in self.headers.items()}))
            _tunnel(self)

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing; the tests look at `asked`."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that goes away in the middle is what some tests are about."""

    return Server(("127.0.0.1", 0), Handler)


@contextmanager
def running(upstream: Upstream) -> Iterator[Upstream]:
    """Serve while the block runs."""
    upstream.start()
    try:
        yield upstream
    finally:
        upstream.stop()


@contextmanager
def serving(files: Mapping[str, bytes]) -> Iterator[Upstream]:
    """Serve contents by path while the block runs."""
    with running(Upstream()) as upstream:
        for path, content in files.items():
            upstream.put(path, content)
        yield upstream


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a key with a certificate for localhost; return the file with both, and that of the authority to trust."""
    key, authority = folder / "server.pem", folder / "authority.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        + ["-keyout", str(key), "-out", str(authority)],
        check=True,
        capture_output=True,
    )
    key.write_text(key.read_text() + authority.read_text())
    return key, authority
