# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bundle a web server serves, as a host sees it. Python 3.8, standard library only."""

from __future__ import annotations

import hashlib
import http.client
import json
import urllib.error
from typing import Any, Dict, Iterable, Mapping, Sequence

from .._bundle.fetch import make_opener
from .._bundle.index import INDEX

# All hosts ask at once, before anything else happens; a server that is well answers in a fraction of it.
TIMEOUT_S = 15.0
MOST_BYTES = 64 << 20


def proxy_settings(http_proxy: str, https_proxy: str, no_proxy: str, near: Sequence[Any]) -> Dict[str, str]:
    """Return proxies as role `node` will write them: what is near the host is reached without one."""
    direct = ["localhost", "127.0.0.1", *(str(place) for place in near if place), no_proxy]
    return {"HTTP_PROXY": http_proxy, "HTTPS_PROXY": https_proxy, "NO_PROXY": ",".join(part for part in direct if part)}


def served_bundle(
    url: str, certificates: Iterable[str], settings: Mapping[str, str], timeout_s: float = TIMEOUT_S
) -> Dict[str, str]:
    """Return what is served: `url`, `release`, `architecture` and the `sum` of the index; `error` is why none is known.

    certificates: PEM texts that are trusted besides the host's own. settings: proxies, as `_common.proxies` reads them.
    """
    nothing = {"url": url, "release": "", "architecture": "", "sum": "", "error": ""}
    try:
        content = _read(f"{url.rstrip('/')}/{INDEX}", certificates, settings, timeout_s)
    except urllib.error.HTTPError as error:
        return {**nothing, "error": f"the server answers {error.code} {error.reason}"}
    except (OSError, ValueError, http.client.HTTPException) as error:
        return {**nothing, "error": str(getattr(error, "reason", error))}
    try:
        index = json.loads(content.decode())
        found = {"release": str(index["release"]), "architecture": str(index["architecture"])}
    except (ValueError, KeyError, TypeError):
        return {**nothing, "error": "what lies there is no index of a bundle"}
    return {**nothing, **found, "sum": hashlib.sha256(content).hexdigest()}


def _read(url: str, certificates: Iterable[str], settings: Mapping[str, str], timeout_s: float) -> bytes:
    with make_opener(certificates, settings).open(url, timeout=timeout_s) as response:
        return bytes(response.read(MOST_BYTES))
