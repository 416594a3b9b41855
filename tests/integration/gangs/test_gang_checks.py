# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that a switch would leave without a scheduler, and operators with gang flags, read from a real server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Run
from tests.integration.kube.test_playbook import run_playbook
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import namespace_object
from tests.support.paths import ROOT

NAMESPACE = "gang-checks"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"


@pytest.fixture(scope="module", autouse=True)
def place(api: ApiServer, kubeflow: None) -> None:
    """Make the namespace, on a server whose operator the tests play."""
    api.create(namespace_object(NAMESPACE), "/api/v1/namespaces")


def deployment(*arguments: str) -> dict[str, Any]:
    """Return an operator as somebody else set it up."""
    container = {"name": "op", "image": "kubeflow/training-operator:v1-5170a36", "args": list(arguments)}
    labels = {"app": "operator"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "operator"}, "spec": spec}


def test_jobs_of_a_scheduler_that_is_to_go(api: ApiServer, run: Run) -> None:
    job = {"image": "t:1", "namespace": NAMESPACE, "replicas": {"Worker": {"replicas": 2}}, "gang": {}}
    assert run("tfjob", name="bert", **job)["changed"]
    mark = api.audit_mark()
    refused = run("gang_checks", removes=["native"])
    assert refused["failed"]
    # Other tests may have left jobs of their own.
    assert re.search(rf"Kubernetes' own scheduler = .*TFJob {NAMESPACE}/bert\b.*: is to go", refused["msg"])
    row = {"kind": "tfjob", "name": "bert", "namespace": NAMESPACE, "backend": "native", "state": "waiting"}
    assert row in refused["jobs"]
    # Beside a scheduler that stays they are in nobody's way.
    assert "failed" not in run("gang_checks")
    assert api.writes(mark) == []
    # Nobody collects here what belonged to it.
    api.client.call("DELETE", f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/tfjobs/bert")


def test_an_operator_with_a_flag_of_its_own(api: ApiServer, run: Run) -> None:
    api.create(deployment("--leader-elect", "--gang-scheduler-name=volcano"), DEPLOYMENTS)
    warned = run("gang_checks")
    assert "failed" not in warned
    assert f"operator {NAMESPACE}/operator = --gang-scheduler-name=volcano" in str(warned["warnings"])
    api.client.call("DELETE", f"{DEPLOYMENTS}/operator")


def test_the_playbook_asks_before_a_scheduler_comes(api: ApiServer, run: Run, tmp_path: Path) -> None:
    ours = deployment("--gang-scheduler-name=volcano")
    ours["metadata"]["namespace"] = NAMESPACE
    assert run("objects", objects=[ours], wait=False)["changed"]
    nobody = tmp_path / "hosts.ini"
    nobody.touch()
    variables = {"mlstack_kubeconfig": str(api.kubeconfig), "mlstack_gang_scheduler": "native"}
    book = ROOT / "playbooks" / "gang_scheduler.yml"
    mark = api.audit_mark()
    status, screen = run_playbook(book, "-i", str(nobody), "-e", json.dumps(variables))
    assert (status, "the operator of this collection runs without a gang flag" in screen) == (2, True), screen
    assert api.writes(mark) == []
    api.client.call("DELETE", f"{DEPLOYMENTS}/operator")


def test_what_the_next_version_drops(api: ApiServer, run: Run) -> None:
    """This server serves one shape, which the next version keeps."""
    assert "failed" not in run("gang_checks", next_kubernetes="1.38")
