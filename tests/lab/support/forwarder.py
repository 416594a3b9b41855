"""The load balancer that a site has before its control planes: each connection goes to the first one that takes it."""

from __future__ import annotations

import contextlib
import socket
import threading
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Iterator, Sequence

CONNECT_SECONDS = 2.0


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Pass on what comes, and its end. An end of either side's own making is none of our business."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


def _connect(servers: Sequence[tuple[str, int]]) -> socket.socket:
    for server in servers:
        with contextlib.suppress(OSError):
            found = socket.create_connection(server, CONNECT_SECONDS)
            found.settimeout(None)
            return found
    raise ConnectionError(f"none takes a connection: {servers}")


@contextlib.contextmanager
def forwarded(listen: tuple[str, int], servers: Sequence[tuple[str, int]]) -> Iterator[None]:
    """Listen at an address of this machine and pass connections on."""

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(ConnectionError), _connect(servers) as server:
                back = threading.Thread(target=_copy, args=(server, self.request), daemon=True)
                back.start()
                _copy(self.request, server)
                back.join()

    class Server(ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    with Server(listen, Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()
