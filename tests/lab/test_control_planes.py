"""Three control planes behind the load balancer of each node: one is lost for good under a job, and replaced."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.lab.support.lab import KUBECTL, Lab, changes, inventory_of, recap, until, write_inventory

pytestmark = [pytest.mark.lab, pytest.mark.long]

PLANES = ["cp-1", "cp-2", "cp-3"]
LOST = "cp-1"
JOB = "tfjob-all-reduce"
SAMPLES = ("-e", '{"mlstack_samples": ["tfjob_all_reduce"]}')
REMAINING = ("--limit", f"all:!{LOST}")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[Lab]:
    """The cluster, on which the sample ran once."""
    inventory = write_inventory(tmp_path_factory.mktemp("planes"), inventory_of(3, mlstack_api_load_balancer="local"))
    with Lab("planes", inventory, logs).bare() as made:
        made.converge(*SAMPLES)
        yield made


def kubectl(lab: Lab, host: str, command: str) -> str:
    """Run kubectl on a control plane, by the address that the whole cluster uses."""
    return lab.told(host, f"{KUBECTL} --request-timeout 20s {command}")


def items(lab: Lab, host: str, what: str) -> list[dict[str, Any]]:
    return list(json.loads(kubectl(lab, host, f"get --output json {what}"))["items"])


def ready_etcd(lab: Lab, host: str) -> set[str]:
    """Return the nodes whose member of etcd is ready."""
    pods = items(lab, host, "pods --namespace kube-system --selector component=etcd")
    return {
        pod["spec"]["nodeName"]
        for pod in pods
        if any(item["type"] == "Ready" and item["status"] == "True" for item in pod["status"]["conditions"])
    }


def members(lab: Lab, host: str) -> int:
    """Return how many members etcd itself says that it has."""
    script = """
import json, ssl, urllib.request
pki = "/etc/kubernetes/pki/"
context = ssl.create_default_context(cafile=pki + "etcd/ca.crt")
context.load_cert_chain(pki + "apiserver-etcd-client.crt", pki + "apiserver-etcd-client.key")
question = urllib.request.Request("https://127.0.0.1:2379/v3/cluster/member/list", b"{}")
print(len(json.load(urllib.request.urlopen(question, context=context, timeout=5))["members"]))
"""
    return int(lab.told(host, f"python3 -c {shlex.quote(script)}"))


def job_pods(lab: Lab, host: str) -> dict[str, str]:
    """Return the pods of the job by name, with their ids: a pod that was made again has another one."""
    found = items(lab, host, f"pods --namespace mlstack-samples --selector training.kubeflow.org/job-name={JOB}")
    return {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in found}


def succeeded(lab: Lab, host: str) -> bool:
    job = json.loads(kubectl(lab, host, f"get --namespace mlstack-samples --output json tfjob {JOB}"))
    conditions = {item["type"]: item["status"] for item in job.get("status", {}).get("conditions", [])}
    assert conditions.get("Failed") != "True", conditions
    return conditions.get("Succeeded") == "True"


def test_each_control_plane_has_a_member_of_etcd_and_reads_all_secrets(lab: Lab) -> None:
    assert ready_etcd(lab, LOST) == set(PLANES)
    kubectl(lab, LOST, "create secret generic shared --from-literal word=plum")
    for number, plane in enumerate(PLANES, start=11):
        address = lab.told(plane, f"hostname -I | tr ' ' '\\n' | grep -E '\\.{number}$'")
        told = kubectl(lab, LOST, f"get secret shared --server https://{address}:6443 --output jsonpath={{.data.word}}")
        assert told == "cGx1bQ==", plane


def test_the_second_run_changes_nothing(lab: Lab) -> None:
    assert changes(lab.converge(*SAMPLES)) == {}


def test_the_cluster_outlives_a_control_plane_and_so_does_a_job(lab: Lab) -> None:
    other = PLANES[1]
    kubectl(lab, other, f"delete --namespace mlstack-samples tfjob {JOB}")
    until(lambda: not job_pods(lab, other), "the end of the former job's pods")
    lab.told("node-1", f"rm -rf /srv/mlstack/{JOB}")
    run = lab.start("playbooks/samples.yml", *SAMPLES)
    try:
        checkpoint = f"ls /srv/mlstack/{JOB}/checkpoints/ckpt-*.index"
        until(lambda: lab.ssh("node-1", checkpoint).returncode == 0, "a checkpoint")
        before = job_pods(lab, other)
        assert before
        assert not succeeded(lab, other)
        lab.lose(LOST)
    finally:
        # It talks to the control plane that its kubeconfig names.
        run.kill()
    until(lambda: lab.ssh(other, f"{KUBECTL} get --raw /readyz").returncode == 0, "the API again", 60)
    until(lambda: succeeded(lab, other), "the end of the job")
    assert job_pods(lab, other).items() <= before.items(), "a pod was made again"
    # While its node is there the pods of each node wait for it.
    kubectl(lab, other, f"delete node {LOST}")
    counts = recap(lab.run("site.yml", *SAMPLES, *REMAINING))
    assert set(counts) >= {"cp-2", "cp-3", "node-1"}
    assert not any(count.failed for count in counts.values())
    assert changes(recap(lab.run("site.yml", *SAMPLES, *REMAINING))) == {}


def test_a_lost_control_plane_is_replaced_by_a_host_of_its_name(lab: Lab) -> None:
    other = PLANES[1]
    lab.run("playbooks/lab_up.yml")
    lab.converge(*SAMPLES)
    assert ready_etcd(lab, other) == set(PLANES)
    assert members(lab, other) == len(PLANES)
    # From now on the first one leads again: the kubeconfig gets its certificate, and it looks through the secrets once.
    assert set(changes(lab.converge(*SAMPLES))) <= {LOST}
    assert changes(lab.converge(*SAMPLES)) == {}
