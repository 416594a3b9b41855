# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Container registries, asked as the distribution specification says: manifests by tag or digest, blobs by digest."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from .._common.command import BuildError
from .download import Downloader
from .web import Http, HttpError, shown

_LISTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
_MANIFESTS = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_DOCKER_HUB = "docker.io"
# What Docker Hub calls itself where it is asked, and where credentials are kept.
_ASKED_AS = {_DOCKER_HUB: "https://registry-1.docker.io"}
_KEPT_AS = {_DOCKER_HUB: ("https://index.docker.io/v1/", "index.docker.io", "registry-1.docker.io")}
_LIMIT = 8 << 20


@dataclass(frozen=True)
class Ref:
    """An image's full name: registry, repository and tag."""

    registry: str
    repository: str
    tag: str

    @classmethod
    def parse(cls, text: str) -> Ref:
        """Return the parts of a name such as registry.k8s.io/pause:3.10. Raises BuildError when one is missing."""
        name, colon, tag = text.rpartition(":")
        registry, slash, repository = name.partition("/")
        if not colon or not slash or "/" in tag or not re.search(r"[.:]|^localhost$", registry):
            raise BuildError(f"image {text}: must be registry/repository:tag")
        if registry == _DOCKER_HUB and "/" not in repository:
            repository = f"library/{repository}"
        return cls(registry, repository, tag)

    def __str__(self) -> str:
        return f"{self.registry}/{self.repository}:{self.tag}"


@dataclass(frozen=True)
class Blob:
    """A piece of an image: its digest (sha256:...) and size in bytes."""

    digest: str
    size: int


@dataclass(frozen=True)
class Manifest:
    """An image's manifest, as the registry has it: its bytes are what its digest is made of."""

    content: bytes
    media_type: str
    digest: str
    blobs: tuple[Blob, ...]
    config: Blob


class Registry:
    """One repository of a registry. Safe to use from several threads."""

    def __init__(self, ref: Ref, downloader: Downloader) -> None:
        self._ref = ref
        self._downloader = downloader
        network = downloader.http.network
        asked = network.registries.get(ref.registry) or _ASKED_AS.get(ref.registry) or f"https://{ref.registry}"
        scheme, _slashes, rest = asked.rpartition("://")
        host, _slash, prefix = rest.rstrip("/").partition("/")
        self.host = f"{scheme or 'https'}://{host}"
        self._repository = f"{prefix}/{ref.repository}" if prefix else ref.repository
        mirrored = ref.registry in network.registries
        names = (host.rpartition("@")[2],) if mirrored else (ref.registry, *_KEPT_AS.get(ref.registry, ()))
        self.auth = _Auth(downloader.http, _stored(network.credentials, names))

    def manifest(self, architecture: str, digest: str = "") -> Manifest:
        """Return the manifest of the image for Linux on an architecture. Raises BuildError.

        digest: of that manifest, when it is pinned; the tag is not asked then.
        """
        content, media_type = self._read(digest or self._ref.tag, digest)
        document = _document(content, self._where(digest or self._ref.tag))
        if media_type in _LISTS:
            chosen = self._choose(document, architecture)
            content, media_type = self._read(chosen, chosen)
            document = _document(content, self._where(chosen))
        if media_type not in _MANIFESTS:
            raise BuildError(f"{self._where(self._ref.tag)}: is a {media_type or 'manifest without a type'}, no image")
        config, *layers = [
            Blob(str(part["digest"]), int(part["size"])) for part in [document["config"], *document["layers"]]
        ]
        for blob in (config, *layers):
            _algorithm(blob.digest)
        return Manifest(content, media_type, _digest(content), (config, *layers), config)

    def trusted_manifest(self, name: str, architecture: str, digest: str = "") -> Manifest:
        """Return the manifest of an image that may be taken: over a way that nobody can change, and for the platform.

        name: of the image in the release. digest: as in `manifest`. Raises BuildError.
        """
        if not digest and not self.host.startswith("https://"):
            raise BuildError(
                f"{self._ref}: no digest is pinned, and {self.host} is not https, so that anybody on the way could give"
                f" another image; write it into the release as upstream.images.{name}.{architecture}"
            )
        manifest = self.manifest(architecture, digest)
        # An image that is made for one platform only is given to everybody who asks.
        found = self._platform(manifest.config)
        if found != f"linux/{architecture}":
            raise BuildError(f"{self._ref}: has no image for linux/{architecture}; it has: {found}")
        return manifest

    def _platform(self, config: Blob) -> str:
        address = self.blob_address(config)
        content, _headers = self._downloader.patiently(
            lambda: self._downloader.http.read(address, _LIMIT, auth=self.auth)
        )
        if _digest(content) != config.digest:
            raise BuildError(f"{shown(address)}: sum is wrong, so it is not taken")
        about = _document(content, address)
        return f"{about.get('os', 'linux')}/{about.get('architecture')}"

    def blob_address(self, blob: Blob) -> str:
        """Return where a blob is downloaded."""
        return f"{self.host}/v2/{self._repository}/blobs/{blob.digest}"

    def _where(self, reference: str) -> str:
        return f"{self.host}/v2/{self._repository}/manifests/{reference}"

    def _read(self, reference: str, digest: str) -> tuple[bytes, str]:
        address = self._where(reference)
        accept = {"Accept": ", ".join([*_LISTS, *_MANIFESTS])}
        content, headers = self._downloader.patiently(
            lambda: self._downloader.http.read(address, _LIMIT, accept, self.auth)
        )
        told = headers.get("Content-Type", "").partition(";")[0].strip()
        if digest and _digest(content) != digest:
            raise BuildError(
                f"{shown(address)}: digest is wrong, so it is not taken\nwanted {digest}\ngot    {_digest(content)}"
            )
        return content, _document(content, address).get("mediaType") or told

    def _choose(self, document: Mapping[str, Any], architecture: str) -> str:
        there: dict[str, str] = {}
        for entry in document["manifests"]:
            platform = entry.get("platform", {})
            name = f"{platform.get('os')}/{platform.get('architecture')}"
            if platform.get("os") not in (None, "unknown"):
                there.setdefault(name, str(entry["digest"]))
        wanted = f"linux/{architecture}"
        if wanted not in there:
            raise BuildError(
                f"{self._where(self._ref.tag)}: has no image for {wanted}; it has: {', '.join(sorted(there))}"
            )
        _algorithm(there[wanted])
        return there[wanted]


class _Auth:
    """A bearer token, fetched when the registry asks for one, or a user and password, where it wants that."""

    def __init__(self, http: Http, basic: str) -> None:
        self._http = http
        self._basic = basic
        self._lock = threading.Lock()
        self._headers: dict[str, str] = {}

    def headers(self) -> Mapping[str, str]:
        return self._headers

    def challenged(self, challenge: str, refused: Mapping[str, str]) -> bool:
        scheme, _space, rest = challenge.partition(" ")
        parameters = dict(re.findall(r'(\w+)="([^"]*)"', rest))
        with self._lock:
            if self._headers != refused:
                # Another blob's download was faster.
                return True
            if scheme.lower() == "bearer" and "realm" in parameters:
                self._headers = {"Authorization": f"Bearer {self._token(parameters)}"}
                return True
            if scheme.lower() == "basic" and self._basic:
                self._headers = {"Authorization": f"Basic {self._basic}"}
                return True
        return False

    def _token(self, parameters: Mapping[str, str]) -> str:
        query = urlencode({key: parameters[key] for key in ("service", "scope") if key in parameters})
        realm = parameters["realm"]
        address = f"{realm}{'&' if '?' in realm else '?'}{query}"
        signed = {"Authorization": f"Basic {self._basic}"} if self._basic else {}
        content, _headers = self._http.read(address, _LIMIT, signed)
        try:
            document = json.loads(content)
        except ValueError as error:
            raise HttpError(f"{shown(realm)}: gave no token", True) from error
        return str(document.get("token") or document.get("access_token") or "")


def _stored(path: str, names: tuple[str, ...]) -> str:
    """Return the stored credentials of a registry in the form of basic authentication, empty when there are none."""
    if not path:
        return ""
    try:
        stored = json.loads(Path(path).read_text()).get("auths", {})
    except (OSError, ValueError, AttributeError) as error:
        raise BuildError(f"mlstack_bundle_registry_auth: {path} cannot be read as docker's config.json") from error
    for name in names:
        for key in (name, f"https://{name}", f"https://{name}/v1/", f"https://{name}/v2/"):
            entry = stored.get(key, {})
            if entry.get("auth"):
                return str(entry["auth"])
            if entry.get("username"):
                return base64.b64encode(f"{entry['username']}:{entry.get('password', '')}".encode()).decode()
    return ""


def _document(content: bytes, where: str) -> dict[str, Any]:
    try:
        return dict(json.loads(content))
    except ValueError as error:
        raise BuildError(f"{shown(where)}: is no manifest") from error


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _algorithm(digest: str) -> None:
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
        raise BuildError(f"digest {digest}: must be sha256: and 64 hexadecimal digits")
