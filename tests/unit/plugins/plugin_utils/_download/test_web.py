# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests go through the site's proxies, trust its certificates, follow redirects, and show no secret."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Http, HttpError, Network, shown
from tests.support.fake_upstream import Upstream, running


@pytest.fixture
def plain() -> Iterator[Upstream]:
    with running(Upstream()) as server:
        yield server


@pytest.fixture
def safe(pem: tuple[Path, Path]) -> Iterator[Upstream]:
    with running(Upstream(pem[0])) as server:
        yield server


class Signs:
    """Signs each request with a header."""

    def headers(self) -> dict[str, str]:
        return {"Authorization": "Bearer secret"}

    def challenged(self, _challenge: str, _refused: object) -> bool:
        return False


def read(network: Network, address: str, **more: Any) -> bytes:
    answer = Http(network).get(address, **more)
    try:
        return answer.read()
    finally:
        answer.close()


def test_the_sites_authority_is_trusted_and_no_other(safe: Upstream, pem: tuple[Path, Path]) -> None:
    address = safe.put("/f", b"x")
    assert read(Network(ca_certificates=(str(pem[1]),)), address) == b"x"
    with pytest.raises(HttpError, match="certificate verify failed") as refused:
        read(Network(), address)
    assert refused.value.permanent


def test_redirects_are_followed(plain: Upstream) -> None:
    plain.put("/target", b"x")
    plain.put("/second", redirect="/target")
    assert read(Network(), plain.put("/first", redirect=f"{plain.address}/second")) == b"x"


def test_a_redirect_never_leaves_https(plain: Upstream, safe: Upstream, pem: tuple[Path, Path]) -> None:
    target = plain.put("/f", b"evil")
    address = safe.put("/f", redirect=target)
    with pytest.raises(HttpError, match=rf"{address}: redirects to {target}, which is not https") as refused:
        read(Network(ca_certificates=(str(pem[1]),)), address)
    assert refused.value.permanent
    assert plain.asked == []


def test_a_circle_of_redirects_ends(plain: Upstream) -> None:
    with pytest.raises(HttpError, match="more than 10 redirects"):
        read(Network(), plain.put("/f", redirect="/f"))


def test_what_signs_a_request_does_not_follow_it_to_another_host(plain: Upstream) -> None:
    with running(Upstream()) as other:
        address = plain.put("/f", redirect=other.put("/f", b"x"))
        assert read(Network(), address, auth=Signs()) == b"x"
        assert plain.asked[0].headers["authorization"] == "Bearer secret"
        assert "authorization" not in other.asked[0].headers


def test_user_and_password_in_an_address_are_sent_and_not_shown(plain: Upstream) -> None:
    plain.put("/f", b"x")
    address = plain.address.replace("//", "//someone:se%40cret@")
    read(Network(), f"{address}/f")
    assert plain.asked[0].headers["authorization"] == "Basic " + base64.b64encode(b"someone:se@cret").decode()
    with pytest.raises(HttpError) as refused:
        read(Network(), f"{address}/gone?signature=abc")
    assert str(refused.value).startswith(f"{plain.address}/gone: status 404")
    assert shown(f"{address}/gone?signature=abc") == f"{plain.address}/gone"


@pytest.mark.parametrize("user", ["", "someone:secret@"])
def test_a_proxy_is_asked(plain: Upstream, user: str) -> None:
    plain.put("http://dl.example.org/f", b"x")
    proxy = plain.address.replace("//", f"//{user}")
    assert read(Network(http_proxy=proxy), "http://dl.example.org/f") == b"x"
    assert plain.asked[0].headers["host"] == "dl.example.org"
    assert ("proxy-authorization" in plain.asked[0].headers) == bool(user)


@pytest.mark.parametrize("user", ["", "someone:secret@"])
def test_https_goes_through_a_proxy_that_sees_only_the_host(
    plain: Upstream, safe: Upstream, pem: tuple[Path, Path], user: str
) -> None:
    address = safe.put("/f", b"x")
    proxy = plain.address.replace("//", f"//{user}")
    assert read(Network(https_proxy=proxy, ca_certificates=(str(pem[1]),)), address) == b"x"
    [asked] = plain.asked
    assert asked.path == safe.address.removeprefix("https://")
    assert ("proxy-authorization" in asked.headers) == bool(user)
    assert "proxy-authorization" not in safe.asked[0].headers


def test_a_proxy_that_refuses_is_an_error_that_shows_no_password(plain: Upstream) -> None:
    proxy = plain.address.replace("//", "//someone:secret@")
    with pytest.raises(HttpError, match=r"https://dl\.example\.org/f: ") as refused:
        read(Network(https_proxy=proxy), "https://dl.example.org/f")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("no_proxy", "host", "direct"),
    [
        ("", "dl.example.org", False),
        ("example.org", "dl.example.org", True),
        (".example.org", "dl.example.org", True),
        ("*.example.org", "dl.example.org", True),
        ("ample.org", "dl.example.org", False),
        ("dl.example.org:443", "dl.example.org:443", True),
        ("dl.example.org:443", "dl.example.org:8443", False),
        ("one, dl.example.org", "dl.example.org", True),
        ("*", "dl.example.org", True),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("10.1.2.3", "10.1.2.3:5000", True),
        ("fd00::/8", "[fd00::1]:5000", True),
        ("10.0.0.0/8", "dl.example.org", False),
    ],
)
def test_some_hosts_are_reached_directly(no_proxy: str, host: str, direct: bool) -> None:
    network = Network(https_proxy="http://proxy:3128", no_proxy=no_proxy)
    assert network.proxy_for(f"https://{host}/f") == ("" if direct else "http://proxy:3128")


def test_what_is_not_given_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://environment:3128")
    monkeypatch.setenv("no_proxy", "near.example.org")
    assert Network().proxy_for("https://far.example.org/") == "http://environment:3128"
    assert Network().proxy_for("https://near.example.org/") == ""
    assert Network(https_proxy="http://given:1").proxy_for("https://far.example.org/") == "http://given:1"


def test_a_proxy_without_a_scheme_is_an_ordinary_one_and_another_kind_is_refused(plain: Upstream) -> None:
    plain.put("http://dl.example.org/f", b"x")
    assert read(Network(http_proxy=plain.address.removeprefix("http://")), "http://dl.example.org/f") == b"x"
    with pytest.raises(HttpError, match=r"proxy socks5://proxy:1080: must begin with http://") as refused:
        read(Network(http_proxy="socks5://someone:secret@proxy:1080"), "http://dl.example.org/f")
    assert refused.value.permanent


@pytest.mark.parametrize("address", ["ftp://example.org/f", "example.org/f", "https:///f"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(HttpError, match="begins with https://"):
        read(Network(), address)
