# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to upstream servers: through the site's proxies, trusting the site's certificates, redirects followed."""

from __future__ import annotations

import ssl
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

try:
    import urllib3

    # From 2.1 on; one that came with an old distribution cannot read what has arrived without waiting for more.
    HAS_URLLIB3 = hasattr(urllib3.HTTPResponse, "read1")
except ImportError:
    HAS_URLLIB3 = False

from ...module_utils._common.proxies import bypassed

_REDIRECTS = 10
_TRANSIENT = (408, 425, 429, 500, 502, 503, 504)
_REASON_BYTES = 4096


class HttpError(Exception):
    """A request failed. `permanent`: asking again would give the same. `wait_s`: what the server asked to wait."""

    def __init__(self, text: str, permanent: bool, wait_s: float | None = None, status: int | None = None) -> None:
        super().__init__(text)
        self.permanent = permanent
        self.wait_s = wait_s
        self.status = status


@dataclass(frozen=True)
class Network:
    """How the outside is reached.

    http_proxy, https_proxy: addresses; empty means what the environment says. no_proxy: hosts, domains and networks,
    with commas.
    ca_certificates: files with the certificates of authorities that are trusted beside those of the system.
    mirror: address put in front of all others, whose scheme is left out: https://mirror/dl.k8s.io/...
    registries: name of a registry, as images name it, to the address that is asked instead of it.
    credentials: a file in the form of docker's config.json, empty for none.
    """

    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""
    ca_certificates: tuple[str, ...] = ()
    mirror: str = ""
    registries: Mapping[str, str] = field(default_factory=dict)
    credentials: str = ""

    def mirrored(self, address: str) -> str:
        """Return the address that is asked for an upstream address."""
        if not self.mirror:
            return address
        return f"{self.mirror.rstrip('/')}/{address.partition('://')[2]}"

    def proxy_for(self, address: str) -> str:
        """Return the proxy through which an address is reached, empty when it is reached directly."""
        parts = urlsplit(address)
        environment = urllib.request.getproxies_environment()
        no_proxy = self.no_proxy or environment.get("no", "")
        given = self.https_proxy if parts.scheme == "https" else self.http_proxy
        proxy = given or environment.get(parts.scheme, "")
        proxy = proxy if "://" in proxy or not proxy else f"http://{proxy}"
        return "" if proxy and bypassed(parts.hostname or "", no_proxy, parts.port) else proxy


@dataclass(frozen=True)
class Timeouts:
    """Seconds until a server that says nothing counts as gone: while connecting, and between two reads."""

    connect_s: float = 10.0
    read_s: float = 30.0


class Auth(Protocol):
    """Signs requests to one place and learns from a refusal how to."""

    def headers(self) -> Mapping[str, str]:
        """Return the headers that sign a request now."""

    def challenged(self, challenge: str, refused: Mapping[str, str]) -> bool:
        """Take the WWW-Authenticate header of a refusal; return whether another try makes sense. Raises HttpError.

        refused: the headers that did not do.
        """


class Http:
    """Sends requests. Safe to use from several threads."""

    def __init__(self, network: Network, timeouts: Timeouts = Timeouts()) -> None:
        """Raises HttpError when urllib3 is missing or a certificate cannot be read."""
        if not HAS_URLLIB3:
            raise HttpError("the controller lacks the Python package urllib3, 2.1 or newer: pip install urllib3", True)
        self.network = network
        self._timeout = urllib3.Timeout(connect=timeouts.connect_s, read=timeouts.read_s)
        self._context = _trust(network.ca_certificates)
        self._pools: dict[str, urllib3.PoolManager] = {}

    def get(
        self, address: str, headers: Mapping[str, str] | None = None, auth: Auth | None = None
    ) -> urllib3.BaseHTTPResponse:
        """Return an answer with status 200 or 206 whose body is not read yet. Raises HttpError.

        auth: signs the request, but none that a redirect leads to another host.
        """
        answer = self._signed(address, headers or {}, auth)
        if answer.status in (200, 206):
            return answer
        error = _refusal(address, answer)
        answer.drain_conn()
        answer.release_conn()
        raise error

    def read(
        self, address: str, limit: int, headers: Mapping[str, str] | None = None, auth: Auth | None = None
    ) -> tuple[bytes, Mapping[str, str]]:
        """Return the body of a small answer, at most `limit` bytes of it, and its headers. Raises HttpError."""
        answer = self.get(address, headers, auth)
        content = b""
        try:
            # One read may end early; only the one after it tells whether the server meant to.
            while len(content) < limit:
                block = answer.read(limit - len(content))
                if not block:
                    break
                content += block
        except urllib3.exceptions.HTTPError as error:
            raise HttpError(f"{shown(address)}: {reason(error)}", False) from error
        finally:
            answer.close()
        return content, answer.headers

    def _signed(self, address: str, headers: Mapping[str, str], auth: Auth | None) -> urllib3.BaseHTTPResponse:
        signed = auth.headers() if auth is not None else {}
        answer = self._follow(address, headers, signed)
        challenge = answer.headers.get("WWW-Authenticate", "")
        if auth is not None and answer.status == 401 and auth.challenged(challenge, signed):
            answer.drain_conn()
            answer.release_conn()
            answer = self._follow(address, headers, auth.headers())
        return answer

    def _follow(
        self, address: str, headers: Mapping[str, str], signed: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        place = address
        for _hop in range(_REDIRECTS):
            same_host = urlsplit(place).netloc == urlsplit(address).netloc
            answer = self._send(place, {**headers, **(signed if same_host else {})})
            target = answer.get_redirect_location()
            if not target:
                return answer
            answer.drain_conn()
            answer.release_conn()
            following = urljoin(place, target)
            if urlsplit(place).scheme == "https" and urlsplit(following).scheme != "https":
                raise HttpError(f"{shown(address)}: redirects to {shown(following)}, which is not https", True)
            place = following
        raise HttpError(f"{shown(address)}: more than {_REDIRECTS} redirects", True)

    def _send(self, address: str, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise HttpError(f"{shown(address)}: an address begins with https:// or http:// and a host", True)
        sent = {"User-Agent": "trainyard.mlstack", "Accept-Encoding": "identity", **_signature(address), **headers}
        try:
            return self._pool(self.network.proxy_for(address)).request(
                "GET",
                bare(address),
                headers=sent,
                preload_content=False,
                # The bytes as they lie there: sums are made of these.
                decode_content=False,
                redirect=False,
                retries=False,
                timeout=self._timeout,
            )
        except urllib3.exceptions.SSLError as error:
            raise HttpError(f"{shown(address)}: {reason(error)}; mlstack_ca_certificates names more", True) from error
        except urllib3.exceptions.HTTPError as error:
            raise HttpError(f"{shown(address)}: {reason(error)}", False) from error

    def _pool(self, proxy: str) -> urllib3.PoolManager:
        if proxy not in self._pools:
            self._pools[proxy] = self._new_pool(proxy)
        return self._pools[proxy]

    def _new_pool(self, proxy: str) -> urllib3.PoolManager:
        if not proxy:
            return urllib3.PoolManager(maxsize=16, ssl_context=self._context)
        parts = urlsplit(proxy)
        if parts.scheme not in ("http", "https"):
            raise HttpError(f"proxy {shown(proxy)}: must begin with http:// or https://", True)
        signed = _userinfo(proxy)
        return urllib3.ProxyManager(
            bare(proxy),
            maxsize=16,
            ssl_context=self._context,
            proxy_ssl_context=self._context if parts.scheme == "https" else None,
            proxy_headers=urllib3.make_headers(proxy_basic_auth=signed) if signed else None,
        )


def shown(address: str) -> str:
    """Return an address as it may be shown: without what signs in, and without a signed query."""
    parts = urlsplit(bare(address))
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))


def bare(address: str) -> str:
    """Return an address without user and password."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def reason(error: Exception) -> str:
    """Return why a connection failed, in words that name no objects of the library."""
    if isinstance(error, urllib3.exceptions.ProxyError):
        return f"the proxy refuses: {reason(error.original_error)}"
    if isinstance(error, urllib3.exceptions.ReadTimeoutError):
        return "the server says nothing"
    if isinstance(error, urllib3.exceptions.NewConnectionError):
        # The library puts its own object in front: <HTTPConnection object at 0x7f>: Failed to establish ...
        return str(error).partition("object at 0x")[2].partition(": ")[2] or str(error)
    if isinstance(error, urllib3.exceptions.ConnectTimeoutError):
        return "no answer while connecting"
    if any(isinstance(part, urllib3.exceptions.IncompleteRead) for part in (error, *error.args)):
        return "the connection broke"
    return str(error)


def _refusal(address: str, answer: urllib3.BaseHTTPResponse) -> HttpError:
    text = f"{shown(address)}: status {answer.status} {answer.reason or ''}".rstrip()
    asked = answer.headers.get("Retry-After", "")
    wait_s = float(asked) if asked.isdigit() else None
    return HttpError(text, answer.status not in _TRANSIENT, wait_s, answer.status)


def _trust(files: tuple[str, ...]) -> ssl.SSLContext:
    context = ssl.create_default_context()
    for path in files:
        try:
            context.load_verify_locations(path)
        except (OSError, ssl.SSLError) as error:
            raise HttpError(f"mlstack_ca_certificates: {path} cannot be read as certificates: {error}", True) from error
    return context


def _userinfo(address: str) -> str:
    return unquote(urlsplit(address).netloc.rpartition("@")[0])


def _signature(address: str) -> dict[str, str]:
    signed = _userinfo(address)
    return dict(urllib3.make_headers(basic_auth=signed)) if signed else {}
