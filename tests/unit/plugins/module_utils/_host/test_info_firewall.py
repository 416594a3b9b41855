# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manager and the tables of a host's packet filter."""

from __future__ import annotations

import json
from typing import Any, Sequence

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info_firewall import firewall
from tests.support.packet_filters import UFW, nft_table, rules


class TestRead:
    """What node_info tells of a host."""

    def read(self, **answers: str) -> dict[str, Any]:
        """Return what is read from a host whose programs answer so."""

        def run(argv: Sequence[str]) -> str | None:
            return answers.get(argv[0].replace("-", "_") + ("_" + argv[3] if argv[0] == "nft" else ""))

        return firewall(Host("/nowhere", run))

    def test_without_any_program(self) -> None:
        assert self.read() == {"manager": "", "tables": []}

    @pytest.mark.parametrize(
        ("answers", "manager"),
        [
            ({"iptables_save": UFW}, "ufw"),
            ({"iptables_save": rules()}, "iptables"),
            ({"ip6tables_save": rules("-A INPUT -p tcp -j DROP", policy="ACCEPT")}, "iptables"),
            ({"iptables_save": rules(policy="ACCEPT")}, ""),
            ({"nft_table": nft_table()}, "nftables"),
            (
                {"nft_table": nft_table([{"jump": {"target": "filter_INPUT_ZONES"}}], name="filter_INPUT_ZONES")},
                "firewalld",
            ),
        ],
    )
    def test_who_writes_the_rules(self, answers: dict[str, str], manager: str) -> None:
        tables = json.dumps({"nftables": [{"table": {"family": "inet", "name": "site"}}]})
        found = self.read(nft_tables=tables, **answers)
        assert found["manager"] == manager
        assert bool(found["tables"]) == bool(manager)
