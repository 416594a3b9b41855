# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The connection to an API server: sign-in and connection pool are the kubernetes client's, requests are plain JSON."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, Optional, Sequence, Tuple
from urllib.parse import urlencode

try:
    import urllib3
    from kubernetes.config import new_client_from_config

    HAS_KUBERNETES = True
except ImportError:
    HAS_KUBERNETES = False

from .._common.problem import Problem
from .errors import ApiError, from_answer

Query = Sequence[Tuple[str, str]]

CONNECT_TIMEOUT_S = 10.0
# A webhook may take 30 s before the server gives up on it; the answer must arrive here after that.
READ_TIMEOUT_S = 45.0
POOL_SIZE = 16
_WAY_OUT = (
    "If this host cannot reach the API server, name one that can: mlstack_api_host, for example the first control plane"
)


class ConnectError(Exception):
    """The way to the cluster is not usable; holds the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.line())
        self.problem = problem


class Client:
    """Sends requests to one API server. Safe to use from several threads."""

    def __init__(self, api_client: Any) -> None:
        self._configuration = api_client.configuration
        self._pool = api_client.rest_client.pool_manager

    def call(
        self, method: str, path: str, query: Query = (), body: Any = None, content_type: str = "application/json"
    ) -> Dict[str, Any]:
        """Send a request and return the decoded answer. Raises ApiError."""
        data = None if body is None else json.dumps(body).encode()
        answer: Dict[str, Any] = json.loads(self._send(method, path, query, data, content_type))
        return answer

    def text(self, path: str, query: Query = ()) -> str:
        """Return an answer that is plain text, such as a log. Raises ApiError."""
        return self._send("GET", path, query, None, "").decode("utf-8", errors="replace")

    def _send(self, method: str, path: str, query: Query, data: Optional[bytes], content_type: str) -> bytes:
        headers = {"Accept": "application/json, */*", "User-Agent": "trainyard.mlstack"}
        if data is not None:
            headers["Content-Type"] = content_type
        # Read anew for each request: the kubernetes client refreshes an expired token in here.
        for setting in self._configuration.auth_settings().values():
            if setting["in"] == "header":
                headers[setting["key"]] = setting["value"]
        url = self._configuration.host + path + (f"?{urlencode(query)}" if query else "")
        try:
            answer = self._pool.request(
                method,
                url,
                body=data,
                headers=headers,
                timeout=urllib3.Timeout(connect=CONNECT_TIMEOUT_S, read=READ_TIMEOUT_S),
            )
        except urllib3.exceptions.HTTPError as error:
            # Said here, since any task may be the first one that asks.
            reason = f"no answer from {self._configuration.host}: {_innermost(error)}. {_WAY_OUT}"
            raise ApiError(0, "Unreachable", reason) from error
        if answer.status >= 400:
            raise from_answer(answer.status, answer.data)
        return bytes(answer.data)


def kubeconfig_path(kubeconfig: Optional[str]) -> str:
    """Return the path of the kubeconfig that is used when the option says this."""
    return os.path.expanduser(kubeconfig or os.environ.get("KUBECONFIG") or "~/.kube/config")


def connect(kubeconfig: Optional[str], context: Optional[str]) -> Client:
    """Return a client for a kubeconfig file and one of its contexts.

    kubeconfig: path; empty means the one that KUBECONFIG names, else ~/.kube/config. context: empty means the
    file's current one. Raises ConnectError.
    """
    path = kubeconfig_path(kubeconfig)
    try:
        load: Callable[..., Any] = new_client_from_config
        api_client = load(config_file=path, context=context or None, persist_config=False)
    except Exception as error:  # a broken file raises whatever the YAML parser or the client trips over
        way_out = "Give its path on the host that runs this task, or name an existing context"
        raise ConnectError(Problem("kubeconfig", path, f"must be a usable kubeconfig ({error})", way_out)) from error
    api_client.rest_client.pool_manager.connection_pool_kw["maxsize"] = POOL_SIZE
    return Client(api_client)


def _innermost(error: BaseException) -> str:
    """Return the cause at the bottom of urllib3's chain, without object addresses."""
    reason = getattr(error, "reason", None)
    while isinstance(reason, BaseException):
        error, reason = reason, getattr(reason, "reason", None)
    return str(error).rsplit(">: ", maxsplit=1)[-1].rsplit("): ", maxsplit=1)[-1]
