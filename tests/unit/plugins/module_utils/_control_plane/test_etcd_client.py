# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client of etcd's JSON gateway: what it asks, and what it makes of answers and refusals."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Callable

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.etcd_client import Etcd, EtcdError
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.etcd_members import Member
from tests.support.fake_upstream import Upstream, certificate, running


class Gateway(Upstream):
    """An etcd that answers each path with a text. posted: bodies by path."""

    def __init__(self, tls: Path) -> None:
        super().__init__(tls)
        self.posted: dict[str, object] = {}
        self._server.RequestHandlerClass.do_POST = self._answer()  # type: ignore[attr-defined]

    def _answer(self) -> Callable[[BaseHTTPRequestHandler], None]:
        """Return a plain function: a bound method would get no handler."""

        def post(handler: BaseHTTPRequestHandler) -> None:
            self._post(handler)

        return post

    def _post(self, handler: BaseHTTPRequestHandler) -> None:
        self.posted[handler.path] = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.answer(handler)


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A key with its certificate, and the authority to trust."""
    return certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def pki(tmp_path: Path, pem: tuple[Path, Path]) -> Path:
    """A folder as kubeadm lays it out."""
    (tmp_path / "etcd").mkdir()
    shutil.copy(pem[1], tmp_path / "etcd/ca.crt")
    for name in ("crt", "key"):
        shutil.copy(pem[0], tmp_path / f"apiserver-etcd-client.{name}")
    return tmp_path


@pytest.fixture
def gateway(pem: tuple[Path, Path]) -> Iterator[Gateway]:
    with running(Gateway(pem[0])) as server:
        assert isinstance(server, Gateway)
        yield server


def member(client: str, number: str = "7") -> Member:
    return Member(number, "cp-1", "https://192.0.2.1:2380", client)


def test_members_are_listed(pki: Path, gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    entry = {"ID": "7", "name": "cp-1", "peerURLs": ["https://192.0.2.1:2380"], "clientURLs": ["https://x:2379"]}
    gateway.put("/v3/cluster/member/list", json.dumps({"members": [entry]}).encode())
    assert Etcd(str(pki), gateway.address).members() == [member("https://x:2379")]
    assert gateway.posted == {"/v3/cluster/member/list": {}}


def test_a_member_is_removed_by_its_number(pki: Path, gateway: Gateway) -> None:
    gateway.put("/v3/cluster/member/remove", b"{}")
    Etcd(str(pki), gateway.address).remove(member(""))
    assert gateway.posted == {"/v3/cluster/member/remove": {"ID": "7"}}


def test_a_refusal_is_told_in_etcds_words(pki: Path, gateway: Gateway) -> None:
    gateway.put("/v3/cluster/member/remove", fail=[412])
    with pytest.raises(EtcdError, match=rf"^{gateway.address}/v3/cluster/member/remove: trouble$"):
        Etcd(str(pki), gateway.address).remove(member(""))


def test_an_answer_that_is_none_is_an_error(pki: Path, gateway: Gateway) -> None:
    gateway.put("/v3/cluster/member/list", b"<html>")
    with pytest.raises(EtcdError, match="member/list: "):
        Etcd(str(pki), gateway.address).members()


def test_nobody_listens_there(pki: Path) -> None:
    with pytest.raises(EtcdError, match=r"127\.0\.0\.1:1/v3"):
        Etcd(str(pki), "https://127.0.0.1:1").members()


@pytest.mark.parametrize(
    ("answer", "healthy"), [(b'{"health": "true"}', True), (b'{"health": "false"}', False), (b"{}", False)]
)
def test_a_member_answers_when_it_says_that_it_is_healthy(
    pki: Path, gateway: Gateway, answer: bytes, healthy: bool
) -> None:
    gateway.put("/health", answer)
    etcd = Etcd(str(pki), gateway.address)
    others = [member("", "8"), member("https://127.0.0.1:1", "9")]
    assert etcd.answering([*others, member(gateway.address)]) == (["7"] if healthy else [])


def test_an_etcd_of_another_authority_is_not_trusted(pki: Path, gateway: Gateway, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(certificate(other)[1], pki / "etcd/ca.crt")
    with pytest.raises(EtcdError, match="CERTIFICATE_VERIFY_FAILED"):
        Etcd(str(pki), gateway.address).members()


def test_an_etcd_without_certificates_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Etcd(str(tmp_path))
