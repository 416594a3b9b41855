# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

from ansible_collections.trainyard.mlstack.plugins.module_utils._flannel import objects

OPTIONS = {"image": "ghcr.io/flannel-io/flannel:v0.27.4", "pod_cidr": "10.5.0.0/16", "vxlan_port": 8472}


def test_every_object_once() -> None:
    kinds = [item["kind"] for item in objects(OPTIONS)]
    assert sorted(kinds) == [
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "DaemonSet",
        "Namespace",
        "ServiceAccount",
    ]


def test_the_network_is_the_pods_network() -> None:
    config = next(item for item in objects(OPTIONS) if item["kind"] == "ConfigMap")
    assert json.loads(config["data"]["net-conf.json"])["Network"] == "10.5.0.0/16"


def test_it_runs_on_every_node_without_full_privileges() -> None:
    pod = next(item for item in objects(OPTIONS) if item["kind"] == "DaemonSet")["spec"]["template"]["spec"]
    assert {toleration["effect"] for toleration in pod["tolerations"]} == {"NoSchedule", "NoExecute"}
    container = pod["containers"][0]
    assert container["image"] == OPTIONS["image"]
    assert container["securityContext"] == {"privileged": False, "capabilities": {"add": ["NET_ADMIN", "NET_RAW"]}}


def test_it_may_not_read_secrets_or_change_anything_but_its_nodes_status() -> None:
    rules = next(item for item in objects(OPTIONS) if item["kind"] == "ClusterRole")["rules"]
    assert [(rule["resources"], rule["verbs"]) for rule in rules] == [
        (["nodes"], ["get", "list", "watch"]),
        (["nodes/status"], ["patch"]),
    ]
