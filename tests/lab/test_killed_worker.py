"""A worker or a rank of a running job is lost: the job resumes from its checkpoint, or says whose pod it lacks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable

import pytest
from kubernetes import client, config

from tests.lab.support.lab import Lab, Run, until
from tests.lab.support.local_cluster import result_in

pytestmark = [pytest.mark.lab, pytest.mark.long]

NAMESPACE = "mlstack-samples"


@dataclass(frozen=True)
class Sample:
    """One sample job. name: in mlstack_samples. checkpoint: pattern of its files. leader: whose log has the result."""

    name: str
    plural: str
    checkpoint: str
    leader: str

    @property
    def job(self) -> str:
        """The job's name."""
        return self.name.replace("_", "-")

    @property
    def folder(self) -> str:
        """Where it writes, on the shared volume."""
        return f"/srv/mlstack/{self.job}"

    @property
    def options(self) -> tuple[str, str]:
        """What has a playbook run it alone."""
        return ("-e", f'{{"mlstack_samples": ["{self.name}"]}}')


TFJOB = Sample("tfjob_all_reduce", "tfjobs", "ckpt-*.index", "worker-0")
PYTORCHJOB = Sample("pytorchjob_all_reduce", "pytorchjobs", "ckpt-*.pt", "master-0")
BOTH = ("-e", f'{{"mlstack_samples": ["{TFJOB.name}", "{PYTORCHJOB.name}"]}}')


@pytest.fixture(scope="module")
def lab(converged_lab: Lab) -> Lab:
    """Nodes that have the samples' images, on which they ran once."""
    converged_lab.converge(*BOTH)
    return converged_lab


@pytest.fixture
def api(lab: Lab) -> client.ApiClient:
    return config.new_client_from_config(str(lab.kubeconfig))


def start_anew(lab: Lab, api: client.ApiClient, sample: Sample) -> Run:
    """Take the job away and run the sample again."""
    jobs, pods = client.CustomObjectsApi(api), client.CoreV1Api(api)
    jobs.delete_namespaced_custom_object("kubeflow.org", "v1", NAMESPACE, sample.plural, sample.job)
    mine = f"training.kubeflow.org/job-name={sample.job}"
    until(lambda: not pods.list_namespaced_pod(NAMESPACE, label_selector=mine).items, "the end of the former pods")
    lab.told(lab.groups["kube_node"][0], f"rm -rf {sample.folder}")
    return lab.start("playbooks/samples.yml", *sample.options)


def node_of(api: client.ApiClient, pod: str) -> str:
    """Return the node on which a pod runs, as soon as it does."""
    pods: Any = client.CoreV1Api(api)

    def running() -> bool:
        found = pods.list_namespaced_pod(NAMESPACE, field_selector=f"metadata.name={pod}").items
        return bool(found) and found[0].status.phase == "Running"

    until(running, f"{pod} running")
    return str(pods.read_namespaced_pod(pod, NAMESPACE).spec.node_name)


def await_checkpoint(lab: Lab, node: str, sample: Sample) -> None:
    """Return at the job's first checkpoint."""
    script = f"until ls {sample.folder}/checkpoints/{sample.checkpoint}; do sleep 0.05; done >/dev/null 2>&1"
    until(lambda: lab.ssh(node, f'timeout 20 bash -c "{script}"').returncode == 0, "a checkpoint")


def kill_the_process(lab: Lab, api: client.ApiClient, sample: Sample, pod: str, run: Run) -> None:
    """Kill the container's program on its node: one go for the job's user."""
    node, index = node_of(api, pod), pod.rsplit("-", 1)[1]
    await_checkpoint(lab, node, sample)
    task = f'"type":"worker","index":{index}}}'
    script = (
        f"for pid in $(pgrep -f '[/]sample/{sample.name}.py'); do "
        f"grep -qF '{task}' /proc/$pid/environ && kill -9 $pid && exit 0; done; exit 1"
    )
    assert lab.ssh(node, script).returncode == 0, f"no process of {pod} on {node}"
    assert run.wait() == 0, run.output


def drain_the_node(lab: Lab, api: client.ApiClient, sample: Sample, pod: str, run: Run) -> None:
    """Delete the pod as a drain does. The operator may call the job failed for that: then the user runs it again."""
    await_checkpoint(lab, node_of(api, pod), sample)
    client.CoreV1Api(api).delete_namespaced_pod(pod, NAMESPACE)
    if run.wait() != 0:
        told = rf"pod {pod} on \S+: (removed|failed|running \(it is being deleted\))"
        assert re.search(told, run.output), run.output
        lab.run("playbooks/samples.yml", *sample.options)


@pytest.mark.parametrize(
    ("sample", "victim", "lose"),
    [
        pytest.param(sample, victim, lose, id=f"{sample.job}-{victim}-{lose.__name__}")
        for sample, lose, victims in (
            (TFJOB, kill_the_process, ("worker-1", "worker-0")),
            (TFJOB, drain_the_node, ("worker-1", "worker-0")),
            (PYTORCHJOB, drain_the_node, ("worker-1", "master-0")),
        )
        for victim in victims
    ],
)
def test_the_job_resumes(
    lab: Lab,
    api: client.ApiClient,
    sample: Sample,
    victim: str,
    lose: Callable[[Lab, client.ApiClient, Sample, str, Run], None],
) -> None:
    run = start_anew(lab, api, sample)
    try:
        lose(lab, api, sample, f"{sample.job}-{victim}", run)
    finally:
        run.kill()
    jobs: Any = client.CustomObjectsApi(api)
    job = jobs.get_namespaced_custom_object("kubeflow.org", "v1", NAMESPACE, sample.plural, sample.job)
    assert {item["type"]: item["status"] for item in job["status"]["conditions"]}["Succeeded"] == "True"
    log = client.CoreV1Api(api).read_namespaced_pod_log(f"{sample.job}-{sample.leader}", NAMESPACE)
    result = result_in(log)
    assert 0 < result["resumed_from"] <= result["steps"]
    assert result["test_accuracy"] >= 0.90
