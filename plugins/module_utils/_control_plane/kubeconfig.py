# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a kubeconfig points to, and where it should. Python 3.8, standard library only."""

from __future__ import annotations

import base64
import http.client
import re
import ssl
from typing import Callable, Optional, Sequence

_SERVER = re.compile(r"^(\s*server:\s*)https://(\S+?)/?\s*$", re.MULTILINE)
_AUTHORITY = re.compile(r"^\s*certificate-authority-data:\s*(\S+)\s*$", re.MULTILINE)
ANSWER_SECONDS = 5.0


def server_of(text: str) -> Optional[str]:
    """Return host:port of the first cluster, None when the text names none."""
    found = _SERVER.search(text)
    return found.group(2) if found else None


def with_server(text: str, server: str) -> str:
    """Return the kubeconfig with another host:port."""
    return _SERVER.sub(lambda found: f"{found.group(1)}https://{server}", text)


def choose(present: Optional[str], candidates: Sequence[str], answers: Callable[[str], bool]) -> str:
    """Return the candidate to use: the present one for as long as it answers, so that a second run changes nothing.

    present: host:port that the file of an earlier run holds. answers: asks one.
    """
    order = [server for server in candidates if server == present] + list(candidates)
    return next((server for server in order if answers(server)), order[0])


def is_ready(text: str, server: str) -> bool:
    """Tell whether the API server at host:port is ready, and is one of the kubeconfig's own cluster."""
    authority = _AUTHORITY.search(text)
    context = ssl.create_default_context(
        cadata=base64.b64decode(authority.group(1)).decode() if authority else None
    )
    host, _colon, port = server.rpartition(":")
    connection = http.client.HTTPSConnection(host.strip("[]"), int(port), timeout=ANSWER_SECONDS, context=context)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
