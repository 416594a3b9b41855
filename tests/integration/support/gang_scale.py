# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A large cluster of KWOK nodes on a server of its own, and many gangs for it; used by a long test and a benchmark."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Iterable

import yaml

from tests.integration.conftest import operator_manifest
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import namespace_object
from tests.integration.support.training_operator import NAME as OPERATOR
from tests.integration.support.training_operator import TrainingOperator
from tests.support.paths import ROOT
from tests.support.placements import Placements

NAMESPACE = "scale"
NODES, NODE_GPUS = 1000, 8
JOBS, SIZE = 500, 8
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
SERVICES = f"/api/v1/namespaces/{NAMESPACE}/services"
GROUPS = f"/apis/scheduling.k8s.io/v1beta1/namespaces/{NAMESPACE}/podgroups"
# Nodes that tell that they are well, and a controller that asks them, would be most of the work.
_QUIET_NODES = "--node-lease-duration-seconds=0"
_QUIET_CONTROLLERS = "--controllers=*,-node-lifecycle-controller"


def limits(component: str) -> list[str]:
    """Return the arguments with which role kubernetes lets a program ask the API server."""
    defaults = yaml.safe_load((ROOT / "roles/kubernetes/defaults/main.yml").read_text(encoding="utf-8"))
    return [f"--kube-api-{name}={defaults[f'kubernetes_{component}_api_{name}']}" for name in ("qps", "burst")]


class Crowd:
    """A thousand nodes of eight GPUs, without a scheduler yet."""

    def __init__(self, folder: Path, with_jobs: bool, nodes: int = NODES) -> None:
        folder.mkdir(exist_ok=True)
        self.server = ApiServer(folder)
        if with_jobs:
            self.server.start_controllers(_QUIET_CONTROLLERS, *limits("controller_manager"))
            TrainingOperator(self.server, operator_manifest(), folder)
        self.server.create(namespace_object(NAMESPACE), "/api/v1/namespaces")
        self.server.start_nodes([], NODE_GPUS, _QUIET_NODES)
        self.each(self._add_node, range(nodes))

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.server.stop()

    def _add_node(self, number: int) -> None:
        name = f"gpu-{number:04d}"
        self.server.add_node(name, NODE_GPUS)
        # Admission taints a new node until a controller has seen that it is well; that one is left out here.
        self.server.patch(f"/api/v1/nodes/{name}", {"spec": {"taints": None}})

    def start_scheduler(self, arguments: Iterable[str] | None = None) -> None:
        """Start the scheduler, with the role's limits unless others are given."""
        self.server.start_scheduler(*(limits("scheduler") if arguments is None else arguments))

    def watched(self) -> Placements:
        """Return who sees when its pods get their nodes."""
        return Placements(self.server.kubeconfig, NAMESPACE)

    def rest(self) -> None:
        """Let nobody work but the scheduler, the server and the nodes."""
        for name in (OPERATOR, "controllers"):
            self.server.pause(name)

    def drop_services(self) -> None:
        """Take away the Services that the operator has made for the jobs."""
        names = [item["metadata"]["name"] for item in self.server.client.call("GET", SERVICES)["items"]]
        self.each(lambda number: self.server.client.call("DELETE", f"{SERVICES}/{names[number]}"), range(len(names)))

    def each(self, make: Callable[[int], Any], numbers: Iterable[int]) -> None:
        """Make many objects, several at a time."""
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(make, numbers))

    def make_pods(self, jobs: int, gangs: bool) -> None:
        """Make the pods of so many jobs as raw objects, with a PodGroup for each job or without."""
        if gangs:
            self.each(lambda number: self.server.create(group(f"scale-{number}"), GROUPS), range(jobs))
        self.each(
            lambda number: self.server.create(pod(f"scale-{number // SIZE}", number % SIZE, gangs), PODS),
            range(jobs * SIZE),
        )

    def await_pods(self, count: int, seconds: float = 1200) -> None:
        """Wait until there are so many pods."""
        end = time.monotonic() + seconds
        while (found := self._count()) < count:
            assert time.monotonic() < end, f"only {found} of {count} pods were made"
            time.sleep(1)

    def _count(self) -> int:
        listed = self.server.client.call("GET", PODS, [("limit", "1")])
        return len(listed["items"]) + int(listed["metadata"].get("remainingItemCount") or 0)


def group(name: str) -> dict[str, Any]:
    """Return the PodGroup of a gang as few words as it can be."""
    spec = {"schedulingPolicy": {"gang": {"minCount": SIZE}}}
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": metadata, "spec": spec}


def pod(name: str, index: int, gang: bool) -> dict[str, Any]:
    """Return a pod of one GPU that belongs to a job of this name."""
    labels = {"trainyard.mlstack/job-name": name}
    container = {"name": "main", "image": "t:1", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    spec = {"containers": [container], **({"schedulingGroup": {"podGroupName": name}} if gang else {})}
    metadata = {"name": f"{name}-{index}", "namespace": NAMESPACE, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def jobs(count: int, gangs: bool) -> list[dict[str, Any]]:
    """Return the options of so many jobs of eight pods."""
    options = {"namespace": NAMESPACE, "image": "t:1", "gpus": 1, "replicas": {"Worker": {"replicas": SIZE}}}
    return [{**options, "name": f"scale-{number}", **({"gang": {}} if gangs else {})} for number in range(count)]


def await_placed(seen: Placements, jobs: int, seconds: float = 1200) -> None:
    """Wait until all pods of so many jobs have a node."""
    end = time.monotonic() + seconds
    while (placed := sum(seen.placed(f"scale-{number}") for number in range(jobs))) < jobs * SIZE:
        assert time.monotonic() < end, f"only {placed} of {jobs * SIZE} pods have a node"
        time.sleep(0.5)
