# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The packet filter of a host, as far as it drops anything. Python 3.8, standard library only."""

from __future__ import annotations

from typing import Any, Dict, List

from .._common.host import Host
from . import firewall_iptables as iptables
from . import firewall_nft as nft
from .firewall import Table, filters

SAVES = {"ip": "iptables-save", "ip6": "ip6tables-save"}


def firewall(host: Host) -> Dict[str, Any]:
    """Return `manager`, who writes the rules (ufw, firewalld, iptables or nftables, empty when nothing is dropped), and
    `tables`, those in which something is dropped, as _firewall has them.
    """
    answers = {family: host.run([program, "-t", "filter"]) for family, program in SAVES.items()}
    tables = [iptables.table(text, family) for family, text in answers.items() if text]
    native = _native(host)
    kept = [table for table in tables + native if filters(table)]
    return {"manager": _manager(kept, native), "tables": kept}


def _native(host: Host) -> List[Table]:
    listed = host.run(["nft", "-j", "list", "tables"])
    # Without the program, or the right to ask, nft prints nothing.
    names = nft.native_tables(listed) if listed else []
    answers = [host.run(["nft", "-j", "list", "table", family, name]) for family, name in names]
    return [nft.table(text) for text in answers if text]


def _manager(kept: List[Table], native: List[Table]) -> str:
    for table in kept:
        if "ufw-user-input" in table["chains"]:
            return "ufw"
        if "filter_INPUT_ZONES" in table["chains"]:
            return "firewalld"
    return ("nftables" if kept[0] in native else "iptables") if kept else ""
