# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the DNS resolver that pods get."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import resolver as checks_resolver
from tests.unit.plugins.plugin_utils._preflight.good_facts import GOOD_NODE, lines


class TestResolver:
    """Names outside the cluster."""

    @pytest.mark.parametrize(
        ("servers", "word"),
        [
            (["192.0.2.1", "2001:db8::53"], ""),
            (["127.0.0.53"], "ask itself without end"),
            (["192.0.2.1", "127.0.0.1"], "ask itself without end"),
            (["::1"], "ask itself without end"),
            ([], "does not start without a server"),
        ],
    )
    def test_nameservers(self, servers: list[str], word: str) -> None:
        node = {**GOOD_NODE, "resolver": {"file": "/etc/resolv.conf", "pods_nameservers": servers}}
        problems = checks_resolver.checks(node, {"kubelet_settings": {}, "resolv_conf": ""})
        assert [problem.field for problem in problems] == ["nameserver in /etc/resolv.conf"] * bool(word)
        assert word in lines(problems)
        assert checks_resolver.checks(node, {"kubelet_settings": {"resolvConf": "/x"}, "resolv_conf": ""}) == []
        assert checks_resolver.checks(node, {"kubelet_settings": {}, "resolv_conf": "/x"}) == []
