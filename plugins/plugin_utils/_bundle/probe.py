# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the upstream of a release can be reached: asked once, for a few seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from .._common.command import BuildError
from .._download.download import Downloader
from .._download.registry import Ref, Registry
from .._download.web import Http, HttpError, shown
from . import upstream

_DEADLINE_S = 10.0
# A registry that wants a login says so, and so it is there.
_THERE = (401, 404)


def unreachable(release: Mapping[str, Any], architecture: str, downloader: Downloader) -> str:
    """Return why the upstream of a release cannot be used, empty when it can.

    One address of each host is asked for its first byte, without another try.
    """
    try:
        upstream.check(release)
        addresses = list(_one_of_each_host(release, architecture, downloader))
    except BuildError as error:
        return str(error)
    answers: dict[str, str] = {}

    def ask(address: str) -> None:
        answers[address] = _ask(downloader.http, address)

    # Not a pool, which would wait to the end for a resolver that says nothing.
    threads = [threading.Thread(target=ask, args=(address,), daemon=True) for address in addresses]
    for thread in threads:
        thread.start()
    until = time.monotonic() + _DEADLINE_S
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    late = f"no answer within {_DEADLINE_S:.0f} s"
    said = (answers.get(address, f"{shown(address)}: {late}") for address in addresses)
    return next((answer for answer in said if answer), "")


def _one_of_each_host(release: Mapping[str, Any], architecture: str, downloader: Downloader) -> Iterable[str]:
    by_host: dict[str, str] = {}
    for name in release["upstream"]["downloads"]:
        address = downloader.http.network.mirrored(upstream.source(release, name, architecture).address)
        by_host.setdefault(urlsplit(address).netloc, address)
    for ref in release["images"].values():
        host = Registry(Ref.parse(ref), downloader).host
        by_host.setdefault(urlsplit(host).netloc, f"{host}/v2/")
    return by_host.values()


def _ask(http: Http, address: str) -> str:
    registry = address.endswith("/v2/")
    try:
        http.get(address, {"Range": "bytes=0-0"}).close()
    except HttpError as error:
        return "" if registry and error.status in _THERE else str(error)
    return ""
