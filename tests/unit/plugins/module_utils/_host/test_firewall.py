# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packet filters as ufw, firewalld and people write them: who gets in, and what is said about who does not."""

from __future__ import annotations

import json
from typing import Any, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall import Packet, allows
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall_iptables import table as iptables
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall_nft import native_tables
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.firewall_nft import table as nft
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info_firewall import firewall
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.ports import ALL, Port, needed
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.firewall import checks

# What ufw writes on a host that lets in SSH alone, shortened.
UFW = """*nat
:PREROUTING ACCEPT [0:0]
-A PREROUTING -p tcp --dport 6443 -j ACCEPT
COMMIT
*filter
:INPUT DROP [0:0]
:FORWARD DROP [0:0]
:ufw-before-input - [0:0]
:ufw-logging-deny - [0:0]
:ufw-not-local - [0:0]
:ufw-user-input - [0:0]
:KUBE-FIREWALL - [0:0]
-A INPUT -j KUBE-FIREWALL
-A INPUT -j ufw-before-input
-A ufw-before-input -i lo -j ACCEPT
-A ufw-before-input -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A ufw-before-input -m conntrack --ctstate INVALID -j DROP
-A ufw-before-input -p icmp -m icmp --icmp-type 8 -j ACCEPT
-A ufw-before-input -p udp -m udp --sport 67 --dport 68 -j ACCEPT
-A ufw-before-input -j ufw-not-local
-A ufw-before-input -d 224.0.0.251/32 -p udp -m udp --dport 5353 -j ACCEPT
-A ufw-before-input -j ufw-user-input
-A ufw-not-local -m addrtype --dst-type LOCAL -j RETURN
-A ufw-not-local -m addrtype --dst-type MULTICAST -j RETURN
-A ufw-not-local -m limit --limit 3/min --limit-burst 10 -j ufw-logging-deny
-A ufw-not-local -j DROP
-A ufw-user-input -p tcp -m tcp --dport 22 -j ACCEPT
-A KUBE-FIREWALL -j DROP
COMMIT
"""
API = Packet("tcp", 6443, "192.0.2.12", "eth0")


def rules(*lines: str, policy: str = "DROP") -> str:
    """Return what iptables-save prints of these rules of INPUT."""
    return "\n".join(["*filter", f":INPUT {policy} [0:0]", ":own - [0:0]", *lines, "COMMIT", ""])


@pytest.mark.parametrize(
    ("lines", "inside"),
    [
        (["-A INPUT -p tcp -m tcp --dport 6443 -j ACCEPT"], True),
        (["-A INPUT -p udp -m udp --dport 6443 -j ACCEPT"], False),
        (["-A INPUT -p tcp -m multiport --dports 22,6000:6500 -j ACCEPT"], True),
        (["-A INPUT -s 192.0.2.0/24 -j ACCEPT"], True),
        (["-A INPUT -s 198.51.100.0/24 -j ACCEPT"], False),
        (["-A INPUT -s 192.0.2.12/32 -p tcp -j ACCEPT"], True),
        (["-A INPUT -i eth+ -j ACCEPT"], True),
        (["-A INPUT -i lo -j ACCEPT"], False),
        (["-A INPUT -j own", "-A own -p tcp -m tcp --dport 6443 -j RETURN", "-A own -j ACCEPT"], False),
        (["-A INPUT -g own", "-A INPUT -j ACCEPT"], False),
        (['-A INPUT -m conntrack --ctstate NEW -m comment --comment "all in" -j ACCEPT'], True),
        (["-A INPUT -m state --state ESTABLISHED -j ACCEPT"], False),
        (["-A INPUT -m set --match-set friends src -j ACCEPT"], True),
        (["-A INPUT -p tcp -j REJECT --reject-with icmp-port-unreachable", "-A INPUT -j ACCEPT"], False),
        (["-A INPUT -m set --match-set foes src -j DROP", "-A INPUT -j ACCEPT"], True),
        (["-A INPUT ! -s 192.0.2.0/24 -j DROP", "-A INPUT -j ACCEPT"], True),
        (["-A INPUT -d 224.0.0.0/4 -j ACCEPT"], False),
        (["-A INPUT -j own", "-A own -j own"], False),
        (['-A INPUT -j LOG --log-prefix "in: "'], False),
    ],
)
def test_iptables(lines: list[str], inside: bool) -> None:
    assert allows([iptables(rules(*lines), "ip")], API) == inside


def test_a_policy_of_accept_and_no_table_at_all() -> None:
    assert allows([iptables(rules(policy="ACCEPT"), "ip")], API)
    assert not allows([iptables(rules("-A INPUT -p tcp --dport 6443 -j DROP", policy="ACCEPT"), "ip")], API)
    assert allows([], API)


def test_rules_of_one_ip_version_say_nothing_of_the_other() -> None:
    six = API._replace(source="2001:db8::12")
    assert allows([iptables(rules(), "ip")], six)
    assert not allows([iptables(rules(), "ip6")], six)


def test_ufw() -> None:
    table = iptables(UFW, "ip")
    assert not allows([table], API)
    assert allows([table], API._replace(port=22))
    assert not any("KUBE" in chain for chain in table["chains"])


def match(left: dict[str, Any], right: Any, op: str = "==") -> dict[str, Any]:
    """Return one condition of nft."""
    return {"match": {"op": op, "left": left, "right": right}}


def dport(port: Any, protocol: str = "tcp") -> dict[str, Any]:
    """Return the condition on a port."""
    return match({"payload": {"protocol": protocol, "field": "dport"}}, port)


STATE: dict[str, Any] = {"ct": {"key": "state"}}


def nft_table(*expressions: list[Any], policy: str = "drop", name: str = "filter_INPUT") -> str:
    """Return what nft prints of a table with these rules in its input chain, and more rules in the chain `own`."""
    head: list[dict[str, Any]] = [
        {"metainfo": {}},
        {"table": {"family": "inet", "name": "site"}},
        {"chain": {"name": name, "type": "filter", "hook": "input", "policy": policy}},
        {"chain": {"name": "fwd", "type": "filter", "hook": "forward", "policy": "drop"}},
        {"chain": {"name": "own"}},
        {"rule": {"chain": "own", "expr": [dport(6443), {"accept": None}]}},
    ]
    return json.dumps({"nftables": [*head, *({"rule": {"chain": name, "expr": list(one)}} for one in expressions)]})


ACCEPT: dict[str, Any] = {"accept": None}


@pytest.mark.parametrize(
    ("expressions", "inside"),
    [
        ([[dport(6443), ACCEPT]], True),
        ([[dport({"set": [22, {"range": [6000, 6500]}]}), {"counter": {}}, ACCEPT]], True),
        ([[dport(6443, "udp"), ACCEPT]], False),
        ([[dport("@open"), ACCEPT]], True),
        ([[match(STATE, {"set": ["established", "related"]}, "in"), ACCEPT]], False),
        ([[match(STATE, ["new", "untracked"], "in"), dport(6443), ACCEPT]], True),
        ([[match({"ct": {"key": "status"}}, "dnat", "in"), ACCEPT]], False),
        ([[match({"meta": {"key": "iifname"}}, "lo"), ACCEPT]], False),
        ([[match({"meta": {"key": "iifname"}}, "eth*"), ACCEPT]], True),
        ([[match({"meta": {"key": "iifname"}}, {"set": ["eth0", "eth1"]}), ACCEPT]], True),
        ([[match({"meta": {"key": "l4proto"}}, {"set": ["icmp", "ipv6-icmp"]}), ACCEPT]], False),
        ([[match({"meta": {"key": "l4proto"}}, "udp"), ACCEPT]], False),
        ([[match({"payload": {"protocol": "icmpv6", "field": "type"}}, "nd-router-advert"), ACCEPT]], False),
        ([[match({"payload": {"protocol": "ip6", "field": "daddr"}}, "fe80::1"), ACCEPT]], False),
        (
            [
                [
                    match(
                        {"payload": {"protocol": "ip", "field": "saddr"}}, {"prefix": {"addr": "192.0.2.0", "len": 24}}
                    ),
                    ACCEPT,
                ]
            ],
            True,
        ),
        ([[match({"payload": {"protocol": "ip", "field": "saddr"}}, "198.51.100.1"), ACCEPT]], False),
        ([[{"jump": {"target": "own"}}]], True),
        ([[{"reject": {"type": "icmpx"}}], [ACCEPT]], False),
        ([[{"xt": None}, {"drop": None}], [ACCEPT]], True),
    ],
)
def test_nft(expressions: list[list[Any]], inside: bool) -> None:
    assert allows([nft(nft_table(*expressions))], API) == inside


def test_dropped_in_one_table_is_dropped_for_good() -> None:
    assert not allows([nft(nft_table([ACCEPT])), nft(nft_table([dport(6443), {"drop": None}], policy="accept"))], API)


def test_which_tables_are_neither_iptables_nor_kubernetes() -> None:
    listed = [
        ("ip", "filter"),
        ("ip6", "nat"),
        ("inet", "filter"),
        ("inet", "firewalld"),
        ("ip", "kube-proxy"),
        ("arp", "x"),
    ]
    text = json.dumps({"nftables": [{"metainfo": {}}, *({"table": {"family": f, "name": n}} for f, n in listed)]})
    assert native_tables(text) == [("inet", "filter"), ("inet", "firewalld")]


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


OPTIONS: dict[str, Any] = {
    "firewall": "leave",
    "firewall_sources": [],
    "pod_cidr": "10.244.0.0/16",
    "peers": ["192.0.2.12"],
    "control_plane": True,
    "control_planes": 1,
    "pod_network": "flannel",
    "vxlan_port": 8472,
    "node_ports": False,
}


def problems(tables: list[dict[str, Any]], manager: str = "ufw", **options: Any) -> list[tuple[str, str]]:
    """Return field and value of each problem."""
    facts = {
        "firewall": {"manager": manager, "tables": tables},
        "default_interface": "eth0",
        "address": "192.0.2.11",
        "routes": [{"network": "192.0.2.0/24", "interface": "eth0", "gateway": ""}],
    }
    return [(problem.field, problem.value) for problem in checks(facts, {**OPTIONS, **options})]


@pytest.mark.parametrize(
    ("options", "ports"),
    [
        ({}, "10250/tcp, 6443/tcp, 8472/udp"),
        ({"control_plane": False}, "10250/tcp, 8472/udp"),
        ({"control_planes": 3}, "10250/tcp, 6443/tcp, 2379-2380/tcp, 8472/udp"),
        ({"pod_network": "none", "node_ports": True}, "10250/tcp, 6443/tcp, 30000-32767/tcp"),
        ({"vxlan_port": 4789, "control_plane": False}, "10250/tcp, 4789/udp"),
        ({"peers": [], "control_plane": False}, "10250/tcp"),
    ],
)
def test_what_is_blocked_is_named(options: dict[str, Any], ports: str) -> None:
    assert problems([iptables(UFW, "ip")], **options) == [("firewall ufw", f"blocks {ports}")]


def test_what_the_site_has_opened_is_no_problem() -> None:
    own = [f"-A INPUT -s 192.0.2.12/32 -p {p.protocol} --dport {p.port} -j ACCEPT" for p in ALL if "-" not in p.port]
    assert problems([iptables(rules(*own, "-A INPUT -s 10.244.0.0/16 -j ACCEPT"), "ip")], "iptables") == []
    assert problems([iptables(rules(*own), "ip")], "iptables") == [("firewall iptables", "blocks 10250/tcp, 6443/tcp")]


def test_a_chain_of_nftables_that_forwards_nothing() -> None:
    assert problems([nft(nft_table([ACCEPT]))], "nftables") == [("firewall nftables", "drops what is forwarded")]


@pytest.mark.parametrize(
    ("manager", "options", "fields"),
    [
        ("ufw", {"firewall": "open"}, []),
        ("firewalld", {"firewall": "open"}, []),
        ("iptables", {"firewall": "open"}, ["firewall iptables"]),
        ("ufw", {"firewall": "open", "peers": ["192.0.2.12", "198.51.100.7"]}, ["node_firewall_sources"]),
        (
            "ufw",
            {
                "firewall": "open",
                "peers": ["192.0.2.12", "198.51.100.7"],
                "firewall_sources": ["192.0.2.0/24", "198.51.100.0/24"],
            },
            [],
        ),
        ("ufw", {"firewall": "open", "firewall_sources": ["198.51.100.0/24"]}, ["node_firewall_sources"]),
    ],
)
def test_what_role_node_will_open(manager: str, options: dict[str, Any], fields: list[str]) -> None:
    assert [field for field, _value in problems([iptables(UFW, "ip")], manager, **options)] == fields


def test_without_a_filter_there_is_no_problem() -> None:
    for nothing in (None, {"manager": "", "tables": []}):
        assert checks({"firewall": nothing}, OPTIONS) == []


@given(st.text(max_size=60))
def test_nonsense_for_a_network_of_pods_is_another_checks_matter(text: str) -> None:
    assert problems([iptables(UFW, "ip")], pod_cidr=text)


def test_ports_read_as_firewalls_write_them() -> None:
    assert str(Port("6443", "tcp", "node", "all", "")) == "6443/tcp"
    assert {str(port) for port in needed({**OPTIONS, "control_planes": 3, "node_ports": True})} == {str(p) for p in ALL}
