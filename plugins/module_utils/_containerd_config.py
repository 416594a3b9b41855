# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What containerd reads at its start, as data: pure functions."""

from __future__ import annotations

from typing import Any

# containerd 2.3 brought configuration version 4; a file of a version that the daemon does not know stops it.
FIRST_WITH_VERSION_4 = (2, 3)


def config_version(containerd_version: str) -> int:
    """Return the version of config.toml that `containerd_version` (such as "2.4.2") prefers.

    Raises ValueError for containerd 1.x, whose plugin names differ, and for text that is no version.
    """
    try:
        major, minor = (int(part) for part in containerd_version.lstrip("v").split(".")[:2])
    except ValueError:
        raise ValueError(f"containerd version {containerd_version!r} is not of the form 2.4.2") from None
    if major < 2:
        raise ValueError(
            f"containerd {containerd_version} is not supported: 2.0 or newer is needed, choose a newer release"
        )
    return 4 if (major, minor) >= FIRST_WITH_VERSION_4 else 3


def hosts_files(registries: list[dict[str, Any]], folder: str) -> list[dict[str, str]]:
    """Return one hosts.toml for each registry, as {path, content, mode}.

    registries: dicts with `host` (with its port when it has one), optional `server` (URL, default https://<host>) and
    `mirrors` (URLs that are asked first). folder: containerd's certs.d. Raises ValueError naming every bad entry.
    """
    bad = [
        f"mlstack_registries[{number}].{field} = {value!r}: {rule}"
        for number, registry in enumerate(registries)
        for field, value, rule in _faults(registry)
    ]
    if bad:
        raise ValueError("; ".join(bad))
    return [
        {"path": f"{folder}/{registry['host']}/hosts.toml", "content": _hosts_toml(registry), "mode": "0644"}
        for registry in registries
    ]


def _faults(registry: dict[str, Any]) -> list[tuple[str, Any, str]]:
    """Return (field, value, rule) for everything wrong with one entry."""
    host = registry.get("host")
    faults: list[tuple[str, Any, str]] = []
    if not isinstance(host, str) or not host or "/" in host:
        faults.append(
            ("host", host, "a registry's name with its port, without scheme or path, such as registry.example.org:5000")
        )
    unknown = sorted(set(registry) - {"host", "server", "mirrors"})
    faults += [(field, registry[field], "no such field; known are host, server, mirrors") for field in unknown]
    urls = [("server", registry.get("server"))] if "server" in registry else []
    urls += [(f"mirrors[{number}]", url) for number, url in enumerate(registry.get("mirrors", []))]
    faults += [
        (field, url, "a URL that begins with http:// or https://")
        for field, url in urls
        if not str(url).startswith(("http://", "https://"))
    ]
    return faults


def _hosts_toml(registry: dict[str, Any]) -> str:
    """Return the text of one hosts.toml: mirrors in their order, then the server itself."""
    server = registry.get("server", f"https://{registry['host']}")
    lines = [f'server = "{server}"']
    for url in [*registry.get("mirrors", []), server]:
        lines += ["", f'[host."{url}"]', '  capabilities = ["pull", "resolve"]']
    return "\n".join(lines) + "\n"
