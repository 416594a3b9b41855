# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports opened in ufw's and firewalld's own words, and closed again."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Sequence
from xml.etree import ElementTree

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.open_ports import (
    POLICY,
    ZONE,
    FirewallPlan,
    carry_out,
    make_plan,
    own_networks,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.ports import API, ETCD, KUBELET

PORTS, SOURCES, PODS = [API, ETCD, KUBELET], ["192.0.2.0/24"], ["10.244.0.0/16"]


class Ufw:
    """A host whose ufw is active."""

    def __init__(self, root: Path, *rules: str, active: bool = True) -> None:
        (root / "usr/sbin").mkdir(parents=True)
        (root / "usr/sbin/ufw").write_text("")
        self.host, self.rules, self.active = Host(str(root)), list(rules), active

    def run(self, argv: Sequence[str]) -> tuple[int, str, str]:
        """Answer as ufw does, and keep the rules."""
        words = list(argv)
        if words == ["ufw", "status"]:
            return 0, "Status: active\n\n" if self.active else "Status: inactive\n", ""
        if words == ["ufw", "show", "added"]:
            return 0, "Added user rules (see 'ufw status'):\n" + "".join(f"{rule}\n" for rule in self.rules), ""
        if "delete" in words:
            words.remove("delete")
            self.rules.remove(" ".join(words) + " comment 'mlstack'")
        else:
            self.rules.append(" ".join(words).replace("comment mlstack", "comment 'mlstack'"))
        return 0, "Rule added\n", ""

    def change(self, *wanted: Any) -> FirewallPlan:
        """Bring the host to what is wanted; return what was to be done."""
        plan = make_plan(self.run, self.host, *wanted)
        carry_out(self.run, plan)
        assert make_plan(self.run, self.host, *wanted).empty
        return plan


def test_ufw_opened_and_closed_again(tmp_path: Path) -> None:
    ufw = Ufw(tmp_path, "ufw allow 22/tcp")
    plan = ufw.change(PORTS, SOURCES, PODS)
    assert ufw.rules == [
        "ufw allow 22/tcp",
        "ufw allow 6443/tcp comment 'mlstack'",
        "ufw allow from 192.0.2.0/24 to any port 2379:2380 proto tcp comment 'mlstack'",
        "ufw allow from 192.0.2.0/24 to any port 10250 proto tcp comment 'mlstack'",
        "ufw allow from 10.244.0.0/16 comment 'mlstack'",
        "ufw route allow from 10.244.0.0/16 comment 'mlstack'",
        "ufw route allow to 10.244.0.0/16 comment 'mlstack'",
    ]
    assert plan.diff()[0]["before"] == ""
    assert "ufw allow 6443/tcp\n" in plan.diff()[0]["after"]
    ufw.change([API], SOURCES, PODS)
    assert not any("10250" in rule for rule in ufw.rules)
    ufw.change([], [], [])
    assert ufw.rules == ["ufw allow 22/tcp"]


def test_a_rule_of_the_site_is_not_made_twice_and_stays(tmp_path: Path) -> None:
    ufw = Ufw(tmp_path, "ufw allow 6443/tcp")
    assert make_plan(ufw.run, ufw.host, [API], [], []).empty
    ufw.change([], [], [])
    assert ufw.rules == ["ufw allow 6443/tcp"]


def test_a_firewall_that_is_not_in_use_is_left_alone(tmp_path: Path) -> None:
    ufw = Ufw(tmp_path, active=False)
    assert make_plan(ufw.run, ufw.host, PORTS, SOURCES, PODS) == FirewallPlan()
    nobody = Host(str(tmp_path / "nothing"))
    assert make_plan(lambda argv: pytest.fail(f"{argv} was run"), nobody, PORTS, SOURCES, PODS) == FirewallPlan()


class Firewalld:
    """A host whose firewalld runs; `running` is what it had read when it was told to."""

    def __init__(self, root: Path) -> None:
        (root / "usr/bin").mkdir(parents=True)
        (root / "usr/bin/firewall-cmd").write_text("")
        self.root, self.host = root, Host(str(root))
        self.running: dict[str, str] = {}
        self.reloads = 0

    def filed(self) -> dict[str, str]:
        """Return the texts of our files."""
        paths = {name: self.root / path.lstrip("/") for name, path in (("policy", POLICY), ("zone", ZONE))}
        return {name: path.read_text() for name, path in paths.items() if path.exists()}

    def run(self, argv: Sequence[str]) -> tuple[int, str, str]:
        """Answer as firewall-cmd does."""
        if "--reload" in argv:
            self.running = self.filed()
            self.reloads += 1
        known = self.filed() if "--permanent" in argv else self.running
        for kind, name in (("policy", "mlstack"), ("zone", "mlstack-pods")):
            if argv[-1] == f"--info-{kind}={name}":
                mark = "" if "--permanent" in argv else " (active)"
                return (0, f"{name}{mark}\n{known[kind]}", "") if kind in known else (112, "", f"INVALID: {name}\n")
        return 0, "running\n", ""


def test_firewalld_opened_and_closed_again(tmp_path: Path) -> None:
    firewalld = Firewalld(tmp_path)
    for wanted, files in (((PORTS, [*SOURCES, "2001:db8::/64"], PODS), {"policy", "zone"}), (([], [], []), set())):
        plan = make_plan(firewalld.run, firewalld.host, *wanted)
        assert len(plan.diff()) == 2
        carry_out(firewalld.run, plan)
        assert set(firewalld.filed()) == set(firewalld.running) == files
        assert make_plan(firewalld.run, firewalld.host, *wanted).empty


def test_what_firewalld_reads(tmp_path: Path) -> None:
    firewalld = Firewalld(tmp_path)
    carry_out(firewalld.run, make_plan(firewalld.run, firewalld.host, PORTS, [*SOURCES, "2001:db8::/64"], PODS))
    policy, zone = (ElementTree.fromstring(text) for text in firewalld.filed().values())
    assert [port.attrib for port in policy.findall("port")] == [{"port": "6443", "protocol": "tcp"}]
    rules = [(rule.get("family"), rule[0].get("address"), rule[1].get("port")) for rule in policy.findall("rule")]
    assert rules == [
        ("ipv4", "192.0.2.0/24", "2379-2380"),
        ("ipv6", "2001:db8::/64", "2379-2380"),
        ("ipv4", "192.0.2.0/24", "10250"),
        ("ipv6", "2001:db8::/64", "10250"),
    ]
    assert (zone.get("target"), [source.get("address") for source in zone.findall("source")]) == ("ACCEPT", PODS)


def test_a_run_killed_before_firewalld_has_read_its_files(tmp_path: Path) -> None:
    firewalld = Firewalld(tmp_path)
    carry_out(firewalld.run, make_plan(firewalld.run, firewalld.host, PORTS, SOURCES, PODS))
    for lost in ({}, {"policy": "old", "zone": firewalld.running["zone"]}):
        firewalld.running = dict(lost)
        plan = make_plan(firewalld.run, firewalld.host, PORTS, SOURCES, PODS)
        assert (plan.empty, plan.files, plan.reload) == (False, [], True)
        carry_out(firewalld.run, plan)
        assert make_plan(firewalld.run, firewalld.host, PORTS, SOURCES, PODS).empty


@pytest.mark.parametrize(
    ("addresses", "found"),
    [
        (["192.0.2.11"], ["192.0.2.0/24"]),
        (["192.0.2.11", "2001:db8::1"], ["192.0.2.0/24", "2001:db8::/64"]),
        (["203.0.113.1"], []),
    ],
)
def test_own_networks(addresses: list[str], found: list[str]) -> None:
    links = ["192.0.2.0/24", "198.51.100.0/24", "2001:db8::/64", "192.0.2.11/32"]
    routes = [{"network": link, "interface": "eth0", "gateway": ""} for link in links]
    routes.append({"network": "203.0.113.0/24", "interface": "eth0", "gateway": "192.0.2.1"})
    assert own_networks(routes, addresses) == found
