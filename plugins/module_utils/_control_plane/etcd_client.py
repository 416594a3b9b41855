# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""etcd of a control plane, asked by its JSON gateway: no etcdctl is needed. Python 3.8, standard library only."""

from __future__ import annotations

import json
import os
import ssl
import urllib.error
import urllib.request
from typing import Any, Dict, List, Optional, Sequence

from .etcd_members import Member, parse

HERE = "https://127.0.0.1:2379"
ANSWER_SECONDS = 5.0


class EtcdError(Exception):
    """etcd did not answer, or refused."""


class Etcd:
    """A client. pki: the folder with kubeadm's certificates. endpoint: of the member on this host."""

    def __init__(self, pki: str, endpoint: str = HERE) -> None:
        self._endpoint = endpoint
        self._context = ssl.create_default_context(cafile=os.path.join(pki, "etcd", "ca.crt"))
        names = ("apiserver-etcd-client.crt", "apiserver-etcd-client.key")
        self._context.load_cert_chain(*(os.path.join(pki, name) for name in names))

    def members(self) -> List[Member]:
        """Return all members. Raises EtcdError."""
        return parse(self._ask(self._endpoint + "/v3/cluster/member/list", {}))

    def remove(self, member: Member) -> None:
        """Remove a member. Raises EtcdError, also when the others are too few to agree."""
        self._ask(self._endpoint + "/v3/cluster/member/remove", {"ID": member.id})

    def answering(self, members: Sequence[Member]) -> List[str]:
        """Return the ids of the members that say they are healthy, which they are not without a quorum."""
        return [member.id for member in members if self._healthy(member)]

    def _healthy(self, member: Member) -> bool:
        try:
            return bool(member.client) and self._ask(member.client + "/health", None).get("health") == "true"
        except EtcdError:
            return False

    def _ask(self, url: str, body: Optional[Dict[str, Any]]) -> Dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        try:
            # Control planes are reached directly, whatever proxy the host has.
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self._context)
            )
            with opener.open(urllib.request.Request(url, data=data), timeout=ANSWER_SECONDS) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            raise EtcdError(f"{url}: {error.read().decode('utf-8', 'replace').strip() or error}") from None
        except (OSError, ValueError) as error:
            raise EtcdError(f"{url}: {error}") from None
