# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DNS resolver of a host, and the servers that pods get."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info_resolver import resolver
from tests.support.made_up_host import host

OWN, UPSTREAM = "etc__resolv.conf", "run__systemd__resolve__resolv.conf"


@pytest.mark.parametrize(
    ("texts", "file", "servers"),
    [
        ({OWN: "nameserver 192.0.2.1\n"}, "/etc/resolv.conf", ["192.0.2.1"]),
        ({OWN: "nameserver 127.0.0.53\n"}, "/etc/resolv.conf", ["127.0.0.53"]),
        (
            {OWN: "nameserver 127.0.0.53\n", UPSTREAM: "nameserver 192.0.2.1\n"},
            "/run/systemd/resolve/resolv.conf",
            ["192.0.2.1"],
        ),
        ({OWN: "nameserver ::1\n", UPSTREAM: "nameserver 127.0.0.1\n"}, "/etc/resolv.conf", ["::1"]),
        ({OWN: "nameserver 127.0.0.53\n", UPSTREAM: "# none\n"}, "/etc/resolv.conf", ["127.0.0.53"]),
        ({OWN: "nameserver 192.0.2.1\n", UPSTREAM: "nameserver 192.0.2.2\n"}, "/etc/resolv.conf", ["192.0.2.1"]),
        ({OWN: "nameserver fe80::1%eth0 ; x\n"}, "/etc/resolv.conf", ["fe80::1%eth0"]),
        ({OWN: "#nameserver 192.0.2.1\nnameserver\n"}, "/etc/resolv.conf", []),
        ({}, "/etc/resolv.conf", []),
    ],
)
def test_whom_pods_ask(tmp_path: Path, texts: dict[str, str], file: str, servers: list[str]) -> None:
    found = resolver(host(tmp_path, **texts))
    assert (found["file"], found["pods_nameservers"]) == (file, servers)
