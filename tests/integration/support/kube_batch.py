# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-batch as a plain process on an API server of Kubernetes 1.24, with KWOK nodes that hold GPUs.

It runs as role gang_scheduler deploys it: with the role's definitions, configuration and flags, and as its service
account, which has the rights of the role's ClusterRole and no others.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import yaml

from ansible_collections.trainyard.mlstack.plugins.filter.objects import objects
from tests.integration.conftest import run_module
from tests.integration.support.api_server import ApiServer
from tests.integration.support.processes import Process, free_port
from tests.support.paths import ROOT

NAME = "kube-batch"


def role_objects(without: str = "") -> dict[str, list[dict[str, Any]]]:
    """Return what the role applies, by kind. without: a plugin that is left out of its configuration."""
    variables = yaml.safe_load((ROOT / "roles/gang_scheduler/vars/main.yml").read_text(encoding="utf-8"))
    conf = variables["__gang_scheduler_confs"]["kube_batch"]
    for tier in conf["tiers"]:
        tier["plugins"] = [plugin for plugin in tier["plugins"] if plugin["name"] != without]
    found: dict[str, list[dict[str, Any]]] = {}
    for item in objects("kube-batch:1", "kube_batch", conf):
        found.setdefault(item["kind"], []).append(item)
    return found


class KubeBatch:
    """Kubernetes 1.24 with its controllers, and kube-batch while a test lets it run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.server = ApiServer(folder, gangs=False, minor="1.24")
        # Its own limits are made for few jobs: tests start dozens at once.
        self.server.start_controllers("--kube-api-qps=200", "--kube-api-burst=300")
        self.server.start_nodes([], gpus=0)
        objects = [item for kind, items in role_objects().items() if kind != "Deployment" for item in items]
        made = run_module(self.server, "objects", objects=objects)
        assert made["changed"], made
        self.make_queues({"default": 1})
        self._kubeconfig = self.server.service_account(folder, NAME, NAME)

    def __enter__(self) -> KubeBatch:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.server.stop()

    @contextmanager
    def running(self, without: str = "") -> Iterator[None]:
        """Let kube-batch run inside the block. without: a plugin that it does not have."""
        objects, conf = role_objects(without), self._folder / "kube-batch.conf"
        (text,) = objects["ConfigMap"][0]["data"].values()
        conf.write_text(text, encoding="utf-8")
        own = {
            "--scheduler-conf": str(conf),
            "--kubeconfig": str(self._kubeconfig),
            "--listen-address": f"127.0.0.1:{free_port()}",
        }
        flags = objects["Deployment"][0]["spec"]["template"]["spec"]["containers"][0]["args"]
        arguments = [flag for flag in flags if flag.partition("=")[0] not in own]
        process = Process(NAME, [*arguments, *(f"{name}={value}" for name, value in own.items())], self._folder)
        self.server.adopt(NAME, process)
        try:
            yield
        finally:
            process.stop()

    @contextmanager
    def nodes(self, count: int, gpus: int) -> Iterator[None]:
        """Give the cluster nodes inside the block."""
        names = [f"gpu-{number}" for number in range(count)]
        for name in names:
            self.server.add_node(name, gpus)
        try:
            yield
        finally:
            for name in names:
                self.server.client.call("DELETE", f"/api/v1/nodes/{name}")

    def make_queues(self, weights: dict[str, int]) -> None:
        """Make queues of these weights."""
        queues = [{"name": name, "weight": weight} for name, weight in weights.items()]
        made = run_module(self.server, "queue", backend="kube_batch", queues=queues)
        assert made["changed"], made
