# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ps_job for a user who has rights in one namespace alone, in which pods must be restricted: as the guide says."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import yaml

from tests.integration.conftest import Run
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import exits
from tests.integration.support.samples import namespace_object
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "parameter-server-job.md").read_text(encoding="utf-8")
ROLE = yaml.safe_load((ROOT / "docs" / "rbac" / "ps-job-user.yaml").read_text(encoding="utf-8"))
NAMESPACE = "ps-job-restricted"


def shown() -> dict[str, Any]:
    """Return the options of the guide's task for such a namespace, with what KWOK needs to play the end."""
    block = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[-1]
    options = {**yaml.safe_load(block)[0]["trainyard.mlstack.ps_job"], "namespace": NAMESPACE, "gang": {}}
    options["replicas"]["Worker"].update(exits(0))
    return options


def claims(cluster: ApiServer, *names: str) -> None:
    """Make claims that are bound: no driver has a part in it."""
    for name in names:
        spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
        volume = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "hostPath": {"path": "/x"}}
        volume.update(storageClassName="", claimRef={"name": name, "namespace": NAMESPACE})
        body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"{NAMESPACE}-{name}"}}
        cluster.create({**body, "spec": volume}, "/api/v1/persistentvolumes")
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}}
        claim["spec"] = {**spec, "storageClassName": "", "volumeName": f"{NAMESPACE}-{name}"}
        cluster.create(claim, f"/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims")


def ran(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result that is no failure."""
    assert not result.get("failed"), result["msg"]
    return result


def test_the_documented_role_is_enough_and_the_pods_are_restricted(
    cluster: ApiServer, nodes: list[str], run_on_cluster: Run, tmp_path: Path
) -> None:
    place = namespace_object(NAMESPACE)
    place["metadata"]["labels"] = {"pod-security.kubernetes.io/enforce": "restricted"}
    cluster.create(place, "/api/v1/namespaces")
    claims(cluster, "data", "models")
    kubeconfig = str(cluster.user(tmp_path, NAMESPACE, ROLE["rules"]))
    options = {**shown(), "kubeconfig": kubeconfig}

    assert ran(run_on_cluster("ps_job", check=True, **options))["changed"]
    done = run_on_cluster("ps_job", wait=True, logs=True, timeout=60, **options)
    assert done.get("end") == "succeeded", done
    pods = cluster.client.call("GET", f"/api/v1/namespaces/{NAMESPACE}/pods")["items"]
    assert {init["name"] for pod in pods for init in pod["spec"]["initContainers"]} == {"train-folder"}
    with cluster.quiet():
        assert not ran(run_on_cluster("ps_job", **options))["changed"]
    renewed = run_on_cluster("ps_job", recreate=True, labels={"team": "r"}, **{**options, "image": "i:2"})
    assert ran(renewed)["changed"]
    later = {**options, "name": "later"}
    assert ran(run_on_cluster("ps_job", state="suspended", **later))["changed"]
    assert ran(run_on_cluster("ps_job", **later))["changed"]
    gone: dict[str, Any] = {"jobs": [{"name": name} for name in (options["name"], "later")], "namespace": NAMESPACE}
    gone["kubeconfig"] = kubeconfig
    assert run_on_cluster("ps_job", state="absent", **gone)["changed"]
    assert not run_on_cluster("ps_job", state="absent", **gone)["changed"]


def test_what_needs_a_folder_of_the_nodes_is_refused_there_with_the_servers_reason(
    cluster: ApiServer, nodes: list[str], run_on_cluster: Run
) -> None:
    options = {**shown(), "name": "folders", "data": {"host_path": "/srv/data"}}
    ran(run_on_cluster("ps_job", **options))
    end = time.monotonic() + 30
    while "hostPath" not in (result := ran(run_on_cluster("ps_job", check=True, **options)))["message"]:
        assert time.monotonic() < end, result
        time.sleep(0.2)
    assert (result["state"], result["changed"]) == ("created", False)
    assert 'violates PodSecurity "restricted:latest"' in result["message"]
