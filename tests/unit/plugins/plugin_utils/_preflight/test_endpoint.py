# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API's address: host and port, and a name that every node knows."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.endpoint import checks, split


@pytest.mark.parametrize(
    ("endpoint", "word"),
    [
        ("", ""),
        ("api.example.org:6443", ""),
        ("192.0.2.9:443", ""),
        ("[2001:db8::10]:6443", ""),
        ("api.example.org", "must be host:port"),
        ("https://api.example.org:6443", "without https://"),
        ("2001:db8::10:6443", "in brackets"),
        ("api:0", "port from 1"),
        ("api:70000", "port from 1"),
        ("api:https", "port"),
        (":6443", "host:port"),
        ("127.0.0.1:6443", "loopback"),
        ("[::1]:6443", "loopback"),
        ("localhost:6443", "loopback"),
    ],
)
def test_form(endpoint: str, word: str) -> None:
    problems = checks({"hosts": {}}, {"api_endpoint": endpoint})
    assert [problem.field for problem in problems] == ["mlstack_api_endpoint"] * bool(word)
    assert all(word in problem.rule and problem.value == endpoint for problem in problems)


def test_a_name_that_a_host_does_not_know() -> None:
    hosts = {
        "a": {"resolved": {"api": []}},
        "b": {"resolved": {"api": ["192.0.2.9"]}},
        "c": {"resolved": None},
        "d": {},
    }
    problems = checks({"hosts": hosts}, {"api_endpoint": "api:6443"})
    assert [(problem.host, problem.value) for problem in problems] == [("a", "api:6443")]
    assert "cannot resolve api" in problems[0].rule
    assert "/etc/hosts" in problems[0].way_out


def test_split() -> None:
    assert split("[2001:db8::10]:6443") == ("2001:db8::10", 6443)
    assert split("api:1") == ("api", 1)
