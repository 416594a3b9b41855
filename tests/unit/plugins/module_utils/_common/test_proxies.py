# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node's own downloads take the proxies that containerd and kubelet take, and leave out the same hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.proxies import bypassed, read_proxies

NO_PROXY = "127.0.0.1,localhost,.svc,.cluster.local,10.244.0.0/16,fd00:10::/64,192.0.2.7,example.org"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("api.default.svc", True),
        ("svc", True),
        ("notsvc", False),
        ("example.org", True),
        ("files.EXAMPLE.org", True),
        ("badexample.org", False),
        ("10.244.3.4", True),
        ("10.245.3.4", False),
        ("192.0.2.7", True),
        ("192.0.2.70", False),
        ("fd00:10::5", True),
        ("fd00:11::5", False),
        ("files.example.com", False),
    ],
)
def test_hosts_that_are_reached_without_a_proxy(host: str, expected: bool) -> None:
    assert bypassed(host, NO_PROXY) is expected


def test_an_asterisk_is_every_host_and_nothing_is_none() -> None:
    assert bypassed("files.example.com", " * ")
    assert not bypassed("files.example.com", "")
    assert not bypassed("files.example.com", ",, ")


def test_the_file_of_role_node_is_read(tmp_path: Path) -> None:
    path = tmp_path / "proxy.env"
    path.write_text('# Written by us\nHTTP_PROXY="http://u:pa$$=\\"x@proxy:3128"\nNO_PROXY=localhost\n\n')
    assert read_proxies(str(path)) == {"HTTP_PROXY": 'http://u:pa$$="x@proxy:3128', "NO_PROXY": "localhost"}


def test_without_the_file_there_is_no_proxy(tmp_path: Path) -> None:
    assert read_proxies(str(tmp_path / "none")) == {}
