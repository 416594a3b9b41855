# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real API server: etcd and kube-apiserver as processes, and the controllers that a test asks for."""

from __future__ import annotations

import json
import secrets
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence
from urllib.parse import parse_qs, urlparse

import yaml

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.client import Client, connect
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.control_plane_arguments import (
    NATIVE_GANG_API,
    NATIVE_GANG_GATES,
)
from tests.integration.support.processes import Process, free_port

USER_AGENT = "trainyard.mlstack"
# How pods end: plays.py writes what these stages read.
STAGES = Path(__file__).with_name("kwok_stages")
_WRITES = {"create", "update", "patch", "delete", "deletecollection"}


@dataclass(frozen=True)
class Alpha:
    """An API server of a version that has gangs as alpha. program: its path. gates, api: what switches them on."""

    program: Path
    gates: tuple[str, ...]
    api: str


class ApiServer:
    """One API server with nothing in it.

    folder: where all its files go. gangs: as role kubernetes sets it up. minor: another Kubernetes than the release's;
    the test programs hold 1.24. alpha: one that is no test program.
    """

    def __init__(self, folder: Path, gangs: bool = True, minor: str = "", alpha: Alpha | None = None) -> None:
        self._folder = folder
        self._minor = f"-{minor}" if minor else ""
        self._alpha = alpha
        every = dict.fromkeys(alpha.gates, True) if alpha else NATIVE_GANG_GATES
        gates = ",".join(f"{name}={str(value).lower()}" for name, value in every.items())
        self._gates = [f"--feature-gates={gates}"] if gangs else []
        self._processes: dict[str, Process] = {}
        self._port = free_port()
        self._audit = folder / "audit.log"
        self.kubeconfig = folder / "kubeconfig"
        self.token = secrets.token_hex(16)
        # Users without any right; the server reads their tokens only once.
        self._users = {f"restricted-{number}": secrets.token_hex(16) for number in range(10)}
        self._free_users = iter(list(self._users))
        self._start_etcd_and_api()
        self.client: Client = connect(str(self.kubeconfig), None)

    def _start_etcd_and_api(self) -> None:
        client, peer = (f"http://127.0.0.1:{free_port()}" for _end in range(2))
        etcd = ["--unsafe-no-fsync", f"--data-dir={self._folder / 'etcd'}", f"--listen-client-urls={client}"]
        etcd += [f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}", "--log-level=error"]
        etcd += [f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=default={peer}"]
        self._processes["etcd"] = Process("etcd", etcd, self._folder)
        key = self._folder / "sa.key"
        subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
        users = [f"{self.token},admin,admin,system:masters"]
        users += [f"{token},{name},{name}" for name, token in self._users.items()]
        (self._folder / "tokens.csv").write_text("\n".join([*users, ""]), encoding="utf-8")
        rules = [{"level": "Metadata"}]
        policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": rules}
        (self._folder / "audit.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
        certificates = self._folder / "certificates"
        self._processes["api"] = Process(
            f"kube-apiserver{self._minor}",
            [
                f"--etcd-servers={client}",
                "--bind-address=127.0.0.1",
                f"--secure-port={self._port}",
                f"--cert-dir={certificates}",
                f"--token-auth-file={self._folder / 'tokens.csv'}",
                "--authorization-mode=RBAC",
                "--service-account-issuer=https://kubernetes.default.svc",
                f"--service-account-key-file={key}",
                f"--service-account-signing-key-file={key}",
                "--service-cluster-ip-range=10.96.0.0/16",
                # No controller makes the default service account unless a test asks for one.
                "--disable-admission-plugins=ServiceAccount",
                f"--audit-policy-file={self._folder / 'audit.yaml'}",
                f"--audit-log-path={self._audit}",
                "--audit-log-mode=blocking",
                "--allow-privileged",
                # A webhook's service is reached by its endpoints: nothing here knows about cluster addresses.
                "--enable-aggregator-routing=true",
                *self._gates,
                *([f"--runtime-config={self._alpha.api if self._alpha else NATIVE_GANG_API}"] if self._gates else []),
            ],
            self._folder,
            path=self._alpha.program if self._alpha else None,
        )
        self._write_kubeconfig(self.kubeconfig, self.token)
        self._processes["api"].until(lambda: self._answers("/readyz"))

    def _write_kubeconfig(self, path: Path, token: str) -> None:
        cluster = {
            "server": f"https://127.0.0.1:{self._port}",
            "certificate-authority": str(self._folder / "certificates" / "apiserver.crt"),
        }
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "user", "user": {"token": token}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "user"}}],
            "current-context": "test",
        }
        path.write_text(yaml.safe_dump(config), encoding="utf-8")

    def user(self, folder: Path, namespace: str, rules: list[dict[str, Any]]) -> Path:
        """Return the kubeconfig of a user who may do what the rules say, in one namespace or (empty) everywhere."""
        name = next(self._free_users)
        path = folder / f"{name}.kubeconfig"
        self._write_kubeconfig(path, self._users[name])
        group, kind = "rbac.authorization.k8s.io", "Role" if namespace else "ClusterRole"
        role = {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name}, "rules": rules}
        binding = {
            "apiVersion": f"{group}/v1",
            "kind": f"{kind}Binding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": group, "kind": kind, "name": name},
            "subjects": [{"apiGroup": group, "kind": "User", "name": name}],
        }
        root = f"/apis/{group}/v1" + (f"/namespaces/{namespace}" if namespace else "")
        for plural, item in ((f"{kind.lower()}s", role), (f"{kind.lower()}bindings", binding)):
            self.create(item, f"{root}/{plural}")
        client, first, end = connect(str(path), None), rules[0], time.monotonic() + 30
        attributes = {"verb": first["verbs"][0], "group": first["apiGroups"][0], "resource": first["resources"][0]}
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {**attributes, **({"namespace": namespace} if namespace else {})}},
        }
        # The server's authorizer sees a new binding a moment later.
        url = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        while not client.call("POST", url, (), review)["status"]["allowed"]:
            assert time.monotonic() < end, f"{name} did not get its rights"
            time.sleep(0.05)
        return path

    def service_account(self, folder: Path, namespace: str, name: str) -> Path:
        """Return the kubeconfig of a service account, as a pod of it would have it."""
        url = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        path = folder / f"{name}.kubeconfig"
        self._write_kubeconfig(path, self.client.call("POST", url, (), request)["status"]["token"])
        return path

    def _answers(self, path: str) -> bool:
        context = ssl._create_unverified_context()
        request = urllib.request.Request(
            f"https://127.0.0.1:{self._port}{path}", headers={"Authorization": f"Bearer {self.token}"}
        )
        try:
            return bool(urllib.request.urlopen(request, context=context, timeout=2).status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def start_controllers(self, *more: str) -> None:
        """Start kube-controller-manager: workloads, garbage collection, namespaces. more: arguments."""
        arguments = [f"--kubeconfig={self.kubeconfig}", "--leader-elect=false", "--bind-address=127.0.0.1"]
        arguments += [f"--secure-port={free_port()}", f"--cert-dir={self._folder / 'controller-certificates'}"]
        arguments += [f"--service-account-private-key-file={self._folder / 'sa.key'}"]
        program = f"kube-controller-manager{self._minor}"
        self._processes["controllers"] = Process(program, [*arguments, *self._gates, *more], self._folder)

    def start_scheduler(self, *more: str) -> None:
        """Start kube-scheduler. more: arguments."""
        arguments = [f"--kubeconfig={self.kubeconfig}", "--leader-elect=false", "--bind-address=127.0.0.1"]
        arguments += [f"--secure-port={free_port()}", f"--cert-dir={self._folder / 'scheduler-certificates'}"]
        self._processes["scheduler"] = Process("kube-scheduler", [*arguments, *self._gates, *more], self._folder)

    def start_nodes(self, names: list[str], gpus: int, *more: str) -> None:
        """Start KWOK and give it nodes with GPUs; pods that are bound to them run at once and end as they say.

        more: arguments.
        """
        arguments = [f"--kubeconfig={self.kubeconfig}", "--manage-all-nodes=true", *more]
        arguments += [f"--config={stage}" for stage in sorted(STAGES.glob("*.yml"))]
        self._processes["kwok"] = Process("kwok", arguments, self._folder)
        for name in names:
            self.add_node(name, gpus)

    def add_node(self, name: str, gpus: int = 0, taints: Sequence[dict[str, str]] = ()) -> None:
        """Add a node, which KWOK plays."""
        amounts = {"cpu": "8", "memory": "16Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": list(taints)}}
        self.create({**node, "status": {"allocatable": amounts, "capacity": amounts}}, "/api/v1/nodes")

    def pause(self, name: str) -> None:
        """Stop a process in the middle of what it does; it ends with the others."""
        self._processes[name].pause()

    def adopt(self, name: str, process: Process) -> None:
        """End this process with the server."""
        self._processes[name] = process

    def stop(self) -> None:
        """End everything."""
        for process in reversed(list(self._processes.values())):
            process.stop()

    def audit_mark(self) -> int:
        """Return where the audit log ends now; `writes` counts from there."""
        return self._audit.stat().st_size

    def writes(self, mark: int, dry_runs: bool = False) -> list[str]:
        """Return our modules' requests since `mark` that could have changed something; dry_runs: and those too."""
        with self._audit.open("rb") as log:
            log.seek(mark)
            events = [json.loads(line) for line in log]
        mine = [event for event in events if event.get("userAgent") == USER_AGENT and event["verb"] in _WRITES]
        return [
            f"{event['verb']} {event['requestURI']}"
            for event in mine
            if dry_runs or "All" not in parse_qs(urlparse(event["requestURI"]).query).get("dryRun", [])
        ]

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Fail when one of our modules writes anything inside the block; dry runs are no writes."""
        mark = self.audit_mark()
        yield
        assert self.writes(mark) == []

    def create(self, manifest: dict[str, Any], path: str) -> dict[str, Any]:
        """Create an object as somebody else would."""
        return self.client.call("POST", f"{path}?fieldManager=somebody", (), manifest)

    def patch(self, path: str, change: dict[str, Any]) -> None:
        """Change an object as somebody else would."""
        self.client.call("PATCH", path, (), change, "application/merge-patch+json")

    def patch_status(self, path: str, status: dict[str, Any]) -> None:
        """Set an object's status as its controller would."""
        self.patch(f"{path}/status", {"status": status})
