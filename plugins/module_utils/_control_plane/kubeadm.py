# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What kubeadm has made of this host, and how to take it further. Python 3.8, standard library only."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from typing import Any, Dict, List, NamedTuple, Optional

from .._common.owned_files import FileState, write
from .kubeconfig import server_of

KUBEADM = "/usr/local/bin/kubeadm"
KUBECTL = "/usr/local/bin/kubectl"
PHASE = re.compile(r"^\[([a-z-]+)\]")


class Layout(NamedTuple):
    """Where kubeadm and this collection keep things; a test gives another root."""

    kubernetes: str = "/etc/kubernetes"
    kubelet: str = "/var/lib/kubelet"
    kubeadm: str = KUBEADM

    @property
    def own(self) -> str:
        return os.path.join(self.kubernetes, "mlstack")

    @property
    def config(self) -> str:
        return os.path.join(self.own, "kubeadm.yaml")

    @property
    def join_config(self) -> str:
        """The configuration by which a control plane joins others; kubeadm refuses it beside that of a first one."""
        return os.path.join(self.own, "kubeadm-join.yaml")

    @property
    def state(self) -> str:
        return os.path.join(self.own, "kubeadm.json")

    @property
    def discovery(self) -> str:
        return os.path.join(self.own, "discovery.conf")

    @property
    def admin(self) -> str:
        return os.path.join(self.kubernetes, "admin.conf")

    @property
    def ca(self) -> str:
        return self.pki("ca.crt")

    @property
    def journal(self) -> str:
        return os.path.join(self.own, "settings.json")

    def manifest(self, component: str) -> str:
        return os.path.join(self.kubernetes, "manifests", f"{component}.yaml")

    @property
    def pki_folder(self) -> str:
        return os.path.join(self.kubernetes, "pki")

    def pki(self, name: str) -> str:
        return os.path.join(self.pki_folder, name)

    def config_of(self, step: str) -> str:
        """Return the configuration that kubeadm is given for `step`."""
        return self.join_config if step == "join_control_plane" else self.config

    def result_of(self, step: str) -> List[str]:
        """Return the files that exist when `step` has done its work."""
        kubelet = os.path.join(self.kubernetes, "kubelet.conf")
        return (
            [kubelet, os.path.join(self.kubelet, "pki", "kubelet-client-current.pem")]
            if step == "join"
            else [kubelet, self.admin]
        )


class State(NamedTuple):
    """How far a step is, and the sum of the configuration it was made from.

    stage: `done`, `half` (begun by us and not ended) or `none`.
    """

    stage: str
    config_sha256: Optional[str]


def read_state(layout: Layout, step: str) -> State:
    """Return how far `step` is on this host. A cluster that somebody else's kubeadm finished counts as done."""
    record = read_record(layout)
    made = all(os.path.exists(path) for path in layout.result_of(step))
    if made and record.get("stage") != "begun":
        return State("done", record.get("config_sha256"))
    # A worker whose kubelet holds its own certificate has joined, even when kubeadm was killed before it said so.
    if made and step == "join":
        return State("done", record.get("config_sha256"))
    return State("half" if record else "none", record.get("config_sha256"))


def read_record(layout: Layout) -> Dict[str, Any]:
    """Return what was written of the last step, `step` and `stage` among it; empty when there was none."""
    if not os.path.exists(layout.state):
        return {}
    with open(layout.state, encoding="utf-8") as handle:
        return dict(json.load(handle))


def stage_of(layout: Layout) -> str:
    """Return how far this host is as a node, whatever kind of node: `done`, `half` or `none`."""
    kind = "init" if os.path.exists(layout.admin) else "join"
    return read_state(layout, read_record(layout).get("step", kind)).stage


def write_state(layout: Layout, step: str, stage: str) -> None:
    """Record that `step` has `begun` or is `done`, in one step that survives a power cut."""
    record = {"step": step, "stage": stage, "config_sha256": config_sha256(layout, step)}
    write(layout.state, FileState(json.dumps(record), "0644"))


def config_sha256(layout: Layout, step: str) -> Optional[str]:
    """Return the sum of the kubeadm configuration of `step`, or None when there is none."""
    if not os.path.exists(layout.config_of(step)):
        return None
    with open(layout.config_of(step), "rb") as handle:
        return hashlib.sha256(handle.read()).hexdigest()


def phase_of(line: str) -> Optional[str]:
    """Return the phase that a line of kubeadm's output belongs to."""
    found = PHASE.match(line)
    return found.group(1) if found else None


def discovery_kubeconfig(layout: Layout, token: str) -> str:
    """Return the kubeconfig by which a new node finds the API server, trusts it and asks for its certificate.

    It is JSON, which every reader of kubeconfigs takes. Raises ValueError when admin.conf names no server.
    """
    with open(layout.admin, encoding="utf-8") as handle:
        server = server_of(handle.read())
    if server is None:
        raise ValueError(f"{layout.admin} names no server")
    with open(layout.ca, "rb") as handle:
        authority = base64.b64encode(handle.read()).decode()
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": "cluster", "cluster": {"server": f"https://{server}", "certificate-authority-data": authority}}
            ],
            "users": [{"name": "bootstrap", "user": {"token": token}}],
            "contexts": [{"name": "join", "context": {"cluster": "cluster", "user": "bootstrap"}}],
            "current-context": "join",
        }
    )
