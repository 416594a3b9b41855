# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""containerd's hosts.toml files: one folder for each registry that needs a setting of its own. Pure."""

from __future__ import annotations

import base64
import json
import re
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple, Union
from urllib.parse import urlsplit

# What containerd asks when nothing else is said, where that is not https and the name.
SERVERS = {"docker.io": "https://registry-1.docker.io"}
DEFAULT = "_default"
FIELDS = ("host", "server", "mirrors", "ca", "skip_verify", "username", "password")
MIRROR_FIELDS = ("url", "ca", "skip_verify", "username", "password")
# A name or an address as it stands in image references: IPv6 in brackets, the port only when it is written there.
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)(:[0-9]{1,5})?|_default")
_URL = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[^/@\s\[\]:]+)(:[0-9]{1,5})?(/\S*)?")

Fault = Tuple[str, Any, str]


class Endpoint(NamedTuple):
    """One address that containerd asks. ca: PEM text or empty."""

    url: str
    ca: str
    skip_verify: bool
    username: str
    password: str


def hosts_files(registries: Sequence[Mapping[str, Any]], folder: str) -> List[Dict[str, Any]]:
    """Return the files of each registry, as module host_files takes them.

    registries: each with `host` as it stands in image references, optional `server` (URL) and `mirrors` (URLs, or dicts
    with `url`, asked before the server); `ca` (PEM text), `skip_verify`, `username` and `password` of each.
    folder: containerd's certs.d, where a folder is named `<host>:<port>`, also for an IPv6 address in brackets.
    Raises ValueError naming every bad entry; a password is never in it.
    """
    bad = [
        f"mlstack_registries[{number}].{field} = {value!r}: {rule}"
        for number, registry in enumerate(registries)
        for field, value, rule in _faults(registry)
    ]
    hosts = [str(registry.get("host")) for registry in registries]
    twice = sorted({host for host in hosts if hosts.count(host) > 1})
    once = "stands there more than once: put its mirrors into one entry"
    bad += [f"mlstack_registries: host {host} {once}" for host in twice]
    if bad:
        raise ValueError("; ".join(bad))
    return [file for registry in registries for file in _files(registry, f"{folder}/{registry['host']}")]


def _faults(registry: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield (field, value, rule) for everything wrong with one entry."""
    host = registry.get("host")
    if not isinstance(host, str) or not _HOST.fullmatch(host):
        rule = "a registry's name with its port, without scheme or path: registry.example.org:5000, [fd00::5]:5000"
        yield "host", host, rule
    mirrors = registry.get("mirrors") or []
    if host == DEFAULT and not mirrors:
        yield "mirrors", mirrors, "_default stands for all other registries, so there must be a mirror to ask first"
    yield from _endpoint_faults("", registry, FIELDS, "server", "server" in registry)
    for number, mirror in enumerate(mirrors):
        entry = {"url": mirror} if isinstance(mirror, str) else mirror
        yield from _endpoint_faults(f"mirrors[{number}].", entry, MIRROR_FIELDS, "url", True)


def _endpoint_faults(
    prefix: str, entry: Mapping[str, Any], known: Sequence[str], url: str, required: bool
) -> Iterator[Fault]:
    for field in sorted(set(entry) - set(known)):
        yield prefix + field, "(hidden)", f"no such field; known are {', '.join(known)}"
    if required and not _URL.fullmatch(str(entry.get(url))):
        # It may hold a password in front of the host.
        shown = re.sub(r"//[^/@]*@", "//(hidden)@", str(entry.get(url)))
        yield prefix + url, shown, "a URL that begins with http:// or https://; a user goes into username and password"
    if not isinstance(entry.get("skip_verify", False), bool):
        yield prefix + "skip_verify", entry["skip_verify"], "true or false"
    if bool(entry.get("username")) != bool(entry.get("password")):
        yield prefix + "username", entry.get("username"), "username and password are given together or not at all"
    if entry.get("ca") and "-----BEGIN CERTIFICATE-----" not in str(entry["ca"]):
        yield prefix + "ca", "(text)", "a certificate as PEM text: \"{{ lookup('ansible.builtin.file', '<path>') }}\""


def _endpoint(entry: Mapping[str, Any], url: str) -> Endpoint:
    texts = (str(entry.get(field) or "") for field in ("ca", "username", "password"))
    ca, username, password = texts
    return Endpoint(url, ca, bool(entry.get("skip_verify")), username, password)


def _files(registry: Mapping[str, Any], folder: str) -> List[Dict[str, Any]]:
    mirrors: Sequence[Union[str, Mapping[str, Any]]] = registry.get("mirrors") or []
    asked = [_endpoint({}, one) if isinstance(one, str) else _endpoint(one, one["url"]) for one in mirrors]
    host = registry["host"]
    server = registry.get("server") or ("" if host == DEFAULT else SERVERS.get(host, f"https://{host}"))
    if server:
        asked.append(_endpoint(registry, server))
    lines = [f'server = "{server}"'] if server else []
    files: List[Dict[str, Any]] = []
    for number, endpoint in enumerate(asked):
        certificate = f"{folder}/mlstack-ca-{number}.crt" if endpoint.ca else ""
        if certificate:
            files.append({"path": certificate, "content": endpoint.ca.rstrip() + "\n", "mode": "0644"})
        lines += [*([""] if lines else []), *_host_lines(endpoint, certificate)]
    secret = any(endpoint.password for endpoint in asked)
    mode = {"mode": "0600", "secret": True} if secret else {"mode": "0644"}
    return [{"path": f"{folder}/hosts.toml", "content": "\n".join(lines) + "\n", **mode}, *files]


def _host_lines(endpoint: Endpoint, certificate: str) -> List[str]:
    lines = [f'[host."{endpoint.url}"]', '  capabilities = ["pull", "resolve"]']
    # containerd appends /v2 to a path, unless the path is the API's root already, as that of a proxying project is.
    if urlsplit(endpoint.url).path.startswith("/v2"):
        lines.append("  override_path = true")
    if certificate:
        lines.append(f'  ca = "{certificate}"')
    if endpoint.skip_verify:
        lines.append("  skip_verify = true")
    if endpoint.password:
        pair = base64.b64encode(f"{endpoint.username}:{endpoint.password}".encode()).decode()
        lines += [f'  [host."{endpoint.url}".header]', f"    Authorization = {json.dumps('Basic ' + pair)}"]
    return lines
