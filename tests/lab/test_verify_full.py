"""A full verification of a cluster that works, and of one in which something real is broken."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.client import Client, connect
from tests.lab.support.existing import run_without_hosts
from tests.lab.support.lab import Lab, until

pytestmark = [pytest.mark.lab, pytest.mark.long]
NETWORK = {"dns", "pod_network", "service", "job"}


def verify(lab: Lab, folder: Path, **variables: Any) -> tuple[int, dict[str, Any], str]:
    """Run a full verification; return its status, the report's checks by name, and what was printed."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    variables = {"mlstack_verify": "full", "mlstack_report_file": str(report), "verify_timeout": 60, **variables}
    done = run_without_hosts(lab, "verify.yml", lab.kubeconfig, **variables)
    written = json.loads(report.read_text(encoding="utf-8"))
    assert written["check"] == "verify"
    assert written["ok"] is (done.returncode == 0)
    names = [item["metadata"]["name"] for item in api(lab).call("GET", "/api/v1/namespaces")["items"]]
    assert "mlstack-verify" not in names, "the verification has left its namespace"
    return done.returncode, {check["name"]: check for check in written["checks"]}, done.stdout


def api(lab: Lab) -> Client:
    return connect(str(lab.kubeconfig), None)


def failed(checks: dict[str, Any]) -> set[str]:
    return {name for name, check in checks.items() if not check["ok"]}


def scale(lab: Lab, namespace: str, name: str, replicas: int) -> None:
    """Scale a deployment and wait until that many of its pods are ready and the others gone: they answer until then."""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
    wanted = api(lab).call("PATCH", path, (), {"spec": {"replicas": replicas}}, "application/merge-patch+json")
    selector = ",".join(f"{key}={value}" for key, value in wanted["spec"]["selector"]["matchLabels"].items())

    def done() -> bool:
        ready = api(lab).call("GET", path)["status"].get("readyReplicas") or 0
        pods = api(lab).call("GET", f"/api/v1/namespaces/{namespace}/pods", [("labelSelector", selector)])["items"]
        return ready == len(pods) == replicas

    until(done, f"{replicas} ready pods of {name}")


@contextmanager
def scaled_to_zero(lab: Lab, namespace: str, name: str) -> Iterator[None]:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
    before = api(lab).call("GET", path)["spec"]["replicas"]
    scale(lab, namespace, name, 0)
    try:
        yield
    finally:
        scale(lab, namespace, name, before)


def test_a_cluster_that_works(verifiable_lab: Lab, tmp_path: Path) -> None:
    status, checks, output = verify(verifiable_lab, tmp_path)
    assert (status, failed(checks)) == (0, set()), output
    assert list(checks)[:4] == ["nodes", "system", "operator", "webhook"]
    assert set(checks) >= NETWORK
    assert "node-1 to node-2" in checks["pod_network"]["detail"]
    assert "node-2 to node-1" in checks["pod_network"]["detail"]
    assert "NO" not in output.split("check        ok")[1].split("TASK")[0]


def test_no_names(verifiable_lab: Lab, tmp_path: Path) -> None:
    with scaled_to_zero(verifiable_lab, "kube-system", "coredns"):
        status, checks, output = verify(verifiable_lab, tmp_path)
    assert status == 2, output
    # The job's workers call each other by name.
    assert failed(checks) == {"dns", "job"}
    assert "kubernetes.default.svc" in checks["dns"]["detail"]
    assert "scale deployment coredns" in checks["dns"]["way_out"]
    assert checks["job"]["way_out"].startswith("Put dns right first")


def test_a_node_that_drops_the_pods_traffic(verifiable_lab: Lab, tmp_path: Path) -> None:
    rule = "FORWARD -i flannel.1 -j DROP"
    assert verifiable_lab.ssh("node-1", f"iptables -I {rule}").returncode == 0
    try:
        status, checks, output = verify(verifiable_lab, tmp_path)
    finally:
        assert verifiable_lab.ssh("node-1", f"iptables -D {rule}").returncode == 0
    assert status == 2, output
    assert "pod_network" in failed(checks)
    # The operator may live on that node, and then the API server does not reach its webhook.
    assert failed(checks) <= NETWORK | {"webhook"}
    assert "node-1" in checks["pod_network"]["detail"]
    assert "iptables -S FORWARD" in checks["pod_network"]["way_out"]
    assert checks["job"]["way_out"].startswith("Put ")


def test_a_webhook_that_nobody_answers(verifiable_lab: Lab, tmp_path: Path) -> None:
    path = "/api/v1/namespaces/kubeflow/services/training-operator"
    service = api(verifiable_lab).call("GET", path)
    gone = {"spec": {"selector": {"nobody": "here"}}}
    api(verifiable_lab).call("PATCH", path, (), gone, "application/merge-patch+json")
    try:
        status, checks, output = verify(verifiable_lab, tmp_path)
    finally:
        selector = {"nobody": None, **service["spec"]["selector"]}
        api(verifiable_lab).call(
            "PATCH", path, (), {"spec": {"selector": selector}}, "application/merge-patch+json"
        )
    assert status == 2, output
    assert failed(checks) == {"webhook", "job"}
    assert "no ready endpoint" in checks["webhook"]["detail"]
    assert "trainyard.mlstack.operator" in checks["webhook"]["way_out"]


def test_a_run_that_was_killed_is_cleaned_up_by_the_next_one(verifiable_lab: Lab, tmp_path: Path) -> None:
    variables = {"mlstack_verify": "full", "mlstack_samples": []}
    run = verifiable_lab.start("playbooks/verify.yml", "-e", json.dumps(variables))
    path = "/api/v1/namespaces/mlstack-verify/pods"
    run.kill_when(lambda: len(api(verifiable_lab).call("GET", path)["items"]) > 0)
    assert api(verifiable_lab).call("GET", path)["items"]
    status, checks, output = verify(verifiable_lab, tmp_path)
    assert (status, failed(checks)) == (0, set()), output


def test_check_mode_runs_nothing_and_says_so(verifiable_lab: Lab) -> None:
    done = run_without_hosts(verifiable_lab, "verify.yml", verifiable_lab.kubeconfig, check=True, mlstack_verify="full")
    assert done.returncode == 0, done.stdout
    assert "nothing is verified in check mode" in done.stdout
