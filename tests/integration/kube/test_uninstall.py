# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""uninstall where Kubernetes' own controllers end namespaces; with a whole scheduler: test_gang_scheduler.py."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster import uninstall
from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import crd, namespace_object, widget

GROUP = "uninstall.example.test"
SPACE = "uninstalled"
HOOK = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingWebhookConfiguration",
    "metadata": {"name": GROUP},
    "webhooks": [
        {
            "name": "widgets.example.test",
            # Nobody is there: as long as it stands, no widget can be deleted.
            "clientConfig": {"service": {"name": "nobody", "namespace": SPACE}},
            "rules": [
                {"apiGroups": [GROUP], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["widgets"]}
            ],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
    ],
}
WIDGETS = f"/apis/{GROUP}/v1/namespaces/{SPACE}/widgets"


@pytest.fixture
def installed(cluster: ApiServer, run_on_cluster: Run) -> list[dict[str, Any]]:
    """Install something with a kind of its own, of which there is an object that waits for a controller."""
    objects = [namespace_object(SPACE), crd(GROUP), HOOK]
    assert run_on_cluster("objects", objects=objects, wait=False)["changed"]
    kept = widget(GROUP, "kept", SPACE)
    kept["metadata"]["finalizers"] = ["example.test/nobody"]
    cluster.create(kept, WIDGETS)
    return objects


def test_nothing_holds_up_the_rest(
    cluster: ApiServer, run_on_cluster: Run, installed: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{uninstall.__name__}._GRACE_S", 0.5)
    with cluster.quiet():
        planned = run_on_cluster("uninstall", objects=installed, check=True)
    done = run_on_cluster("uninstall", objects=installed, timeout=60)
    order = [(entry["kind"], entry["result"]) for entry in done["objects"]]
    assert order[0] == ("ValidatingWebhookConfiguration", "deleted")
    assert order[1] == ("Widget", "deleted")
    assert [(entry["kind"], entry["result"]) for entry in planned["objects"]] == order
    for path in ("/api/v1/namespaces", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"):
        left = {item["metadata"]["name"] for item in cluster.client.call("GET", path)["items"]}
        assert not {SPACE, f"widgets.{GROUP}"} & left
    with cluster.quiet():
        again = run_on_cluster("uninstall", objects=installed)
    assert (again["changed"], {entry["result"] for entry in again["objects"]}) == (False, {"absent"})


def test_a_run_that_was_broken_off_is_ended_by_the_next(
    cluster: ApiServer, run_on_cluster: Run, installed: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{uninstall.__name__}._GRACE_S", 0.5)
    with monkeypatch.context() as broken:
        broken.setattr(f"{uninstall.__name__}.Uninstall._let_go", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run_on_cluster("uninstall", objects=installed)
    # What its own kind has left is being deleted, and waits for ever.
    (left,) = cluster.client.call("GET", WIDGETS)["items"]
    assert left["metadata"]["deletionTimestamp"]
    assert run_on_cluster("uninstall", objects=installed, timeout=60)["changed"]
    assert not run_on_cluster("uninstall", objects=installed)["changed"]


def test_pods_of_its_scheduler_still_need_it(cluster: ApiServer, run_on_cluster: Run) -> None:
    space = namespace_object("needs-it")
    cluster.create(space, "/api/v1/namespaces")
    spec = {"schedulerName": "theirs", "containers": [{"name": "main", "image": "main:1"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "waits"}, "spec": spec}
    cluster.create(pod, "/api/v1/namespaces/needs-it/pods")
    with cluster.quiet():
        refused = run_on_cluster("uninstall", objects=[space], schedulers=["theirs"])
    assert refused["users"] == ["Pod needs-it/waits"]
    assert "Pod needs-it/waits: still needed" in refused["msg"]
    assert run_on_cluster("uninstall", objects=[space], schedulers=["theirs"], force=True)["changed"]
