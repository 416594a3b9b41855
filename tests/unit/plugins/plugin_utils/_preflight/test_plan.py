# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of whole inventories: what each host becomes, for every way in which hosts may have been read."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.control_planes import LeaderError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.plan import leader_problem, plan_hosts

DONE = {"stage": "done", "admin_conf": True}
BARE: dict[str, Any] = {"stage": "", "admin_conf": False}
OPTIONS: dict[str, Any] = {
    "api_endpoint": "",
    "api_host": "localhost",
    "api_load_balancer": "none",
    "choices": {},
    "sample_pytorch_image": "",
}


def host(name: str, kubernetes: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    node = {"name": f"node-{name}", "address": f"192.0.2.{name[-1]}", "kubernetes": kubernetes or BARE}
    return {"node": node, **more}


def groups(planes: list[str], workers: list[str]) -> dict[str, list[str]]:
    return {"kube_control_plane": planes, "kube_node": workers, "all": [*planes, *workers, "bastion"]}


def plan(planes: list[str], workers: list[str], hosts: dict[str, Any], **options: Any) -> dict[str, Any]:
    return plan_hosts(groups(planes, workers), hosts, {**OPTIONS, **options})


def test_bare_hosts_become_what_their_groups_say() -> None:
    hosts = {name: host(name) for name in ("cp-1", "gpu-1", "gpu-2", "bastion")}
    made = plan(["cp-1"], ["gpu-1", "gpu-2"], hosts)
    assert list(made) == ["cp-1", "gpu-1", "gpu-2"]
    assert [each["node_role"] for each in made.values()] == ["control_plane", "worker", "worker"]
    assert made["gpu-1"]["node_name"] == "node-gpu-1"
    for each in made.values():
        assert each["first_control_plane"] == "cp-1"
        assert each["joining_hosts"] == ["gpu-1", "gpu-2"]
        assert (each["schedulable"], each["kubeconfig_servers"], each["no_proxy_hosts"]) == (False, [], [])


def test_one_machine_is_both() -> None:
    made = plan(["cp-1"], ["cp-1"], {"cp-1": host("cp-1")})
    assert (made["cp-1"]["node_role"], made["cp-1"]["schedulable"]) == ("control_plane", True)
    assert made["cp-1"]["joining_hosts"] == []
    assert "training-operator" in made["cp-1"]["extra_images"]


def test_a_second_run_lets_nobody_join() -> None:
    hosts = {name: host(name, DONE) for name in ("cp-1", "gpu-1")}
    assert plan(["cp-1"], ["gpu-1"], hosts)["gpu-1"]["joining_hosts"] == []


def test_a_run_limited_to_a_new_host_knows_its_neighbours_and_plans_that_host_alone() -> None:
    hosts = {"cp-1": host("cp-1", DONE, neighbour=True), "gpu-2": host("gpu-2")}
    made = plan(["cp-1"], ["gpu-1", "gpu-2"], hosts)
    assert list(made) == ["gpu-2"]
    assert (made["gpu-2"]["first_control_plane"], made["gpu-2"]["joining_hosts"]) == ("cp-1", ["gpu-2"])


@pytest.mark.parametrize(
    ("known", "leader"),
    [
        ({"cp-1": BARE, "cp-2": DONE, "cp-3": BARE}, "cp-2"),
        ({"cp-1": BARE, "cp-2": BARE, "cp-3": BARE}, "cp-1"),
        ({"cp-1": None, "cp-2": DONE, "cp-3": DONE}, "cp-2"),
    ],
)
def test_a_finished_control_plane_leads(known: dict[str, Any], leader: str) -> None:
    hosts = {name: host(name, state) if state is not None else {"node": {}} for name, state in known.items()}
    assert {each["first_control_plane"] for each in plan(list(known), [], hosts).values()} == {leader}


def test_nobody_leads_where_a_cluster_may_be_on_a_host_that_could_not_be_read() -> None:
    hosts = {"cp-1": host("cp-1"), "cp-2": {"node": {}}, "cp-3": host("cp-3")}
    with pytest.raises(LeaderError):
        plan(["cp-1", "cp-2", "cp-3"], [], hosts)
    problem = leader_problem(["cp-1", "cp-2", "cp-3"], hosts)
    assert (problem.field, problem.value) == ("group kube_control_plane", "cp-2")


def test_a_host_without_python_belongs_to_no_cluster() -> None:
    hosts = {"cp-1": host("cp-1"), "cp-2": {"node": {}, "python_missing": True}, "cp-3": host("cp-3")}
    made = plan(["cp-1", "cp-2", "cp-3"], [], hosts, api_load_balancer="local")
    assert made["cp-2"]["first_control_plane"] == "cp-1"
    assert [server["name"] for server in made["cp-1"]["api_servers"]] == ["cp-1", "cp-3"]


def test_nodes_balance_between_the_control_planes() -> None:
    hosts = {name: host(name) for name in ("cp-1", "cp-2", "cp-3")}
    made = plan(list(hosts), [], hosts, api_load_balancer="local", api_host="cp-2", api_endpoint="api.example.org:6443")
    assert made["cp-1"]["kubeconfig_servers"] == ["192.0.2.1:6443", "192.0.2.2:6443", "192.0.2.3:6443"]
    assert made["cp-1"]["api_packages"] == ["haproxy"]
    assert made["cp-2"]["api_packages"] == ["python3-kubernetes", "haproxy"]
    assert made["cp-1"]["no_proxy_hosts"] == ["api.example.org"]


@pytest.mark.parametrize(
    ("choices", "image", "expected"),
    [
        ({}, "", ["flannel", "training-operator", "busybox"]),
        ({"mlstack_pod_network": "none"}, "", ["training-operator", "busybox"]),
        ({"mlstack_verify": "full"}, "", ["flannel", "training-operator", "busybox", "tensorflow"]),
        (
            {"mlstack_samples": ["pytorchjob_all_reduce"]},
            "",
            ["flannel", "training-operator", "busybox", "tensorflow", "pytorch"],
        ),
        (
            {"mlstack_samples": ["pytorchjob_all_reduce"]},
            "registry.example.org/torch:1",
            ["flannel", "training-operator", "busybox", "tensorflow"],
        ),
        (
            {"mlstack_gang_scheduler": "volcano"},
            "",
            [
                "flannel",
                "training-operator",
                "busybox",
                "vc-scheduler",
                "vc-controller-manager",
                "vc-webhook-manager",
            ],
        ),
    ],
)
def test_workers_get_the_images_of_what_runs_on_them(choices: dict[str, Any], image: str, expected: list[str]) -> None:
    hosts = {name: host(name) for name in ("cp-1", "gpu-1")}
    made = plan(["cp-1"], ["gpu-1"], hosts, choices=choices, sample_pytorch_image=image)
    assert made["gpu-1"]["extra_images"] == expected
    assert made["cp-1"]["extra_images"] == [name for name in expected if name == "flannel"]
