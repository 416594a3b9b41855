# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CRD, operator and first job in one run, on a server whose parts come one after another; time is handed in.

The API tier shows the same with a real server, where a CRD is Established at once.
"""

from __future__ import annotations

from typing import Any, Sequence

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.apply import Applier
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import ObjectsFailed
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.wait import until_ready

ESTABLISHED_S, AVAILABLE_S, WEBHOOK_S = 8, 10, 20
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "tfjobs.kubeflow.org"},
    "spec": {"group": "kubeflow.org", "scope": "Namespaced", "names": {"kind": "TFJob"}, "versions": [{"name": "v1"}]},
}
OPERATOR = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "operator", "namespace": "kubeflow"}}
SILENT = 'Internal error occurred: failed calling webhook "v.tfjob": Post "https://s.svc:443/x": connect: refused'
DENIAL = 'admission webhook "v.tfjob" denied the request: spec must have a container named tensorflow'


def job(name: str) -> dict[str, Any]:
    return {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": name, "namespace": "team-a"}}


def resource(name: str, kind: str, namespaced: bool = True) -> dict[str, Any]:
    return {"name": name, "kind": kind, "namespaced": namespaced}


class Server:
    """An API server as a client sees it, in its own time. calls: requests for jobs that were no reads."""

    def __init__(self) -> None:
        self.now = 0.0
        self.objects: dict[str, dict[str, Any]] = {}
        self.made: dict[str, float] = {}
        self.calls: list[str] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def deadline(self, timeout: float) -> Deadline:
        return Deadline(timeout, lambda: self.now, self.sleep)

    def call(
        self, method: str, path: str, query: Sequence[tuple[str, str]] = (), body: Any = None, _type: str = ""
    ) -> dict[str, Any]:
        lists = {
            "/apis/apiextensions.k8s.io/v1": [resource("customresourcedefinitions", "CustomResourceDefinition", False)],
            "/apis/apps/v1": [resource("deployments", "Deployment")],
            **({"/apis/kubeflow.org/v1": [resource("tfjobs", "TFJob")]} if self._established() else {}),
        }
        if path in lists:
            return {"resources": lists[path]}
        if path.startswith("/apis/kubeflow.org") and not self._established():
            raise ApiError(404, "", "404 page not found")
        if path.startswith("/api/v1") and path.endswith("/pods"):
            return {"items": []}
        if method == "GET":
            if path not in self.objects:
                raise ApiError(404, "NotFound", f'"{path}" not found')
            return self._live(path)
        return self._apply(path, dict(query), body)

    def _established(self) -> bool:
        made = self.made.get("CustomResourceDefinition")
        return made is not None and self.now >= made + ESTABLISHED_S

    def _apply(self, path: str, query: dict[str, str], body: dict[str, Any]) -> dict[str, Any]:
        kind, name = body["kind"], body["metadata"]["name"]
        if kind == "TFJob":
            self.calls.append(name)
            if self.now < WEBHOOK_S:
                raise ApiError(500, "InternalError", SILENT)
            if name == "bad":
                raise ApiError(403, "Forbidden", DENIAL)
        made = {**body, "metadata": {**body["metadata"], "resourceVersion": "1", "generation": 1}}
        if "dryRun" not in query:
            self.objects[path] = made
            self.made.setdefault(kind, self.now)
        return made

    def _live(self, path: str) -> dict[str, Any]:
        live = self.objects[path]
        said: dict[str, Any] = {"conditions": []}
        if live["kind"] == "CustomResourceDefinition":
            said = {"conditions": [{"type": "Established", "status": str(self._established())}]}
        elif live["kind"] == "Deployment" and self.now >= self.made["Deployment"] + AVAILABLE_S:
            said = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}
        elif live["kind"] == "TFJob":
            said = {"conditions": [{"type": "Succeeded", "status": "True"}]}
        return {**live, "status": said}


def silent(_text: str) -> None:
    """Nobody listens."""


def run(server: Server, *manifests: dict[str, Any], timeout: float = 300) -> list[str]:
    store, deadline = Store(server), server.deadline(timeout)
    items = store.items(list(manifests), "")
    results = [outcome.result for outcome in Applier(store, items, deadline, silent, check_mode=False).run()]
    until_ready(store, [item.ref for item in items], deadline, silent)
    return results


def test_a_good_job_comes_in_the_first_run() -> None:
    server = Server()
    assert run(server, job("good"), OPERATOR, CRD) == ["created"] * 3
    assert WEBHOOK_S <= server.now < WEBHOOK_S + 5
    assert run(server, job("good"), OPERATOR, CRD) == ["unchanged"] * 3


def test_a_bad_job_fails_on_the_first_denial() -> None:
    server = Server()
    with pytest.raises(ObjectsFailed, match="must have a container named tensorflow"):
        run(server, job("bad"), OPERATOR, CRD)
    assert WEBHOOK_S <= server.now < WEBHOOK_S + 5
    server.calls.clear()
    before = server.now
    with pytest.raises(ObjectsFailed, match="denied the request"):
        run(server, job("bad"), OPERATOR, CRD)
    assert (server.calls, server.now) == (["bad"], before)


@pytest.mark.parametrize("timeout", [5, 15])
def test_the_whole_is_bounded(timeout: float) -> None:
    server = Server()
    with pytest.raises(ObjectsFailed):
        run(server, job("good"), OPERATOR, CRD, timeout=timeout)
    assert server.now == pytest.approx(timeout, abs=1)


def test_what_somebody_deletes_while_it_is_waited_for_has_vanished() -> None:
    server = Server()
    items = Store(server).items([CRD], "")
    server.call("PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/tfjobs.kubeflow.org", (), CRD)

    def sleep(seconds: float) -> None:
        server.now += seconds
        if server.now > 3:
            server.objects.clear()

    with pytest.raises(ObjectsFailed, match="vanished: it was there"):
        until_ready(Store(server), [items[0].ref], Deadline(60, lambda: server.now, sleep), silent)
    assert server.now < 6
