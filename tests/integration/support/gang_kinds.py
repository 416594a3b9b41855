# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of gang schedulers on the API tier, where no scheduler runs: tests say what one would."""

from __future__ import annotations

from typing import Any

from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import open_crd
from tests.support.volcano import missing, volcano_crds

# What somebody may name; the API server has no scheduler that would make the last one.
QUEUES = ("team-a", "team-b", "default")
VOLCANO = "/apis/scheduling.volcano.sh/v1beta1"
KUBE_BATCH = "/apis/scheduling.incubator.k8s.io/v1alpha1"


def group_crds(group: str, version: str, queues: bool) -> list[dict[str, Any]]:
    """Return CRDs of PodGroups, and of Queues of the whole cluster; their objects hold anything."""
    crds = [open_crd(group, "PodGroup", version)]
    if queues:
        queue = open_crd(group, "Queue", version)
        queue["spec"]["scope"] = "Cluster"
        crds.append(queue)
    for crd in crds:
        # Names below k8s.io are Kubernetes' own: this is how others say that they know it.
        crd["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, for a test"}
    return crds


def kube_batch_crds() -> list[dict[str, Any]]:
    """Return the kinds of kube-batch."""
    return group_crds("scheduling.incubator.k8s.io", "v1alpha1", queues=True)


def foreign_gang_crds() -> list[dict[str, Any]]:
    """Return the kinds of all schedulers of gangs but Kubernetes' own; Volcano's as it publishes them, where it can."""
    plugins = group_crds("scheduling.x-k8s.io", "v1alpha1", queues=False)
    if missing():
        volcano = group_crds("scheduling.volcano.sh", "v1beta1", queues=True)
    else:
        volcano = [crd for crd in volcano_crds() if crd["spec"]["group"] == "scheduling.volcano.sh"]
    return [*kube_batch_crds(), *plugins, *volcano]


def make_queues(server: ApiServer) -> None:
    """Make the queues that options name, of each scheduler that has queues."""
    for path in (VOLCANO, KUBE_BATCH):
        for name in QUEUES:
            queue = {"apiVersion": path.partition("/apis/")[2], "kind": "Queue", "metadata": {"name": name}}
            server.create({**queue, "spec": {"weight": 1}}, f"{path}/queues")


def open_queue(server: ApiServer, name: str, state: str = "Open") -> None:
    """Say of a queue of Volcano what its controller would."""
    server.patch_status(f"{VOLCANO}/queues/{name}", {"state": state})


def volcano_queue(server: ApiServer, name: str, state: str = "Open", **spec: Any) -> None:
    """Make a queue of Volcano."""
    queue = {"apiVersion": VOLCANO.partition("/apis/")[2], "kind": "Queue", "metadata": {"name": name}, "spec": spec}
    server.create(queue, f"{VOLCANO}/queues")
    open_queue(server, name, state)
