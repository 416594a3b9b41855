# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.nodes import (
    CREATE,
    KEEP,
    MACHINE_SETTINGS,
    REPLACE,
    START,
    Lab,
    LabNetwork,
    describe,
    run_argv,
    spec_of,
    step,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._lab.podman import Container

NETWORK = LabNetwork("demo", ("10.70.3.0/24",), True)
LAB = Lab("demo", "node:1", "crun", {}, False, "/srv/mlstack", (NETWORK,))


def argv(lab: Lab = LAB, host: str = "cp-1", address: str = "10.70.3.11") -> list[str]:
    return run_argv(lab, host, address)


def pairs(words: list[str], option: str) -> list[str]:
    return [words[place + 1] for place, word in enumerate(words) if word == option]


def test_a_node_has_its_own_volumes_and_one_that_all_share() -> None:
    assert pairs(argv(), "--volume") == [
        "demo-shared:/srv/mlstack",
        "demo-cp-1-containerd:/var/lib/containerd",
        "demo-cp-1-kubelet:/var/lib/kubelet",
        "demo-cp-1-etcd:/var/lib/etcd",
    ]


def test_a_node_carries_name_address_and_label() -> None:
    words = argv()
    assert (pairs(words, "--name"), pairs(words, "--hostname"), pairs(words, "--network")) == (
        ["demo-cp-1"],
        ["cp-1"],
        ["demo:ip=10.70.3.11,mac=02:00:0a:46:03:0b,interface_name=eth0"],
    )
    assert "trainyard.mlstack.lab=demo" in pairs(words, "--label")
    assert words[-2:] == ["node:1", "/sbin/init"]


def test_a_node_has_the_same_number_on_every_card_and_in_both_ip_versions() -> None:
    second = LabNetwork("demo-second", ("10.71.0.0/24", "fd6c:1::/64"), False)
    words = argv(LAB._replace(networks=(NETWORK._replace(subnets=("10.70.3.0/24", "fd6c::/64")), second)))
    assert pairs(words, "--network") == [
        "demo:ip=10.70.3.11,ip=fd6c::b,mac=02:00:0a:46:03:0b,interface_name=eth0",
        "demo-second:ip=10.71.0.11,ip=fd6c:1::b,mac=02:01:0a:47:00:0b,interface_name=eth1",
    ]


def test_a_node_sees_folders_of_the_machine_and_cannot_write_to_them() -> None:
    assert "/srv/checkout:/srv/checkout:ro" in pairs(argv(LAB._replace(shown=("/srv/checkout",))), "--volume")


def test_what_the_machine_lacks_or_forbids_is_respected() -> None:
    assert "/lib/modules:/lib/modules:ro" not in argv()
    assert "/lib/modules:/lib/modules:ro" in argv(LAB._replace(kernel_modules=True))
    assert pairs(argv(), "--ulimit") == []
    assert pairs(argv(LAB._replace(limits={"nproc": 4096, "nofile": 20000})), "--ulimit") == [
        "nofile=20000:20000",
        "nproc=4096:4096",
    ]


@pytest.mark.parametrize("runtime", ["crun", "runc"])
def test_systemd_can_boot_and_sees_no_cgroups_of_other_nodes(runtime: str) -> None:
    words = argv(LAB._replace(runtime=runtime))
    assert pairs(words, "--cgroupns") == ["private"]
    # Of older cgroups podman would show the whole machine's.
    assert pairs(words, "--systemd") == [{"crun": "always", "runc": "false"}[runtime]]
    assert runtime == "crun" or pairs(words, "--tmpfs") == ["/run", "/run/lock", "/tmp"]


@pytest.mark.parametrize(
    "other",
    [
        argv(LAB._replace(image="node:2")),
        argv(LAB._replace(runtime="runc")),
        argv(LAB._replace(limits={"nofile": 1})),
        argv(address="10.70.3.12"),
    ],
)
def test_another_image_or_other_flags_are_another_spec(other: list[str]) -> None:
    assert spec_of(other) != spec_of(argv())
    assert spec_of(argv()) == spec_of(argv())


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        (None, CREATE),
        (Container("demo-cp-1", "demo", "same", "running"), KEEP),
        (Container("demo-cp-1", "demo", "same", "exited"), START),
        (Container("demo-cp-1", "demo", "same", "created"), START),
        (Container("demo-cp-1", "demo", "older", "running"), REPLACE),
        (Container("demo-cp-1", "demo", "older", "exited"), REPLACE),
        (Container("demo-cp-1", "demo", "same", "removing"), REPLACE),
    ],
)
def test_the_step_that_a_node_needs(container: Container | None, expected: str) -> None:
    assert step(container, "same") == expected


def test_the_difference_is_told_node_by_node() -> None:
    steps = {"b": START, "a": CREATE}
    assert describe(steps, {}, before=True) == "a: absent\nb: stopped\n"
    assert describe(steps, {}, before=False) == "a: running\nb: running\n"


def test_a_setting_of_the_machine_is_told_too() -> None:
    path = next(iter(MACHINE_SETTINGS))
    assert describe({}, {path: 128}, before=True) == f"{path}: 128\n"
    assert describe({}, {path: 128}, before=False) == f"{path}: {MACHINE_SETTINGS[path]}\n"
