# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._containerd_config import config_version, hosts_files


@pytest.mark.parametrize(
    ("version", "expected"), [("2.0.0", 3), ("2.2.9", 3), ("2.3.0", 4), ("2.4.2", 4), ("v2.10.1", 4), ("3.0.0", 4)]
)
def test_config_version(version: str, expected: int) -> None:
    assert config_version(version) == expected


@pytest.mark.parametrize("version", ["1.7.20", "latest", "", "2"])
def test_other_versions_are_refused(version: str) -> None:
    with pytest.raises(ValueError, match="containerd"):
        config_version(version)


def test_a_plain_http_registry_is_keyed_by_host_and_port() -> None:
    files = hosts_files([{"host": "registry.example.test:5000", "server": "http://registry.example.test:5000"}], "/c")
    assert files == [
        {
            "path": "/c/registry.example.test:5000/hosts.toml",
            "mode": "0644",
            "content": 'server = "http://registry.example.test:5000"\n\n'
            '[host."http://registry.example.test:5000"]\n  capabilities = ["pull", "resolve"]\n',
        }
    ]


def test_mirrors_come_before_the_server_which_is_https_by_default() -> None:
    content = hosts_files([{"host": "docker.io", "mirrors": ["https://mirror.example.org"]}], "/c")[0]["content"]
    assert content.index("mirror.example.org") < content.index('[host."https://docker.io"]')
    assert content.startswith('server = "https://docker.io"')


@pytest.mark.parametrize(
    ("registry", "named"),
    [
        ({"host": "https://registry.example.org"}, "host"),
        ({}, "host"),
        ({"host": "a:5000", "server": "a:5000"}, "server"),
        ({"host": "a:5000", "mirrors": ["ftp://b"]}, "mirrors[0]"),
        ({"host": "a:5000", "insecure": True}, "insecure"),
    ],
)
def test_a_bad_entry_is_named(registry: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match="mlstack_registries") as error:
        hosts_files([{"host": "good"}, registry], "/c")
    assert f"mlstack_registries[1].{named} = " in str(error.value)


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(ValueError, match="mlstack_registries") as error:
        hosts_files([{"host": ""}, {"host": "a", "server": "x", "user": "y"}], "/c")
    assert str(error.value).count("mlstack_registries[") == 3
