# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host finds at mlstack_bundle_url."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._host.served_bundle import proxy_settings, served_bundle
from tests.support.fake_upstream import Upstream, certificate, running, serving

INDEX = b'{"release": "2026.11", "architecture": "amd64", "files": []}'


def test_a_bundle_tells_its_release_and_the_sum_of_its_index() -> None:
    with serving({"/b/index.json": INDEX}) as server:
        url = f"{server.address}/b/"
        found = served_bundle(url, [], {})
    wanted = {"url": url, "release": "2026.11", "architecture": "amd64", "error": ""}
    assert found == {**wanted, "sum": hashlib.sha256(INDEX).hexdigest()}


@pytest.mark.parametrize(
    ("content", "fail", "error"),
    [
        (None, [], "the server answers 404"),
        (INDEX, [503], "the server answers 503"),
        (b"<html>", [], "no index of a bundle"),
        (b"\xff\xfe", [], "no index of a bundle"),
        (b"[]", [], "no index of a bundle"),
        (b'{"release": "2026.11"}', [], "no index of a bundle"),
    ],
)
def test_what_is_no_bundle_is_an_error(content: bytes | None, fail: list[int], error: str) -> None:
    with serving({}) as server:
        if content is not None:
            server.put("/index.json", content, fail=fail)
        found = served_bundle(server.address, [], {})
    assert error in found["error"]
    assert found["sum"] == found["release"] == ""


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "files.example.org/bundle", "http://[::1", "http://a b/"])
def test_no_server_is_an_error_and_no_fault_of_ours(url: str) -> None:
    assert served_bundle(url, [], {})["error"]


def test_a_server_that_says_nothing_is_not_waited_for_long() -> None:
    with serving({}) as server:
        server.put("/index.json", INDEX, silent=True)
        assert "timed out" in served_bundle(server.address, [], {}, timeout_s=0.1)["error"]


def test_the_sites_certificate_is_trusted_and_no_other(tmp_path: Path) -> None:
    key, authority = certificate(tmp_path)
    with running(Upstream(tls=key)) as server:
        server.put("/index.json", INDEX)
        assert "certificate verify failed" in served_bundle(server.address, [], {})["error"]
        assert served_bundle(server.address, [authority.read_text()], {})["error"] == ""
        assert served_bundle(server.address, ["no certificate"], {})["error"]


def test_what_is_near_is_asked_without_the_proxy() -> None:
    with serving({"/index.json": INDEX}) as server:
        dead = proxy_settings("http://127.0.0.1:1", "", "example.org", ["192.0.2.0/24", None])
        assert dead["NO_PROXY"] == "localhost,127.0.0.1,192.0.2.0/24,example.org"
        assert served_bundle(server.address, [], dead)["error"] == ""
        assert served_bundle(server.address, [], {**dead, "NO_PROXY": "192.0.2.0/24"})["error"]
