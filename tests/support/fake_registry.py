# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A container registry in this process: manifests, lists of them, blobs, and a login."""

from __future__ import annotations

import base64
import hashlib
import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.fake_upstream import File, Upstream, send

OCI = "application/vnd.oci.image.manifest.v1+json"
OCI_LIST = "application/vnd.oci.image.index.v1+json"
DOCKER = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"


def digest(content: bytes) -> str:
    """Return the digest of some content."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


class FakeRegistry(Upstream):
    """Images by repository. `blobs` lie in `files` under their paths, so that they can have faults."""

    def __init__(self, tls: Path | None = None, login: str = "", user: str = "") -> None:
        """login: bearer or basic, empty for none. user: name:password that is asked for; empty lets everybody in."""
        super().__init__(tls)
        self.login = login
        self.user = user
        self.tokens: list[str] = []
        self.expired = 0

    @property
    def name(self) -> str:
        """Return host and port, as they stand in the name of an image."""
        return urlsplit(self.address).netloc

    def image(
        self, repository: str, tag: str, architecture: str = "amd64", media_type: str = OCI, layers: int = 2
    ) -> str:
        """Serve an image for one platform and return its digest."""
        config = json.dumps({"architecture": architecture, "os": "linux", "rootfs": {}}).encode()
        blobs = [config] + [f"layer {number} of {repository} {architecture}".encode() * 99 for number in range(layers)]
        for blob in blobs:
            self.put(f"/v2/{repository}/blobs/{digest(blob)}", blob)
        parts = [{"mediaType": "x", "digest": digest(blob), "size": len(blob)} for blob in blobs]
        document: dict[str, Any] = {"schemaVersion": 2, "config": parts[0], "layers": parts[1:]}
        if media_type == DOCKER:
            document["mediaType"] = media_type
        return self.manifest(repository, tag, document, media_type)

    def index(self, repository: str, tag: str, images: dict[str, str], media_type: str = OCI_LIST) -> str:
        """Serve a list of images by platform (os/architecture) and return its digest."""
        entries = []
        for platform, found in images.items():
            system, _slash, architecture = platform.partition("/")
            about = {"os": system, "architecture": architecture}
            entries.append({"mediaType": OCI, "digest": found, "size": 1, "platform": about})
        document = {"schemaVersion": 2, "mediaType": media_type, "manifests": entries}
        return self.manifest(repository, tag, document, media_type)

    def manifest(self, repository: str, tag: str, document: dict[str, Any], media_type: str) -> str:
        """Serve a manifest by its tag and its digest."""
        content = json.dumps(document, indent=3).encode()
        for name in filter(None, (tag, digest(content))):
            self.put(f"/v2/{repository}/manifests/{name}", content, headers={"Content-Type": media_type})
        return digest(content)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        if parts.path == "/token":
            self._give_token(handler, parse_qs(parts.query))
        elif self.login and not self._signed(handler):
            send(handler, 401, b"", {"WWW-Authenticate": self._challenge(handler)})
        else:
            self.serve(handler, self.files.get(parts.path))

    def blob(self, path_part: str) -> File:
        """Return the one blob whose content holds some text."""
        return next(file for file in self.files.values() if path_part.encode() in file.content)

    def _challenge(self, handler: BaseHTTPRequestHandler) -> str:
        if self.login == "basic":
            return 'Basic realm="fake"'
        repository = handler.path.removeprefix("/v2/").rpartition("/")[0].rpartition("/")[0]
        return f'Bearer realm="{self.address}/token",service="fake",scope="repository:{repository}:pull"'

    def _give_token(self, handler: BaseHTTPRequestHandler, query: dict[str, list[str]]) -> None:
        if self.user and handler.headers.get("Authorization") != self._basic():
            send(handler, 401, b"")
            return
        token = f"{query['scope'][0]}#{len(self.tokens)}"
        self.tokens.append(token)
        send(handler, 200, json.dumps({"token": token}).encode())

    def _signed(self, handler: BaseHTTPRequestHandler) -> bool:
        given = handler.headers.get("Authorization", "")
        if self.login == "basic":
            return given == self._basic()
        return given in [f"Bearer {token}" for token in self.tokens[self.expired :]]

    def _basic(self) -> str:
        return "Basic " + base64.b64encode(self.user.encode()).decode()
