"""A worker of a running job is lost: the job resumes from its checkpoint and ends well."""

from __future__ import annotations

import re
from typing import Any, Callable

import pytest
from kubernetes import client, config

from tests.lab.lab import Lab, Run, until
from tests.lab.local_cluster import result_in

pytestmark = [pytest.mark.lab, pytest.mark.long]

NAMESPACE = "mlstack-samples"
JOB = "tfjob-all-reduce"
ONLY_IT = ("-e", '{"mlstack_samples": ["tfjob_all_reduce"]}')
FOLDER = f"/srv/mlstack/{JOB}"


@pytest.fixture(scope="module")
def lab(converged_lab: Lab) -> Lab:
    """Nodes that have the sample's image, on which it ran once."""
    converged_lab.converge(*ONLY_IT)
    return converged_lab


@pytest.fixture
def api(lab: Lab) -> client.ApiClient:
    return config.new_client_from_config(str(lab.kubeconfig))


def start_anew(lab: Lab, api: client.ApiClient) -> Run:
    """Take the job away and run the sample again."""
    jobs, pods = client.CustomObjectsApi(api), client.CoreV1Api(api)
    jobs.delete_namespaced_custom_object("kubeflow.org", "v1", NAMESPACE, "tfjobs", JOB)
    until(lambda: not pods.list_namespaced_pod(NAMESPACE).items, "the end of the former job's pods")
    lab.told(lab.groups["kube_node"][0], f"rm -rf {FOLDER}")
    return lab.start("playbooks/samples.yml", *ONLY_IT)


def node_of(api: client.ApiClient, pod: str) -> str:
    """Return the node on which a pod runs, as soon as it does."""
    pods: Any = client.CoreV1Api(api)

    def running() -> bool:
        found = pods.list_namespaced_pod(NAMESPACE, field_selector=f"metadata.name={pod}").items
        return bool(found) and found[0].status.phase == "Running"

    until(running, f"{pod} running")
    return str(pods.read_namespaced_pod(pod, NAMESPACE).spec.node_name)


def await_checkpoint(lab: Lab, node: str) -> None:
    """Return at the job's first checkpoint."""
    script = f"until ls {FOLDER}/checkpoints/ckpt-*.index; do sleep 0.05; done >/dev/null 2>&1"
    until(lambda: lab.ssh(node, f'timeout 20 bash -c "{script}"').returncode == 0, "a checkpoint")


def kill_the_process(lab: Lab, api: client.ApiClient, pod: str, run: Run) -> None:
    """Kill the container's program on its node: one go for the job's user."""
    node, index = node_of(api, pod), pod.rsplit("-", 1)[1]
    await_checkpoint(lab, node)
    task = f'"type":"worker","index":{index}}}'
    script = (
        "for pid in $(pgrep -f '[/]sample/tfjob_all_reduce.py'); do "
        f"grep -qF '{task}' /proc/$pid/environ && kill -9 $pid && exit 0; done; exit 1"
    )
    assert lab.ssh(node, script).returncode == 0, f"no process of {pod} on {node}"
    assert run.wait() == 0, run.output


def drain_the_node(lab: Lab, api: client.ApiClient, pod: str, run: Run) -> None:
    """Delete the pod as a drain does. The operator may call the job failed for that: then the user runs it again."""
    await_checkpoint(lab, node_of(api, pod))
    client.CoreV1Api(api).delete_namespaced_pod(pod, NAMESPACE)
    if run.wait() != 0:
        told = rf"pod {pod} on \S+: (removed|failed|running \(it is being deleted\))"
        assert re.search(told, run.output), run.output
        lab.run("playbooks/samples.yml", *ONLY_IT)


@pytest.mark.parametrize("lose", [kill_the_process, drain_the_node])
@pytest.mark.parametrize("victim", ["worker-1", "worker-0"])
def test_the_job_resumes(
    lab: Lab, api: client.ApiClient, victim: str, lose: Callable[[Lab, client.ApiClient, str, Run], None]
) -> None:
    run = start_anew(lab, api)
    try:
        lose(lab, api, f"{JOB}-{victim}", run)
    finally:
        run.kill()
    jobs: Any = client.CustomObjectsApi(api)
    job = jobs.get_namespaced_custom_object("kubeflow.org", "v1", NAMESPACE, "tfjobs", JOB)
    assert {item["type"]: item["status"] for item in job["status"]["conditions"]}["Succeeded"] == "True"
    log = client.CoreV1Api(api).read_namespaced_pod_log(f"{JOB}-worker-0", NAMESPACE)
    result = result_in(log)
    assert 0 < result["resumed_from"] <= result["steps"]
    assert result["test_accuracy"] >= 0.90
