# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages: what dpkg says, what follows from it, and in which order it is done."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Sequence

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import CommandError
from ansible_collections.trainyard.mlstack.plugins.module_utils._host import packages

ANSWER = """socat install ok installed 1.7.4.4-2
conntrack hold ok installed 1:1.4.7
ethtool install ok half-configured 1:6.1
iptables install reinstreq half-installed 1.8.9
nftables unknown ok not-installed"""


class Dpkg:
    """Plays apt and dpkg: notes what is run, fails the runs that are named."""

    def __init__(self, query: str = ANSWER, audit: str = "", fail: Sequence[str] = ()) -> None:
        self.query, self.audit, self.fail = query, audit, list(fail)
        self.runs: list[str] = []

    def __call__(self, argv: Sequence[str]) -> tuple[int, str, str]:
        if argv[0] == "dpkg-query":
            return 1, self.query, "no packages found matching x"
        if list(argv) == ["dpkg", "--audit"]:
            return 0, self.audit, ""
        words = [word for word in argv if not word.startswith(("-o", "Dpkg::", "--yes", "--no-install", "--force"))]
        self.runs.append(" ".join(words))
        if self.fail and self.fail[0] in self.runs[-1]:
            return 100, "", "E: failed " + self.fail.pop(0)
        return 0, "", ""


def test_query_reads_dpkgs_own_words() -> None:
    found = packages.query(Dpkg(), ["socat", "x"])
    assert {name: package.installed for name, package in found.items()} == {
        "socat": True,
        "conntrack": True,
        "ethtool": False,
        "iptables": False,
        "nftables": False,
    }
    assert [name for name, package in found.items() if package.held] == ["conntrack"]


@pytest.mark.parametrize(
    ("wanted", "held", "install", "hold"),
    [
        (["socat", "conntrack"], ["conntrack"], [], []),
        (["socat", "ethtool", "iptables", "nftables", "x"], [], ["ethtool", "iptables", "nftables", "x"], []),
        (["x"], ["x", "socat", "not-there", "ethtool"], ["x"], ["x", "socat"]),
    ],
)
def test_plan(wanted: list[str], held: list[str], install: list[str], hold: list[str]) -> None:
    found = packages.query(Dpkg(), wanted + held)
    plan = packages.make_plan(found, wanted, held, repair=False)
    assert (plan.install, plan.hold, plan.empty) == (install, hold, not install and not hold)


def test_diff_names_each_package() -> None:
    found = packages.query(Dpkg(), [])
    plan = packages.Plan(["ethtool", "x"], ["socat"], True)
    assert packages.Plan([], [], False).diff(found) == {"before": "", "after": ""}
    shown = plan.diff(packages.query(Dpkg(), ["ethtool"]))
    before = ["ethtool half-configured", "x absent", "socat not held", "dpkg was interrupted"]
    assert shown["before"].splitlines() == before
    assert shown["after"].splitlines()[:3] == ["ethtool installed", "x installed", "socat held"]


@pytest.mark.parametrize(
    ("journal", "audit", "result"),
    [([], "", False), (["0003"], "", True), (["tmp.i"], "", False), ([], "half-installed: x", True)],
)
def test_interrupted(tmp_path: Path, journal: list[str], audit: str, result: bool) -> None:
    for name in journal:
        (tmp_path / name).touch()
    assert packages.interrupted(Dpkg(audit=audit), str(tmp_path)) is result


def carry_out(
    monkeypatch: pytest.MonkeyPatch, dpkg: Dpkg, plan: packages.Plan, age: float, removal: bool = False
) -> None:
    """Carry the plan out on lists of that age; they may be one hour old."""
    monkeypatch.setattr(packages, "lists_age", lambda now: age)
    monkeypatch.setattr(packages, "LISTS", os.devnull)
    monkeypatch.setattr(os, "utime", lambda path: None)
    packages.carry_out(dpkg, plan, 3600, 0, removal)


@pytest.mark.parametrize(
    ("age", "fail", "runs"),
    [
        (7200, [], ["apt-get update", "apt-get install --no-remove x y"]),
        (60, [], ["apt-get install --no-remove x y"]),
        (60, ["install"], ["apt-get install --no-remove x y", "apt-get update", "apt-get install --no-remove x y"]),
    ],
)
def test_lists_are_fetched_only_when_needed(
    monkeypatch: pytest.MonkeyPatch, age: float, fail: list[str], runs: list[str]
) -> None:
    dpkg = Dpkg(fail=fail)
    carry_out(monkeypatch, dpkg, packages.Plan(["x", "y"], [], False), age)
    assert dpkg.runs == runs


def test_repair_comes_first_and_hold_last(monkeypatch: pytest.MonkeyPatch) -> None:
    dpkg = Dpkg()
    carry_out(monkeypatch, dpkg, packages.Plan(["x"], ["socat"], True), 60, removal=True)
    assert dpkg.runs == ["dpkg --configure -a", "apt-get install x", "apt-mark hold socat"]


def test_a_failure_on_new_lists_is_final(monkeypatch: pytest.MonkeyPatch) -> None:
    dpkg = Dpkg(fail=["install"])
    with pytest.raises(CommandError, match="E: failed install"):
        carry_out(monkeypatch, dpkg, packages.Plan(["x"], ["socat"], False), 7200)
    assert dpkg.runs == ["apt-get update", "apt-get install --no-remove x"]


def test_age_of_lists(tmp_path: Path) -> None:
    lists, stamp = tmp_path / "lists", tmp_path / "stamp"
    assert packages.lists_age(1000, str(lists), str(stamp)) == float("inf")
    lists.mkdir()
    (lists / "lock").touch()
    assert packages.lists_age(1000, str(lists), str(stamp)) == float("inf")
    (lists / "deb_Packages").touch()
    os.utime(lists, (400, 400))
    assert packages.lists_age(1000, str(lists), str(stamp)) == 600
    stamp.touch()
    os.utime(stamp, (900, 900))
    assert packages.lists_age(1000, str(lists), str(stamp)) == 100


def test_a_repository_of_ones_own_is_the_only_source(monkeypatch: pytest.MonkeyPatch) -> None:
    dpkg = Dpkg()
    packages.carry_out(dpkg, packages.Plan(["x"], [], False), 60, 1, False, ["--of-the-bundle"])
    assert dpkg.runs == ["apt-get install --of-the-bundle --no-remove x"]
