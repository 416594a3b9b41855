# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volcano's own programs as plain processes, where TRAINYARD_VOLCANO_BIN names a folder that holds them.

They cannot be built from Go modules, so most machines have none. The configuration is that of Volcano's manifest.
"""

from __future__ import annotations

import base64
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.apply import Applier
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from tests.integration.support.api_server import ApiServer
from tests.integration.support.processes import Process, free_port
from tests.integration.support.training_operator import own_address
from tests.support.volcano import volcano_manifest

VARIABLE = "TRAINYARD_VOLCANO_BIN"
SCHEDULER, CONTROLLERS, WEBHOOKS = PROGRAMS = ("vc-scheduler", "vc-controller-manager", "vc-webhook-manager")
NAMESPACE, SERVICE = "volcano-system", "volcano-admission-service"
DEFAULT_QUEUE = "/apis/scheduling.volcano.sh/v1beta1/queues/default"


def folder() -> Path | None:
    """Return the folder of the programs, if one is named. Raises FileNotFoundError when one of them is not in it."""
    named = os.environ.get(VARIABLE)
    if not named:
        return None
    absent = [name for name in PROGRAMS if not os.access(Path(named) / name, os.X_OK)]
    if absent:
        # Whoever names a folder wants to see them run: a skip would look like a proof.
        raise FileNotFoundError(f"{VARIABLE} = {named}: no program {' and no '.join(absent)} in it")
    return Path(named)


def told() -> str:
    """Return in one line which programs the tests run against, or why against none."""
    try:
        found = folder()
    except FileNotFoundError as error:
        return f"Volcano's programs: {error}"
    if found is None:
        return f"Volcano's programs: skipped, {VARIABLE} names no folder with {', '.join(PROGRAMS)}"
    return f"Volcano's programs: those of {found}, {_version(found)}"


def _version(found: Path) -> str:
    done = subprocess.run([str(found / SCHEDULER), "--version"], capture_output=True, text=True, check=False)
    return " ".join((done.stdout or done.stderr).split())


def start_volcano(api: ApiServer, found: Path, files: Path) -> None:
    """Run the programs of a folder on an API server, until it ends. files: where their own files go.

    Returns when a job can be submitted: the webhooks answer and the default queue is open.
    """
    objects, port = volcano_manifest(), free_port()
    _apply(api, [item for item in objects if item["kind"] in ("Namespace", "ConfigMap", "CustomResourceDefinition")])
    _certificate(files)
    own = {
        WEBHOOKS: [
            f"--port={port}",
            f"--tls-cert-file={files / 'tls.crt'}",
            f"--tls-private-key-file={files / 'tls.key'}",
            f"--ca-cert-file={files / 'tls.crt'}",
            f"--admission-conf={_file(objects, 'volcano-admission.conf', files)}",
        ],
        CONTROLLERS: ["--enable-metrics=false"],
        SCHEDULER: [
            "--enable-metrics=false",
            f"--scheduler-conf={_file(objects, 'volcano-scheduler.conf', files)}",
            "--cache-dumper=false",
        ],
    }
    for name, arguments in own.items():
        # The last one of an argument counts. All three would answer for their health on one port of this machine.
        more = [f"--kubeconfig={api.kubeconfig}", "--enable-healthz=false", *arguments]
        api.adopt(name, Process(name, [*_arguments(objects, name), *more], files, path=found / name))
        if name == WEBHOOKS:
            # The scheduler makes the first queue, which these have to let in.
            _apply(api, [*_reachable(port), *_configurations(objects, files)])
    _until_open(api)


def _apply(api: ApiServer, objects: list[dict[str, Any]]) -> None:
    store, deadline = Store(api.client), Deadline(120)
    Applier(store, store.items(objects, NAMESPACE), deadline, lambda _text: None, check_mode=False).run()


def _arguments(objects: list[dict[str, Any]], program: str) -> list[str]:
    """Return the arguments that the manifest gives to a program."""
    pods = [item["spec"]["template"]["spec"] for item in objects if item["kind"] == "Deployment"]
    containers = [container for pod in pods for container in pod["containers"]]
    (found,) = (container for container in containers if f"/{program}:" in container["image"])
    # A redirection stands among them, for a shell that is not there.
    return [argument for argument in found["args"] if argument.startswith("-")]


def _file(objects: list[dict[str, Any]], name: str, files: Path) -> Path:
    """Write what a ConfigMap of the manifest holds under this name to a file; return its path."""
    maps = [item["data"] for item in objects if item["kind"] == "ConfigMap" and name in (item.get("data") or {})]
    (files / name).write_text(str(maps[0][name]), encoding="utf-8")
    return files / name


def _certificate(files: Path) -> None:
    name = f"{SERVICE}.{NAMESPACE}.svc"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-keyout", "tls.key"]
    command += ["-out", "tls.crt", "-subj", "/CN=volcano", "-addext", f"subjectAltName=DNS:{name}"]
    subprocess.run(command, cwd=files, check=True, capture_output=True)


def _configurations(objects: list[dict[str, Any]], files: Path) -> list[dict[str, Any]]:
    """Return the manifest's webhook configurations with the authority that signs for the program."""
    authority = base64.b64encode((files / "tls.crt").read_bytes()).decode()
    found = [each for each in objects if each["kind"].endswith("WebhookConfiguration")]
    for webhook in (webhook for each in found for webhook in each["webhooks"]):
        webhook["clientConfig"]["caBundle"] = authority
    return found


def _reachable(port: int) -> list[dict[str, Any]]:
    """Return the webhooks' Service without selector and its endpoint: the program on this machine."""
    ports = [{"name": "webhook", "port": 443, "targetPort": port, "protocol": "TCP"}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": SERVICE}, "spec": {"ports": ports}}
    endpoints = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": SERVICE, "labels": {"kubernetes.io/service-name": SERVICE}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [own_address()]}],
        "ports": [{"name": "webhook", "port": port, "protocol": "TCP"}],
    }
    return [service, endpoints]


def _until_open(api: ApiServer) -> None:
    end, seen = time.monotonic() + 120, ""
    while seen != "Open":
        assert time.monotonic() < end, f"Volcano's default queue is not open, but {seen or 'not there'}"
        time.sleep(0.2)
        try:
            seen = api.client.call("GET", DEFAULT_QUEUE).get("status", {}).get("state", "")
        except ApiError:
            seen = ""
