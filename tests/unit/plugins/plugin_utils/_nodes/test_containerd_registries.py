# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each registry has one folder with what containerd needs for it, and nothing else is touched."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.containerd_registries import hosts_files

CA = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----"


def only(registry: dict[str, Any]) -> dict[str, Any]:
    [file] = hosts_files([registry], "/c")
    return file


@pytest.mark.parametrize("host", ["registry.example.test:5000", "[fd00:20::5]:5000", "[fd00:20::5]", "192.0.2.7:5000"])
def test_a_plain_http_registry_is_keyed_by_host_and_port(host: str) -> None:
    assert only({"host": host, "server": f"http://{host}"}) == {
        "path": f"/c/{host}/hosts.toml",
        "mode": "0644",
        "content": f'server = "http://{host}"\n\n'
        f'[host."http://{host}"]\n  capabilities = ["pull", "resolve"]\n',
    }


def test_mirrors_come_before_the_server_which_is_https_by_default() -> None:
    content = only({"host": "ghcr.io", "mirrors": ["https://a.example.org", {"url": "http://b.example.org"}]})["content"]
    places = [content.index(f'[host."{url}"]') for url in ("https://a.example.org", "http://b.example.org", "https://ghcr.io")]
    assert places == sorted(places)
    assert content.startswith('server = "https://ghcr.io"')


def test_docker_hub_has_another_server_than_its_name() -> None:
    content = only({"host": "docker.io", "mirrors": ["https://mirror.example.org"]})["content"]
    assert content.startswith('server = "https://registry-1.docker.io"')


def test_all_other_registries_keep_their_own_servers_behind_a_default_mirror() -> None:
    file = only({"host": "_default", "mirrors": ["https://mirror.example.org"]})
    assert file["path"] == "/c/_default/hosts.toml"
    assert "server" not in file["content"]
    assert file["content"].startswith('[host."https://mirror.example.org"]')


def test_a_path_of_the_api_is_taken_as_it_is() -> None:
    content = only({"host": "docker.io", "mirrors": ["https://m.example.org/v2/hub", "https://n.example.org/hub"]})["content"]
    assert content.count("override_path") == 1
    assert content.index("override_path") < content.index("n.example.org")


def test_verification_is_left_out_only_where_it_is_asked_for() -> None:
    mirrors = ["https://m.example.org", {"url": "https://n.example.org", "skip_verify": True}]
    content = only({"host": "a:5000", "mirrors": mirrors})["content"]
    assert content.count("skip_verify = true") == 1
    assert content.index("n.example.org") < content.index("skip_verify") < content.index("https://a:5000", 40)


def test_certificates_lie_beside_and_are_named_in_the_file() -> None:
    files = hosts_files([{"host": "a:5000", "ca": CA, "mirrors": [{"url": "https://m", "ca": CA}, "https://n"]}], "/c")
    assert [file["path"] for file in files] == [
        "/c/a:5000/hosts.toml", "/c/a:5000/mlstack-ca-0.crt", "/c/a:5000/mlstack-ca-2.crt"
    ]
    assert files[1]["content"] == CA + "\n"
    content = files[0]["content"]
    assert content.index("https://m") < content.index("mlstack-ca-0.crt") < content.index("https://n")
    assert content.index('[host."https://a:5000"]') < content.index("mlstack-ca-2.crt")


def test_a_password_makes_the_file_a_secret() -> None:
    file = only({"host": "a:5000", "username": "u", "password": 'p"w'})
    assert (file["mode"], file["secret"]) == ("0600", True)
    pair = base64.b64encode(b'u:p"w').decode()
    assert f'[host."https://a:5000".header]\n    Authorization = {json.dumps("Basic " + pair)}' in file["content"]
    assert 'p"w' not in file["content"]


@pytest.mark.parametrize(
    ("registry", "named"),
    [
        ({"host": "https://registry.example.org"}, "host"),
        ({"host": "registry.example.org/team"}, "host"),
        ({"host": "fd00:20::5"}, "host"),
        ({}, "host"),
        ({"host": "_default"}, "mirrors"),
        ({"host": "a:5000", "server": "a:5000"}, "server"),
        ({"host": "a:5000", "server": "https://u:secret@a:5000"}, "server"),
        ({"host": "a:5000", "mirrors": ["ftp://b"]}, "mirrors[0].url"),
        ({"host": "a:5000", "mirrors": [{"server": "http://b"}]}, "mirrors[0].url"),
        ({"host": "a:5000", "insecure": True}, "insecure"),
        ({"host": "a:5000", "passwort": "secret"}, "passwort"),
        ({"host": "a:5000", "skip_verify": "yes"}, "skip_verify"),
        ({"host": "a:5000", "password": "secret"}, "username"),
        ({"host": "a:5000", "ca": "/etc/ca.pem"}, "ca"),
    ],
)
def test_a_bad_entry_is_named_and_no_secret_is(registry: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match="mlstack_registries") as error:
        hosts_files([{"host": "good"}, registry], "/c")
    assert f"mlstack_registries[1].{named} = " in str(error.value)
    assert "secret" not in str(error.value)


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(ValueError, match="mlstack_registries") as error:
        hosts_files([{"host": ""}, {"host": "a", "server": "x", "user": "y"}, {"host": "a"}], "/c")
    assert str(error.value).count("mlstack_registries[") == 3
    assert "host a stands there more than once" in str(error.value)
