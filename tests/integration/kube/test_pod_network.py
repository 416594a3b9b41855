# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Role pod_network where the network is the user's: what is applied, what is waited for, what is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import later
from tests.support.paths import ROOT

NODES = "/api/v1/nodes"


def run_role(api: ApiServer, folder: Path, **options: Any) -> tuple[int, str]:
    """Run the role for one node on localhost; return the status and the screen as one line."""
    values = {
        "pod_network_kind": "none",
        "pod_network_kubeconfig": str(api.kubeconfig),
        "pod_network_node_names": ["bring-your-own"],
        **options,
    }
    roles = [{"role": "trainyard.mlstack.pod_network", "vars": values}]
    path = folder / "play.yml"
    path.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "roles": roles}]), encoding="utf-8")
    environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "LC_ALL": "C.UTF-8"}
    command = [str(Path(sys.executable).parent / "ansible-playbook"), str(path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def ready(api: ApiServer, word: str) -> None:
    """Say of the node what a kubelet would."""
    reason = {"True": "KubeletReady", "False": "KubeletNotReady"}[word]
    condition = {"type": "Ready", "status": word, "reason": reason, "message": "cni plugin not initialized"}
    api.patch_status(f"{NODES}/bring-your-own", {"conditions": [condition]})


@pytest.fixture
def node(api: ApiServer) -> None:
    """A node that waits for its network, as after every kubeadm join."""
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "bring-your-own"}}
    if "bring-your-own" not in {item["metadata"]["name"] for item in api.client.call("GET", NODES)["items"]}:
        api.client.call("POST", NODES, body=manifest)
    ready(api, "False")


def test_without_a_network_plugin_the_run_ends_and_says_what_to_do(api: ApiServer, node: None, tmp_path: Path) -> None:
    status, screen = run_role(api, tmp_path, pod_network_timeout=2)
    assert status != 0
    for words in (
        "whose network plugin is yours to bring",
        "cni plugin not initialized",
        "mlstack_pod_network_manifests",
        f"KUBECONFIG={api.kubeconfig}",
    ):
        assert words in screen


def test_the_run_goes_on_as_soon_as_the_plugin_works(api: ApiServer, node: None, tmp_path: Path) -> None:
    with later(4, lambda: ready(api, "True")):
        status, screen = run_role(api, tmp_path, pod_network_timeout=60)
    assert (status, "changed=0" in screen) == (0, True), screen


def test_the_users_manifests_are_applied_once(api: ApiServer, node: None, namespace: str, tmp_path: Path) -> None:
    ready(api, "True")
    first, second = (
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}}
        for name in ("plugin", "settings")
    )
    (tmp_path / "plugin.yaml").write_text(f"---\n{json.dumps(first)}\n---\n{json.dumps(second)}\n---\n")
    files = [str(tmp_path / "plugin.yaml")]
    assert "changed=1" in run_role(api, tmp_path, pod_network_manifests=files)[1]
    assert "changed=0" in run_role(api, tmp_path, pod_network_manifests=files)[1]
    made = api.client.call("GET", f"/api/v1/namespaces/{namespace}/configmaps")["items"]
    assert {"plugin", "settings"} <= {item["metadata"]["name"] for item in made}
