# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that wait or failed, with the real scheduler, operator, quotas and webhooks: what job_info says of them."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable

import pytest

from tests.integration.conftest import Run, run_module
from tests.integration.kube.test_playbook import run_playbook
from tests.integration.support.api_server import ApiServer
from tests.integration.support.plays import exits, no_image
from tests.integration.support.samples import namespace_object
from tests.support.paths import ROOT

NAMESPACE, QUOTA, SAFE, HOOKED = "pending", "pending-quota", "pending-safe", "pending-hook"
TAINT = {"key": "test", "value": "why", "effect": "NoSchedule"}
TOLERATED = {"tolerations": [{"key": "test", "operator": "Exists"}], "node_selector": {"pool": "why"}}
CLAIM = {"shared_volumes": [{"claim": "absent", "mount_path": "/data"}]}
SLOW = {"shared_volumes": [{"claim": "slow", "mount_path": "/data"}]}
FOREVER = {"template": {"spec": {"schedulerName": "nobody"}}}


@dataclass(frozen=True)
class Case:
    """A job and what is said of it. facts: parts of facts."""

    name: str
    options: dict[str, Any]
    sentence: str
    facts: tuple[str, ...] = ()
    namespace: str = NAMESPACE
    module: str = "tfjob"
    replicas: dict[str, Any] = field(default_factory=lambda: {"Worker": {}})


CASES = [
    Case(
        "taken",
        {**TOLERATED, "gpus": 2},
        "No node has room for Worker-0: nvidia.com/gpu is short on 2 of ",
        (
            "why-1: nvidia.com/gpu 0 free of 2",
            "why-2: nvidia.com/gpu 1 free of 1",
            f"nvidia.com/gpu is held by {NAMESPACE}: job holder (2)",
            "the scheduler says: 0/",
        ),
    ),
    Case(
        "large",
        {**TOLERATED, "gpus": 8},
        "No node can ever hold Worker-0: each pod asks for 8 nvidia.com/gpu, and the largest node that it may"
        " use has 2",
    ),
    Case("nowhere", {"node_selector": {"pool": "nowhere"}}, "No node is one that Worker-0 may use: none of "),
    Case(
        "tainted",
        {"node_selector": {"pool": "why"}},
        "Every node that Worker-0 may use keeps them off by a taint: why-1 and why-2 test=why:NoSchedule",
    ),
    Case(
        "cordoned",
        {"node_selector": {"pool": "cordoned"}, "tolerations": TOLERATED["tolerations"]},
        "Every node that Worker-0 may use is out of service: why-3 cordoned",
    ),
    Case(
        "claim",
        {**TOLERATED, **CLAIM},
        f"No node takes Worker-0, because there is no claim absent in namespace {NAMESPACE}",
    ),
    Case(
        "unbound",
        {**TOLERATED, **SLOW},
        "No node takes Worker-0, because claim slow has no volume: ",
        ("storage class of the claim: none-such",),
    ),
    Case("image", {**TOLERATED, **no_image()}, "Worker-0 cannot start: image t:1 cannot be pulled"),
    Case(
        "gang",
        {**TOLERATED, "gpus": 1, "gang": {}},
        "The gang can never start: its 4 pods ask for at least 4 nvidia.com/gpu together, and the 2 nodes that"
        " it may use"
        " have 3 in all",
        replicas={"Worker": {"replicas": 4}},
    ),
    Case(
        "gang-waits",
        {**TOLERATED, "gpus": 1, "gang": {}},
        "The gang waits until 2 pods have room at once; now there is room for 1",
        (f"nvidia.com/gpu is held by {NAMESPACE}: job holder (2)",),
        replicas={"Worker": {"replicas": 2}},
    ),
    Case("suspended", {"suspend": True}, "The job is suspended, so it has no pods"),
    Case(
        "fails",
        {**TOLERATED, **exits(139)},
        "Worker-0 failed: the container ended with exit code 139 (SIGSEGV",
    ),
    Case(
        "quota",
        {**TOLERATED, "node_selector": {"pool": "quota"}, "gpus": 1, "quota_check": "ignore"},
        f"The quota gpus of namespace {QUOTA} has no room for Worker-",
        ("the controller says: ",),
        QUOTA,
        replicas={"Worker": {"replicas": 2}},
    ),
    Case(
        "ps-quota",
        {"gpus": 2, "quota_check": "ignore", "command": ["train"]},
        f"The quota gpus of namespace {QUOTA} has no room for PS-0 and Worker-0: requests.nvidia.com/gpu 2 asked,",
        namespace=QUOTA,
        module="ps_job",
        replicas={"PS": {}, "Worker": {}},
    ),
    Case(
        "unsafe",
        TOLERATED,
        f'Namespace {SAFE} does not take Worker-0: violates PodSecurity "restricted',
        namespace=SAFE,
    ),
    Case(
        "hooked",
        TOLERATED,
        "No pod can be made, Worker-0 neither: the webhook silent.example.test does not answer (",
        namespace=HOOKED,
    ),
]
# A scheduler is given 20 s before it is said that there is none.
NOBODY = Case("nobody", {**TOLERATED, **FOREVER}, "No scheduler has looked at Worker-0 in ")


@pytest.fixture(scope="module", autouse=True)
def jobs(cluster: ApiServer, nodes: list[str]) -> None:
    """Make the places and submit all jobs."""
    for name in (NAMESPACE, QUOTA, HOOKED):
        cluster.create(namespace_object(name), "/api/v1/namespaces")
    safe = namespace_object(SAFE)
    safe["metadata"]["labels"] = {"pod-security.kubernetes.io/enforce": "restricted"}
    cluster.create(safe, "/api/v1/namespaces")
    for name, gpus, pool in (("why-1", 2, "why"), ("why-2", 1, "why"), ("why-3", 8, "cordoned"), ("why-4", 1, "quota")):
        cluster.add_node(name, gpus, [TAINT])
        cluster.patch(f"/api/v1/nodes/{name}", {"metadata": {"labels": {"pool": pool}}})
    cluster.patch("/api/v1/nodes/why-3", {"spec": {"unschedulable": True}})
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "gpus"}}
    quota["spec"] = {"hard": {"requests.nvidia.com/gpu": "1"}}
    cluster.create(quota, f"/api/v1/namespaces/{QUOTA}/resourcequotas")
    claim: dict[str, Any] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "slow"}}
    claim["spec"] = {"accessModes": ["ReadWriteMany"], "storageClassName": "none-such"}
    claim["spec"]["resources"] = {"requests": {"storage": "1Gi"}}
    cluster.create(claim, f"/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims")
    cluster.create(silent_webhook(), "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations")
    submit(cluster, Case("holder", {**TOLERATED, "gpus": 2}, ""))
    until(lambda: look(cluster, NAMESPACE, "holder")["state"] == "running", "the holder runs")
    for case in [*CASES, NOBODY]:
        submit(cluster, case)


def silent_webhook() -> dict[str, Any]:
    """Return the configuration of a webhook whose service does not exist."""
    hook = {
        "name": "silent.example.test",
        "clientConfig": {"service": {"namespace": HOOKED, "name": "gone", "path": "/"}},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": HOOKED}},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "timeoutSeconds": 1,
    }
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
    return {**kind, "metadata": {"name": "silent"}, "webhooks": [hook]}


def submit(cluster: ApiServer, case: Case) -> None:
    """Submit a job."""
    job = {"name": case.name, "namespace": case.namespace, "image": "t:1", "replicas": case.replicas}
    result = run_module(cluster, case.module, **{**job, **case.options})
    assert not result.get("failed"), result


def look(cluster: ApiServer, namespace: str, name: str, **options: Any) -> dict[str, Any]:
    """Return what job_info says of one job."""
    result = run_module(cluster, "job_info", name=name, namespace=namespace, **options)
    assert not result.get("failed"), result
    (job,) = result["jobs"]
    return dict(job)


def until(said: Callable[[], Any], seen: Any) -> None:
    """Wait until something holds. seen: what is shown when it does not."""
    end = time.monotonic() + 60
    while not said():
        assert time.monotonic() < end, seen
        time.sleep(0.3)


@pytest.mark.parametrize(
    "case",
    [*(pytest.param(case, id=case.name) for case in CASES), pytest.param(NOBODY, id="nobody", marks=pytest.mark.long)],
)
def test_why_it_waits_or_failed(cluster: ApiServer, case: Case) -> None:
    seen: list[Any] = []

    def said() -> bool:
        seen.append(look(cluster, case.namespace, case.name)["why"])
        return str(seen[-1]["sentence"]).startswith(case.sentence)

    with cluster.quiet():
        until(said, seen)
    facts = seen[-1]["facts"]
    assert [part for part in case.facts if not any(part in fact for fact in facts)] == [], facts
    assert facts[-1].startswith("what to do: ")


def test_a_podgroup_that_is_gone(cluster: ApiServer) -> None:
    case = Case("group-gone", TOLERATED, "")
    job = {"name": case.name, "namespace": NAMESPACE, "image": "t:1", "replicas": case.replicas}
    manifest = run_module(cluster, "tfjob", state="rendered", **job, **TOLERATED)["manifest"]
    pod = manifest["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    pod["schedulingGroup"] = {"podGroupName": "gone"}
    cluster.create(manifest, f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/tfjobs")
    sentence = "PodGroup gone does not exist, so the scheduler holds back Worker-0"
    until(lambda: look(cluster, NAMESPACE, "group-gone")["why"]["sentence"] == sentence, sentence)


def test_all_jobs_as_one_table(cluster: ApiServer) -> None:
    result = run_module(cluster, "job_info")
    lines = result["table"].splitlines()
    assert lines[0].split() == ["NAMESPACE", "KIND", "NAME", "STATE", "READY", "AGE", "DURATION", "WHY"]
    assert (result["changed"], len(lines)) == (False, len(result["jobs"]) + 1)
    (line,) = [line for line in lines if line.startswith(f"{NAMESPACE} ") and " holder " in line]
    assert line.split()[1:5] == ["tfjob", "holder", "running", "Worker"]
    assert {row["kind"] for row in result["jobs"]} >= {"tfjob", "ps_job"}


def test_a_selection(cluster: ApiServer) -> None:
    found = run_module(cluster, "job_info", namespace=NAMESPACE, states=["suspended", "failed"], why=False)["jobs"]
    assert {(row["name"], row["state"]) for row in found} >= {("suspended", "suspended")}
    assert {row["state"] for row in found} <= {"suspended", "failed"}
    assert all(row["why"]["sentence"] == "" for row in found)
    labels = {"labels": {"project": "vision"}, "suspend": True}
    submit(cluster, Case("labelled", labels, ""))
    found = run_module(cluster, "job_info", label_selectors=["project in (vision)"])["jobs"]
    assert [row["name"] for row in found] == ["labelled"]
    assert run_module(cluster, "job_info", name="no-such", namespace=NAMESPACE)["table"] == "no jobs"


def test_a_log_that_cannot_be_read_fails_and_says_why(cluster: ApiServer) -> None:
    """There is no kubelet here, so no log can be read; where there is one, the lab's tests read it."""
    result = run_module(cluster, "job_info", name="holder", namespace=NAMESPACE, logs={"replica": "worker-0"})
    assert (result["failed"], result["logs_of"]) == (True, {"replica": "Worker-0", "pod": "holder-worker-0"})
    assert result["logs_unavailable"].startswith("not available: pod holder-worker-0 is running; ")
    result = run_module(cluster, "job_info", name="holder", namespace=NAMESPACE, logs={"replica": "Chief-0"})
    assert result["logs_unavailable"] == "not available: the job has no replica Chief-0; it has Worker-0"
    result = run_module(cluster, "job_info", name="suspended", namespace=NAMESPACE, logs={})
    assert result["msg"].endswith("is not available: the job has no pod yet")
    result = run_module(cluster, "job_info", name="no-such", namespace=NAMESPACE, logs={})
    assert "name = no-such: fits no job" in result["msg"]


def test_a_user_who_may_read_only_one_namespace(cluster: ApiServer, tmp_path: Path) -> None:
    rules = [
        {"apiGroups": ["kubeflow.org"], "resources": ["tfjobs"], "verbs": ["get", "list"]},
        {"apiGroups": [""], "resources": ["pods", "events"], "verbs": ["get", "list"]},
    ]
    user = {"kubeconfig": str(cluster.user(tmp_path, NAMESPACE, rules))}
    result = run_module(cluster, "job_info", name="large", namespace=NAMESPACE, **user)
    (job,) = result["jobs"]
    assert job["why"]["sentence"].startswith("The scheduler finds no node for Worker-0: 0/")
    assert "not looked at: nodes (you may not read them)" in job["why"]["facts"]
    assert [title in str(result["warnings"]) for title in ("PyTorchJobs", "parameter-server jobs")] == [True, True]
    refused = run_module(cluster, "job_info", name="large", **user)
    assert (refused["failed"], "cannot list resource" in refused["msg"]) == (True, True)


def test_where_no_kind_of_jobs_is_known(api: ApiServer, run: Run) -> None:
    assert run("job_info", namespace="default")["jobs"] == []


def test_where_nobody_makes_pods(run: Run, kubeflow: None, namespace: str) -> None:
    assert run("tfjob", name="alone", namespace=namespace, image="t:1", replicas={"Worker": {}})["changed"]
    (job,) = run("job_info", namespace=namespace)["jobs"]
    assert job["why"]["sentence"] == "Nobody makes Worker-0: there is no training operator in this cluster"
    assert job["ready"] == {"Worker": {"ready": 0, "total": 1}}


def test_the_playbook_needs_a_kubeconfig_alone(
    api: ApiServer, run: Run, kubeflow: None, namespace: str, tmp_path: Path
) -> None:
    run("tfjob", name="alone", namespace=namespace, image="t:1", replicas={"Worker": {}})
    nobody = tmp_path / "nobody.ini"
    nobody.touch()
    book = ROOT / "playbooks" / "job_status.yml"

    def show(*options: str, **variables: str) -> tuple[int, str]:
        variables = {"mlstack_kubeconfig": str(api.kubeconfig), "mlstack_job_namespace": namespace, **variables}
        return run_playbook(book, "-i", str(nobody), "-e", json.dumps(variables), *options)

    with api.quiet():
        status, screen = show()
        assert (status, "changed=0" in screen) == (0, True), screen
        row = f"{namespace} tfjob alone created Worker 0/1 "
        assert row in " ".join(screen.split()), screen
        assert "Nobody makes Worker-0: there is no training operator in this cluster" in screen
        status, screen = show("--check", mlstack_job="alone")
        assert (status, f"TFJob {namespace}/alone is created" in screen) == (0, True), screen
        assert "what to do: Install it: playbook operator, or make the job a ps_job, which needs none" in screen
        status, screen = show(mlstack_job="alone", mlstack_job_replica="Worker-0")
        assert (status, "not available: Worker-0 has no pod yet" in screen) == (2, True), screen
        status, screen = show(mlstack_job="other")
        assert (status, f"There is no job other in namespace {namespace}." in screen) == (2, True), screen
