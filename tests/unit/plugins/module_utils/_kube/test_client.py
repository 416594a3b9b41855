# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import urllib3
import yaml

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.client import (
    Client,
    ConnectError,
    connect,
    kubeconfig_path,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError


class Pool:
    """Plays urllib3's pool. sent: the requests."""

    def __init__(self, answer: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        self._answer = answer

    def request(self, method: str, url: str, **more: Any) -> Any:
        self.sent.append({"method": method, "url": url, **more})
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def client(pool: Pool, token: str = "t") -> Client:
    settings = {"BearerToken": {"in": "header", "key": "authorization", "value": f"Bearer {token}"}}
    configuration = SimpleNamespace(host="https://api:6443", auth_settings=lambda: settings)
    return Client(SimpleNamespace(configuration=configuration, rest_client=SimpleNamespace(pool_manager=pool)))


def test_a_request() -> None:
    pool = Pool(SimpleNamespace(status=200, data=b'{"kind": "Pod"}'))
    assert client(pool).call("PATCH", "/api/v1/x", [("dryRun", "All")], {"a": 1}, "application/apply-patch+yaml") == {
        "kind": "Pod"
    }
    sent = pool.sent[0]
    assert (sent["method"], sent["url"], sent["body"]) == ("PATCH", "https://api:6443/api/v1/x?dryRun=All", b'{"a": 1}')
    assert sent["headers"]["Content-Type"] == "application/apply-patch+yaml"
    assert sent["headers"]["authorization"] == "Bearer t"


def test_a_refusal() -> None:
    pool = Pool(SimpleNamespace(status=403, data=b'{"message": "no", "reason": "Forbidden"}'))
    with pytest.raises(ApiError) as caught:
        client(pool).call("GET", "/x")
    assert (caught.value.status, caught.value.message) == (403, "no")


def test_no_answer() -> None:
    inner = urllib3.exceptions.NewConnectionError(None, "Failed to establish a new connection: refused")  # type: ignore[arg-type]
    pool = Pool(urllib3.exceptions.MaxRetryError(None, "/x", inner))  # type: ignore[arg-type]
    with pytest.raises(ApiError) as caught:
        client(pool).call("GET", "/x")
    assert caught.value.passing
    assert "no answer from https://api:6443: " in caught.value.message
    assert "name one that can: mlstack_api_host" in caught.value.message
    assert "object at" not in caught.value.message


def test_kubeconfig_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    assert kubeconfig_path(None) == f"{tmp_path}/.kube/config"
    monkeypatch.setenv("KUBECONFIG", "/theirs")
    assert kubeconfig_path(None) == "/theirs"
    assert kubeconfig_path("~/mine") == f"{tmp_path}/mine"


@pytest.mark.parametrize("content", [None, "", "[]", "nonsense: [", "apiVersion: v1"])
def test_an_unusable_kubeconfig_is_a_problem(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "kubeconfig"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ConnectError) as caught:
        connect(str(path), None)
    assert caught.value.problem.value == str(path)


def test_an_unknown_context(tmp_path: Path) -> None:
    cluster = {"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}
    context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
    config = {
        "clusters": [cluster],
        "contexts": [context],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "current-context": "c",
    }
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    connect(str(path), "c")
    with pytest.raises(ConnectError, match="other"):
        connect(str(path), "other")
