# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of queues, from Volcano's own kinds on a real server; tests play its scheduler."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.names import GROUP_NAME
from tests.integration.conftest import Run
from tests.integration.kube.test_playbook import run_playbook
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import namespace_object
from tests.support.paths import ROOT

NAMESPACE = "queue-table"
VERSION = BACKENDS["volcano"].api_version
QUEUES = f"/apis/{VERSION}/queues"
GPU = "nvidia.com/gpu"


def queue(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": VERSION, "kind": "Queue", "metadata": {"name": name}, "spec": spec}


def gang(api: ApiServer, name: str, queue_name: str, pods: int, node: str) -> None:
    """Make a PodGroup in a queue, and its pods, with a node or without."""
    metadata = {"name": name, "namespace": NAMESPACE}
    group = {"apiVersion": VERSION, "kind": "PodGroup", "metadata": metadata}
    api.create(
        {**group, "spec": {"minMember": pods, "queue": queue_name}}, f"/apis/{VERSION}/namespaces/{NAMESPACE}/podgroups"
    )
    container = {"name": "c", "image": "t:1", "resources": {"limits": {GPU: "1"}}}
    spec = {"schedulerName": "volcano", "containers": [container], **({"nodeName": node} if node else {})}
    for number in range(pods):
        own = {"name": f"{name}-{number}", "namespace": NAMESPACE, "annotations": {GROUP_NAME: name}}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": spec}
        api.create(pod, f"/api/v1/namespaces/{NAMESPACE}/pods")


@pytest.fixture(scope="module", autouse=True)
def filled(volcano_api: ApiServer) -> Iterator[None]:
    """Make two queues: of one a gang runs and one waits, in the other one runs."""
    api = volcano_api
    api.create(namespace_object(NAMESPACE), "/api/v1/namespaces")
    for each in (queue("table-eng", weight=3, capability={GPU: "4"}), queue("table-lab", weight=1)):
        api.create(each, QUEUES)
    gang(api, "first", "table-eng", 2, "gpu-1")
    gang(api, "second", "table-eng", 3, "")
    gang(api, "third", "table-lab", 1, "gpu-1")
    yield
    for name in ("table-eng", "table-lab"):
        api.client.call("DELETE", f"{QUEUES}/{name}")


def test_rows(api: ApiServer, run: Run) -> None:
    mark = api.audit_mark()
    found = run("job_info", queues=True, namespace=NAMESPACE)
    rows = {row["name"]: row for row in found["queues"] if row["backend"] == "volcano"}
    eng, lab = rows["table-eng"], rows["table-lab"]
    assert (eng["running"], eng["pending"], eng["pending_pods"], eng["pending_asks"]) == (1, 1, 3, {GPU: "3"})
    assert (eng["used"], eng["capability"], eng["weight"]) == ({GPU: "2"}, {GPU: "4"}, 3)
    assert (lab["running"], lab["pending"], lab["used"]) == (1, 0, {GPU: "1"})
    assert round(eng["share"] / lab["share"], 3) == 3
    assert api.writes(mark) == []


def test_the_playbook_shows_them(api: ApiServer, tmp_path: Path) -> None:
    nobody = tmp_path / "hosts.ini"
    nobody.touch()
    variables = {"mlstack_kubeconfig": str(api.kubeconfig), "mlstack_job_namespace": NAMESPACE}
    status, screen = run_playbook(ROOT / "playbooks" / "job_status.yml", "-i", str(nobody), "-e", json.dumps(variables))
    assert status == 0, screen
    (line,) = [each for each in screen.splitlines() if each.startswith("volcano") and "table-eng" in each]
    assert line.split()[1:3] == ["table-eng", "-"]
    assert f"1 (3 pods: 3 {GPU})" in line
