# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.flannel import leftovers, objects

OPTIONS: dict[str, Any] = {
    "image": "ghcr.io/flannel-io/flannel:v0.27.4",
    "kind": "flannel",
    "pod_cidr": "10.5.0.0/16",
    "vxlan_port": 8472,
}


def found(kind: str, /, **changes: Any) -> dict[str, Any]:
    return next(item for item in objects({**OPTIONS, **changes}) if item["kind"] == kind)


def settings(**changes: Any) -> dict[str, Any]:
    return dict(json.loads(found("ConfigMap", **changes)["data"]["net-conf.json"]))


def pod_annotations(**changes: Any) -> dict[str, str]:
    return dict(found("DaemonSet", **changes)["spec"]["template"]["metadata"]["annotations"])


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
    assert settings()["Network"] == "10.5.0.0/16"


@pytest.mark.parametrize(
    ("pod_cidr", "networks"),
    [
        ("10.5.0.0/16", {"Network": "10.5.0.0/16"}),
        ("fd00:5::/56", {"EnableIPv4": False, "EnableIPv6": True, "IPv6Network": "fd00:5::/56"}),
        ("10.5.0.0/16,fd00:5::/56", {"Network": "10.5.0.0/16", "EnableIPv6": True, "IPv6Network": "fd00:5::/56"}),
        ("fd00:5::/56, 10.5.0.0/16", {"Network": "10.5.0.0/16", "EnableIPv6": True, "IPv6Network": "fd00:5::/56"}),
    ],
)
def test_networks_of_both_ip_versions(pod_cidr: str, networks: dict[str, Any]) -> None:
    found = settings(pod_cidr=pod_cidr)
    assert {key: found[key] for key in found if key not in ("Backend", "EnableNFTables")} == networks


@pytest.mark.parametrize(
    ("pod_cidr", "names"),
    [
        ("10.5.0.0/16", {"FLANNELD_IFACE"}),
        ("10.5.0.0/16,fd00:5::/56", {"FLANNELD_IFACE"}),
        ("fd00:5::/56", {"FLANNELD_IFACE", "FLANNELD_PUBLIC_IPV6"}),
        ("fd00:5::/56,10.5.0.0/16", {"FLANNELD_IFACE", "FLANNELD_PUBLIC_IPV6"}),
    ],
)
def test_it_uses_the_card_that_bears_the_nodes_address(pod_cidr: str, names: set[str]) -> None:
    (container,) = found("DaemonSet", pod_cidr=pod_cidr)["spec"]["template"]["spec"]["containers"]
    assert {item["name"] for item in container["env"] if item.get("value") == "$(NODE_ADDRESS)"} == names


def test_the_overlay_is_vxlan_on_the_given_port() -> None:
    assert settings(vxlan_port=4789)["Backend"] == {"Type": "vxlan", "Port": 4789}


def test_routes_need_no_overlay() -> None:
    assert settings(kind="routes")["Backend"] == {"Type": "host-gw"}


@pytest.mark.parametrize("change", [{"kind": "routes"}, {"vxlan_port": 4789}, {"pod_cidr": "10.6.0.0/16"}])
def test_changed_settings_replace_the_pods_that_read_them(change: dict[str, Any]) -> None:
    assert pod_annotations() == pod_annotations()
    assert pod_annotations(**change) != pod_annotations()


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


ROUTES = [
    {"network": "192.0.2.0/24", "interface": "eth0", "gateway": ""},
    {"network": "10.0.0.0/8", "interface": "eth0", "gateway": "192.0.2.1"},
    {"network": "10.5.0.0/24", "interface": "cni0", "gateway": ""},
    {"network": "10.5.1.0/24", "interface": "flannel.1", "gateway": "10.5.1.0"},
    {"network": "10.5.2.0/24", "interface": "flannel.1", "gateway": "10.5.2.0"},
    {"network": "fd00:5:0:1::/64", "interface": "flannel-v6.1", "gateway": "fd00:5:0:1::"},
    {"network": "fd00:5:0:1::/64", "interface": "eth0", "gateway": "2001:db8::11"},
]


@pytest.mark.parametrize(
    ("kind", "commands"),
    [
        ("flannel", ["route delete fd00:5:0:1::/64 via 2001:db8::11 dev eth0"]),
        ("routes", ["link delete flannel.1", "link delete flannel-v6.1"]),
        ("none", []),
    ],
)
def test_what_the_other_kind_has_left_goes_and_nothing_else(kind: str, commands: list[str]) -> None:
    assert leftovers(ROUTES, kind, "10.5.0.0/16,fd00:5::/56") == commands
