# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which members etcd must lose before a control plane joins, and whether it may join at all. Pure. Python 3.8."""

from __future__ import annotations

from typing import List, Mapping, NamedTuple, Optional, Sequence
from urllib.parse import urlsplit


class Member(NamedTuple):
    """A member of etcd. id: its number as text. name: empty until it has started once. peer, client: its first URLs."""

    id: str
    name: str
    peer: str
    client: str

    @property
    def address(self) -> str:
        """Return the address of its host."""
        return urlsplit(self.peer).hostname or ""

    def __str__(self) -> str:
        return f"{self.name or 'without a name'} ({self.address})"


class Plan(NamedTuple):
    """remove: members that go. problem: why nobody may join now, None when all is well."""

    remove: List[Member]
    problem: Optional[str]


def parse(answer: Mapping[str, object]) -> List[Member]:
    """Return the members in etcd's answer to /v3/cluster/member/list."""
    members = answer.get("members")
    return [
        Member(item["ID"], item.get("name", ""), (item.get("peerURLs") or [""])[0], (item.get("clientURLs") or [""])[0])
        for item in (members if isinstance(members, list) else [])
    ]


def plan(members: Sequence[Member], answering: Sequence[str], nodes: Sequence[str], name: str, address: str) -> Plan:
    """Return what must be done before the node `name` at `address`, which is no control plane now, becomes one.

    answering: ids of the members that say they are healthy. nodes: names of the cluster's nodes.
    Two kinds of member are left over and go: what an earlier life or a broken join of this very host has left, and one
    that does not answer and whose node was deleted. Any other one that does not answer stands in the way: etcd would
    have to agree to each write with more members than it has.
    """
    remove = []
    for member in members:
        alive = member.id in answering
        if member.name == name and member.address != address and alive:
            return Plan([], (
                f"a control plane of the name {name} runs at {member.address} already; this host has the address"
                f" {address}. Give one of the two another mlstack_node_name"
            ))
        if member.name == name or member.address == address or (not alive and member.name not in nodes):
            remove.append(member)
        elif not alive:
            return Plan([], (
                f"etcd's member {member} does not answer, and to add one now could stop the cluster. Start that host,"
                f" or delete its node when it is gone for good, and run again: kubectl delete node {member.name}"
            ))
    return Plan(remove, None)
