# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real training operator as a plain process, its admission webhook reachable for the API server."""

from __future__ import annotations

import base64
import os
import socket
import time
import urllib.request
from pathlib import Path
from typing import Any, Sequence

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.apply import Applier
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.wait import until_ready
from tests.integration.support.api_server import ApiServer
from tests.integration.support.processes import Process, free_port, program
from tests.support.paths import ROOT

NAMESPACE, NAME = "kubeflow", "training-operator"
# Fixed in the operator's source. Each operator sees a folder of its own there, so that several run on one machine.
CERTIFICATES = Path("/tmp/k8s-webhook-server")
_ALONE = ["--mount", "--propagation=private", *([] if os.geteuid() == 0 else ["--map-root-user"])]
_BIND = f'mount --bind "$0" {CERTIFICATES} && exec "$@"'
KINDS = ("TFJob", "PyTorchJob")
# What role training_operator puts before the program of a PyTorchJob's workers.
INIT_TEMPLATE = ROOT / "roles/training_operator/files/pytorch_init.yaml"
INIT_IMAGE = "registry.example.test:5000/busybox:1"
_CONFIGURATION = "validator.training-operator.kubeflow.org"


class TrainingOperator:
    """Installs what the operator needs on an API server and runs it there, for TFJobs and PyTorchJobs."""

    def __init__(self, api: ApiServer, manifest: Sequence[dict[str, Any]], folder: Path) -> None:
        self._certificates = folder / "webhook"
        self._store = Store(api.client)
        port, health = free_port(), free_port()
        self._apply([item for item in manifest if _needed(item)])
        self._apply(_reachable(port))
        arguments = [*(f"--enable-scheme={kind.lower()}" for kind in KINDS)]
        # Its own defaults are made for few jobs: tests start dozens at once.
        arguments += ["--controller-threads=4", "--kube-api-qps=200", "--kube-api-burst=300"]
        arguments += [f"--pytorch-init-container-template-file={INIT_TEMPLATE}"]
        arguments += [f"--pytorch-init-container-image={INIT_IMAGE}"]
        arguments += [f"--webhook-server-port={port}", "--metrics-bind-address=0"]
        arguments += [f"--health-probe-bind-address=127.0.0.1:{health}", f"--kubeconfig={api.kubeconfig}"]
        for path in (self._certificates, CERTIFICATES):
            path.mkdir(exist_ok=True)
        command = [*_ALONE, "sh", "-c", _BIND, str(self._certificates), program(NAME), *arguments]
        process = Process(NAME, command, folder, path=Path("/usr/bin/unshare"))
        api.adopt(NAME, process)
        self._hand_out_certificate()
        process.until(lambda: _answers(f"http://127.0.0.1:{health}/readyz"))
        until_ready(self._store, [_webhook_ref()], Deadline(120), lambda _text: None)

    def _apply(self, manifests: Sequence[dict[str, Any]]) -> None:
        items = self._store.items(manifests, NAMESPACE)
        Applier(self._store, items, Deadline(120), lambda _text: None, check_mode=False).run()

    def _hand_out_certificate(self) -> None:
        """Put the Secret that the operator fills where it looks for it; in a cluster the kubelet mounts it there."""
        ref, end = Ref("v1", "Secret", f"{NAME}-webhook-cert", NAMESPACE), time.monotonic() + 120
        while not (data := (self._store.read(ref) or {}).get("data")):
            assert time.monotonic() < end, "the operator made no certificate"
            time.sleep(0.1)
        served = self._certificates / "serving-certs"
        served.mkdir(exist_ok=True)
        for name, content in data.items():
            (served / name).write_bytes(base64.b64decode(content))


def _webhook_ref() -> Ref:
    return Ref("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", _CONFIGURATION)


def _needed(item: dict[str, Any]) -> bool:
    """Tell whether an object of the manifest is of use without a kubelet."""
    if item["kind"] == "CustomResourceDefinition":
        return bool(item["spec"]["names"]["kind"] in KINDS)
    return item["kind"] in ("Namespace", "Secret", "ValidatingWebhookConfiguration")


def _reachable(port: int) -> list[dict[str, Any]]:
    """Return a Service without selector and its endpoint: the operator on this machine."""
    ports = [{"name": "webhook", "port": 443, "targetPort": port, "protocol": "TCP"}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": NAME}, "spec": {"ports": ports}}
    endpoints = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": NAME, "labels": {"kubernetes.io/service-name": NAME}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [own_address()]}],
        "ports": [{"name": "webhook", "port": port, "protocol": "TCP"}],
    }
    return [service, endpoints]


def own_address() -> str:
    """Return an address of this machine that is not the loopback one: endpoints on that are refused."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Nothing is sent: connecting a datagram socket only asks the kernel for the way.
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


def _answers(url: str) -> bool:
    try:
        return bool(urllib.request.urlopen(url, timeout=2).status == 200)
    except OSError:
        return False
