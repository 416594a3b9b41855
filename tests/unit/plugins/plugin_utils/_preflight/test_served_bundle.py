# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.served_bundle import checks

URL = "http://files.example.org/b"
GOOD = {"url": URL, "release": "2026.11", "architecture": "amd64", "sum": "aa", "error": ""}
OPTIONS = {"bundle_dir": "/srv/b", "bundle_release": "2026.11", "bundle_sum": "aa"}
DEAD = {**GOOD, "release": "", "sum": "", "error": "Connection refused"}
OTHER = {**GOOD, "release": "2026.08", "sum": "bb"}
STALE = {**GOOD, "sum": "cc"}


def found(hosts: dict[str, Any], **options: str) -> list[tuple[str, str]]:
    facts = {"hosts": {host: {"served_bundle": served} for host, served in hosts.items()}}
    problems = checks(facts, {**OPTIONS, **options})
    assert {(problem.field, problem.value) for problem in problems} <= {("mlstack_bundle_url", URL)}
    return [(problem.host, f"{problem.rule}. {problem.way_out}") for problem in problems]


@pytest.mark.parametrize("hosts", [{}, {"a": None}, {"a": GOOD, "b": None}])
def test_nothing_is_wrong(hosts: dict[str, Any]) -> None:
    assert found(hosts) == []


@pytest.mark.parametrize(
    ("served", "words"),
    [
        (DEAD, ("(Connection refused)", "the way to it")),
        (OTHER, ("must serve release 2026.11, and serves 2026.08", "Copy /srv/b to the server")),
        (STALE, ("its index.json differs", "Copy /srv/b to the server again")),
    ],
)
def test_a_wrong_server_is_told_once(served: dict[str, str], words: tuple[str, ...]) -> None:
    for hosts, named in (({"a": served}, "a"), ({"a": served, "b": served}, ""), ({"a": served, "b": GOOD}, "a")):
        ((host, text),) = found(hosts)
        assert host == named
        assert all(word in text for word in words)


def test_hosts_that_see_different_things() -> None:
    problems = found({"a": DEAD, "b": STALE, "c": DEAD, "d": GOOD})
    assert [host for host, _text in problems] == ["a, c", "b"]


def test_without_a_bundle_on_the_controller_only_the_way_is_judged() -> None:
    assert found({"a": OTHER, "b": STALE}, bundle_sum="", bundle_release="") == []
    assert len(found({"a": DEAD}, bundle_sum="", bundle_release="")) == 1


def test_facts_of_another_version_of_the_collection() -> None:
    assert checks({"hosts": {"a": {}}}, OPTIONS) == []
