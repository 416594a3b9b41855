# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.checks import Wanted, checks
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.machine import Machine, Route
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.nodes import LabNetwork
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.podman import Container, Network, Volume

PACKAGES = {"podman": "podman", "mmdebstrap": "mmdebstrap"}
MACHINE = Machine(
    root=True,
    cgroup="unified",
    limits={},
    kernel_modules=True,
    commands=("apt-get", "crun", "mmdebstrap", "podman"),
    routes=(Route("192.0.2.0/24", "eth0"),),
    containers=(),
    networks=(),
    volumes=(),
)
WANTED = Wanted(
    "demo",
    "/root/.cache/trainyard/labs/demo",
    {"cp-1": "10.70.3.11", "node-1": "10.70.3.21"},
    PACKAGES,
    (LabNetwork("demo", ("10.70.3.0/24",), True),),
)
OWN_NETWORK = Network("demo", "demo", ("10.70.3.0/24",), "podman1")


def found(machine: dict[str, Any] | None = None, **wanted: Any) -> list[tuple[str, str, str]]:
    problems = checks(MACHINE._replace(**(machine or {})), WANTED._replace(**wanted))
    assert all(problem.way_out and problem.rule for problem in problems)
    return [(problem.host, problem.field, problem.value) for problem in problems]


def test_a_fresh_machine_may_hold_the_lab() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("networks", "expected"),
    [
        ([], [("lab_subnet", "")]),
        ([["10.70.3.0/24", "fd6c::/64"], ["10.70.9.0/24"]], []),
        ([["10.70.3.0/24", "fd6c::1/64"]], [("subnet of the lab's network demo-0", "fd6c::1/64")]),
        ([["10.70.3.0/24"], ["10.70.9/24"]], [("subnet of the lab's network demo-1", "10.70.9/24")]),
        ([["10.70.3.0/24"], ["192.0.2.0/25", "x"]], [("demo-1", "x"), ("lab_subnet", "192.0.2.0/25")]),
        ([["fd6c::/64"], [""]], [("lab_subnet", "fd6c::/64"), ("demo-1", "")]),
    ],
)
def test_every_subnet_is_judged(networks: list[list[str]], expected: list[tuple[str, str]]) -> None:
    lab = tuple(LabNetwork(f"demo-{number}", tuple(one), True) for number, one in enumerate(networks))
    told = [(field, value) for _host, field, value in found(networks=lab)]
    assert [(field.endswith(end), value) for (field, value), (end, _value) in zip(told, expected)] == [
        (True, value) for _end, value in expected
    ]
    assert len(told) == len(expected)


def test_a_running_lab_may_be_looked_at_again() -> None:
    assert (
        found(
            {
                "networks": (OWN_NETWORK,),
                "routes": (*MACHINE.routes, Route("10.70.3.0/24", "podman1")),
                "containers": (Container("demo-cp-1", "demo", "1234", "running"),),
                "volumes": (Volume("demo-shared", "demo"), Volume("demo-cp-1-etcd", "demo")),
            }
        )
        == []
    )


def test_all_problems_are_told_at_once() -> None:
    networks = (LabNetwork("demo", ("10.70.3.9/24",), True),)
    fields = [field for _host, field, _value in found({"root": False}, name="Demo", networks=networks, nodes={})]
    assert fields == ["lab_name", "inventory", "user", "lab_subnet"]


@pytest.mark.parametrize("name", ["", "-demo", "demo-", "Demo", "de_mo", "d" * 33, "../demo", "demo\n"])
def test_a_name_that_podman_or_a_path_would_trip_over_is_refused(name: str) -> None:
    assert ("", "lab_name", repr(name)) in found(name=name)


@pytest.mark.parametrize("address", ["10.70.3.0", "10.70.3.1", "10.70.3.255", "10.70.4.11", "", "node-1"])
def test_an_address_that_no_host_of_the_lab_can_have_is_refused(address: str) -> None:
    assert found(nodes={"cp-1": address}) == [("cp-1", "ansible_host", address)]


def test_two_hosts_with_one_address_are_both_named() -> None:
    assert found(nodes={"a": "10.70.3.11", "b": "10.70.3.11", "c": "10.70.3.12"}) == [
        ("a", "ansible_host", "10.70.3.11"),
        ("b", "ansible_host", "10.70.3.11"),
    ]


def test_a_host_name_that_no_node_can_have_is_refused() -> None:
    assert found(nodes={"Node_1": "10.70.3.11"}) == [("", "inventory host", "Node_1")]


@pytest.mark.parametrize("network", ["10.70.3.0/24", "10.70.3.128/25", "10.0.0.0/8"])
def test_a_network_that_the_machine_reaches_is_refused(network: str) -> None:
    problems = checks(MACHINE._replace(routes=(Route(network, "tun0"),)), WANTED)
    assert [problem.rule for problem in problems] == [f"is in use on this machine by the route {network} over tun0"]


def test_a_network_of_another_lab_is_refused_once() -> None:
    other = Network("other", "other", ("10.70.3.0/24",), "podman1")
    problems = checks(MACHINE._replace(networks=(other,), routes=(Route("10.70.3.0/24", "podman1"),)), WANTED)
    assert [problem.rule for problem in problems] == ["is in use on this machine by podman's network other"]


def test_a_lab_cannot_move_to_another_network() -> None:
    assert found({"networks": (OWN_NETWORK._replace(subnets=("10.70.4.0/24",)),)}) == [
        ("", "lab_subnet", "10.70.3.0/24")
    ]


def test_what_was_not_made_by_the_lab_is_not_touched() -> None:
    assert found(
        {
            "containers": (Container("demo-cp-1", "", "", "running"), Container("demo-db", "", "", "running")),
            "networks": (Network("demo", "", ("10.99.0.0/24",), "podman1"),),
            "volumes": (Volume("demo-shared", ""), Volume("demo-node-1-etcd", "other"), Volume("demo-data", "")),
        }
    ) == [
        ("", "podman container", "demo-cp-1"),
        ("", "podman network", "demo"),
        ("", "podman volume", "demo-shared"),
        ("", "podman volume", "demo-node-1-etcd"),
    ]


def test_missing_programs_matter_only_where_they_cannot_be_installed() -> None:
    assert found({"commands": ("apt-get", "podman")}) == []
    assert found({"commands": ("podman",)}) == [("", "programs", "without crun, mmdebstrap")]


def test_older_cgroups_need_another_runtime() -> None:
    assert MACHINE.missing(PACKAGES) == {}
    assert MACHINE._replace(cgroup="legacy").missing(PACKAGES) == {"runc": "runc"}


def test_a_folder_too_long_for_sockets_is_refused() -> None:
    assert found(folder="/" + "x" * 74) == []
    assert found(folder="/" + "x" * 75) == [("", "lab_dir", "/" + "x" * 75)]
