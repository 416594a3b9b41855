"""What checkov, a reader of manifests that knows the items of the CIS benchmark, finds in the programs of a cluster."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.lab.support.environments import make_environment
from tests.lab.support.lab import KUBECTL, Lab

FOLDER = Path(__file__).parent / "hardening"
PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
# Its items for a kubelet. All others are about pods, which a kubelet is not.
KUBELET_ITEMS = {"CKV_K8S_112", *(f"CKV_K8S_{number}" for number in range(138, 152))}


class Finding(NamedTuple):
    """An item that a program fails."""

    program: str
    item: str


def make_checkov() -> Path:
    """Return the program, in an environment made once for each change of its pins."""
    pins = [FOLDER / "requirements.txt", FOLDER / "constraints.txt"]
    name = "checkov-" + hashlib.sha256(b"".join(path.read_bytes() for path in pins)).hexdigest()[:12]
    return make_environment(name, "-r", str(pins[0]), "-c", str(pins[1])) / "checkov"


def recorded() -> set[Finding]:
    """Return what the repository says is left."""
    left = yaml.safe_load((FOLDER / "left.yml").read_text(encoding="utf-8"))
    return {Finding(program, entry["item"]) for entry in left for program in entry["in"]}


def collect(lab: Lab, folder: Path) -> None:
    """Write a manifest for each program of each of a lab's hosts below a folder."""
    for host in lab.groups["kube_control_plane"]:
        for program in PROGRAMS:
            manifest = _said(lab, host, f"cat /etc/kubernetes/manifests/{program}.yaml")
            _write(folder / host / f"{program}.yaml", manifest)
    for host in lab.hosts:
        _write(folder / host / "kubelet.yaml", json.dumps(_kubelet_pod(lab, host)))


def findings(checkov: Path, folder: Path) -> set[Finding]:
    """Return what is found in a folder's manifests. Raises AssertionError when not all of them were read."""
    command = [checkov, "--framework", "kubernetes", "--directory", ".", "--output", "json", "--skip-download"]
    # 1 is its status when an item fails, and some always do.
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, text=True, capture_output=True, check=False)
    assert done.returncode == 1, f"checkov ended with status {done.returncode}:\n{done.stdout}\n{done.stderr}"
    report = json.loads(done.stdout)
    assert report["summary"]["resource_count"] == len(list(folder.rglob("*.yaml"))), report["summary"]
    assert report["summary"]["parsing_errors"] == 0, report["results"]["parsing_errors"]
    found = {Finding(Path(f["file_path"]).stem, f["check_id"]) for f in report["results"]["failed_checks"]}
    return {finding for finding in found if finding.program != "kubelet" or finding.item in KUBELET_ITEMS}


def _kubelet_pod(lab: Lab, host: str) -> dict[str, Any]:
    """Return a running kubelet as a pod, the settings in use as flags: checkov reads no file of settings."""
    command = _said(lab, host, "tr '\\0' '\\n' < /proc/$(pgrep --exact kubelet)/cmdline").splitlines()[1:]
    control_plane = lab.groups["kube_control_plane"][0]
    # Lab hosts' names are their nodes' names.
    answer = _said(lab, control_plane, f"{KUBECTL} get --raw /api/v1/nodes/{host}/proxy/configz")
    settings = json.loads(answer)["kubeletconfig"]
    gates = settings.get("featureGates", {})
    # A setting that is off or empty may be missing; its flag is then what the kubelet takes for it.
    flags = {
        "anonymous-auth": settings["authentication"]["anonymous"]["enabled"],
        "authorization-mode": settings["authorization"]["mode"],
        "client-ca-file": settings["authentication"]["x509"].get("clientCAFile"),
        "event-qps": settings["eventRecordQPS"],
        "feature-gates": ",".join(f"{gate}={_text(on)}" for gate, on in gates.items()),
        "make-iptables-util-chains": settings["makeIPTablesUtilChains"],
        "protect-kernel-defaults": settings.get("protectKernelDefaults", False),
        "read-only-port": settings.get("readOnlyPort", 0),
        "rotate-certificates": settings.get("rotateCertificates", False),
        "streaming-connection-idle-timeout": settings["streamingConnectionIdleTimeout"],
        "tls-cert-file": settings.get("tlsCertFile"),
        "tls-cipher-suites": ",".join(settings.get("tlsCipherSuites", [])),
        "tls-private-key-file": settings.get("tlsPrivateKeyFile"),
    }
    command += [f"--{name}={_text(value)}" for name, value in flags.items() if value not in (None, "")]
    container = {"name": "kubelet", "image": "kubelet", "command": ["kubelet", *command]}
    metadata = {"name": "kubelet", "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _said(lab: Lab, host: str, command: str) -> str:
    done = lab.ssh(host, command)
    assert done.returncode == 0, f"{host}: {command}: {done.stderr}"
    return done.stdout


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
