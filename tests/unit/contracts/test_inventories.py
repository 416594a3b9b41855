"""The inventories that the documentation shows, and those in inventories/: Ansible reads them, preflight takes them."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.vars.manager import VariableManager

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.judge import Run, judge
from tests.unit.contracts import tree
from tests.unit.plugins.plugin_utils._preflight.good_facts import GOOD_NODE
from tests.unit.plugins.plugin_utils._preflight.test_judge import OPTIONS

PAGE = tree.ROOT / "docs" / "inventories.md"
SECTION = re.compile(r"^## (.+?)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```ini\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    pytest.param(block, id=f"{title}-{number}")
    for title, text in SECTION.findall(PAGE.read_text(encoding="utf-8"))
    for number, block in enumerate(BLOCK.findall(text))
]
CHECKS = ("inventory", "groups", "options", "networks", "pod_network", "names", "endpoint")


def read(path: Path) -> tuple[dict[str, list[str]], dict[str, dict[str, Any]]]:
    """Return the hosts by group and the variables by host, as Ansible reads them."""
    loader = DataLoader()
    inventory = InventoryManager(loader=loader, sources=[str(path)])
    found = VariableManager(loader=loader, inventory=inventory)
    hosts = inventory.get_hosts("all")
    variables = {host.name: dict(found.get_vars(host=host, include_hostvars=False)) for host in hosts}
    return {name: list(members) for name, members in inventory.get_groups_dict().items()}, variables


def node(host: str, variables: dict[str, Any], versions: list[int]) -> dict[str, Any]:
    """Return what node_info would read on the host: one that has what its variables say and all that is needed."""
    by_name = f"192.0.2.{sum(host.encode()) % 200}"
    given = str(variables.get("mlstack_node_ip", variables.get("ip", variables.get("ansible_host", by_name))))
    chosen = [text.strip() for text in given.split(",")]
    if len(versions) == 2 and len(chosen) == 1:
        chosen.append(f"2001:db8::{chosen[0].rpartition('.')[2]}")
    networks = [str(ipaddress.ip_network((ip, 24 if "." in ip else 64), strict=False)) for ip in chosen]
    return {
        **GOOD_NODE,
        "name": str(variables.get("mlstack_node_name", host)).lower(),
        "address": chosen[0],
        "address_secondary": chosen[1] if len(chosen) > 1 else None,
        "cluster_networks": networks,
    }


def problems(path: Path) -> list[str]:
    """Return what preflight has against the inventory, on hosts that are as they should be."""
    groups, variables = read(path)
    planes, workers = groups.get("kube_control_plane", []), groups.get("kube_node", [])
    # As the first task of preflight does where the inventory leaves the group to the playbook.
    groups["k8s_cluster"] = list(dict.fromkeys([*groups.get("k8s_cluster", []), *planes, *workers]))
    one = variables[planes[0]]
    options = {
        **OPTIONS,
        "pod_cidr": one.get("mlstack_pod_cidr", OPTIONS["pod_cidr"]),
        "service_cidr": one.get("mlstack_service_cidr", OPTIONS["service_cidr"]),
        "api_endpoint": one.get("mlstack_api_endpoint", ""),
        "choices": {"mlstack_pod_network": one.get("mlstack_pod_network", "flannel")},
    }
    versions = [ipaddress.ip_network(text).version for text in options["pod_cidr"].split(",")]
    hosts = {host: {"node": node(host, variables.get(host, {}), versions)} for host in groups["k8s_cluster"]}
    return [problem.line() for problem in judge(Run(groups, [str(path)], hosts, options, ["2026.11"]), CHECKS)]


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) >= 9


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_of_the_page(tmp_path: Path, text: str) -> None:
    (tmp_path / "hosts.ini").write_text(text, encoding="utf-8")
    assert problems(tmp_path / "hosts.ini") == []


@pytest.mark.parametrize("name", ["example"])
def test_an_inventory_of_the_collection(name: str) -> None:
    assert problems(tree.ROOT / "inventories" / name / "hosts.ini") == []


@pytest.mark.parametrize(
    ("kind", "wrong", "field"),
    [
        ("Two network cards", ("10.0.0.11", "10.0.0.10"), "mlstack_node_ip"),
        ("Full names", ("gpu_2 mlstack_node_name=gpu-2", "gpu_2"), "mlstack_node_name"),
        ("Both IP versions", ("10.96.0.0/16,fd00:10:96::/112", "10.96.0.0/16"), "mlstack_service_cidr"),
        ("IPv6 alone", ("fd00:10:244::/56", "10.244.0.0/16"), "mlstack_service_cidr"),
        ("kubespray", ("[kube_node]", "[kube-node]"), "group kube_node"),
    ],
)
def test_a_mistake_in_an_example_would_be_seen(tmp_path: Path, kind: str, wrong: tuple[str, str], field: str) -> None:
    text = next(str(param.values[0]) for param in EXAMPLES if str(param.id).startswith(kind))
    assert wrong[0] in text
    (tmp_path / "hosts.ini").write_text(text.replace(*wrong), encoding="utf-8")
    assert any(line.partition(" = ")[0].endswith(field) for line in problems(tmp_path / "hosts.ini"))


def test_the_api_server_is_reached_by_kubesprays_access_ip() -> None:
    defaults = tree.ROOT / "roles" / "kubernetes" / "defaults" / "main.yml"
    variables = {"kubernetes_node_address": "10.3.0.1", "access_ip": "2001:db8::11"}
    show = [sys.executable, "-m", "ansible", "adhoc", "localhost", "-m", "debug", "-a", "var=kubernetes_api_endpoint"]
    done = subprocess.run(
        [*show, "-e", f"@{defaults}", "-e", json.dumps(variables)],
        env={**os.environ, "ANSIBLE_CONFIG": str(tree.ROOT / "ansible.cfg"), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "[2001:db8::11]:6443" in done.stdout, done.stdout + done.stderr
