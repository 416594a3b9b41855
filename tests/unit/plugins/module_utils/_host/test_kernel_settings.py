# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel modules and settings on a host that is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import Runner
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host import kernel_settings as node_kernel

WANTED = {"net.ipv4.ip_forward": "1", "net.bridge.bridge-nf-call-iptables": "1"}
BRIDGE = "proc/sys/net/bridge/bridge-nf-call-iptables"
FILES = {
    "proc/sys/kernel/osrelease": "6.1.0\n",
    "proc/sys/net/ipv4/ip_forward": "0\n",
    "proc/modules": "overlay 1 0 - Live 0x0\n",
    "proc/filesystems": "nodev\toverlay\n",
    "lib/modules/6.1.0/modules.dep": "kernel/net/bridge/br_netfilter.ko: kernel/net/bridge/bridge.ko\n",
}


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host with overlay loaded and br_netfilter on disk."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Host(str(tmp_path))


def modprobe(host: Host, runs: list[list[str]]) -> Runner:
    """Return what plays modprobe: br_netfilter brings its settings."""

    def run(argv: Sequence[str]) -> tuple[int, str, str]:
        runs.append(list(argv))
        setting = Path(host.path(BRIDGE))
        setting.parent.mkdir()
        setting.write_text("0\n")
        Path(host.path("/proc/modules")).write_text("overlay 1\nbr_netfilter 1\n")
        return 0, "", ""

    return run


def test_loads_sets_and_then_has_nothing_to_do(host: Host) -> None:
    modules, runs = ["overlay", "br_netfilter"], []
    plan = node_kernel.make_plan(host, modules, WANTED)
    assert plan.load == ["br_netfilter"]
    assert plan.values == {"net.ipv4.ip_forward": "0", "net.bridge.bridge-nf-call-iptables": None}
    node_kernel.carry_out(host, modprobe(host, runs), plan, WANTED)
    assert runs == [["modprobe", "--all", "br_netfilter"]]
    assert Path(host.path(BRIDGE)).read_text().strip() == "1"
    assert node_kernel.make_plan(host, modules, WANTED).empty


def test_what_is_built_in_is_not_loaded(host: Host) -> None:
    Path(host.path("/proc/modules")).write_text("")
    assert node_kernel.make_plan(host, ["overlay"], {}).load == []


def test_files_hold_what_a_boot_needs(host: Host) -> None:
    plan = node_kernel.make_plan(host, ["overlay"], WANTED)
    texts = {change.path: change.after.content for change in plan.files if change.after}
    assert texts[host.path(node_kernel.MODULES_FILE)].endswith("\noverlay\n")
    assert texts[host.path(node_kernel.SYSCTLS_FILE)].splitlines()[1:] == [
        "net.bridge.bridge-nf-call-iptables = 1",
        "net.ipv4.ip_forward = 1",
    ]


def test_the_diff_shows_the_running_kernel(host: Host) -> None:
    running = node_kernel.make_plan(host, ["br_netfilter"], WANTED).diff(WANTED)[0]
    assert running["before"].splitlines() == [
        "br_netfilter not loaded",
        "net.bridge.bridge-nf-call-iptables = (none)",
        "net.ipv4.ip_forward = 0",
    ]
    assert running["after"].splitlines()[-1] == "net.ipv4.ip_forward = 1"


def test_only_the_value_that_was_changed_by_hand_is_set_again(host: Host) -> None:
    wanted = {"net.ipv4.ip_forward": "1"}
    node_kernel.carry_out(host, modprobe(host, []), node_kernel.make_plan(host, [], wanted), wanted)
    Path(host.path("/proc/sys/net/ipv4/ip_forward")).write_text("0\n")
    plan = node_kernel.make_plan(host, [], wanted)
    assert (plan.load, plan.values, plan.files) == ([], {"net.ipv4.ip_forward": "0"}, [])


def test_a_module_that_does_not_exist_is_refused_before_any_change(host: Host) -> None:
    with pytest.raises(node_kernel.KernelError, match="kernel module = nfsd"):
        node_kernel.make_plan(host, ["overlay", "nfsd"], WANTED)
    assert not Path(host.path("/etc")).exists()


def test_all_settings_that_do_not_exist_are_named(host: Host) -> None:
    wanted = {"vm.nothing": "1", "net.nothing": "2", "net.ipv4.ip_forward": "1"}
    with pytest.raises(node_kernel.KernelError) as error:
        node_kernel.carry_out(host, modprobe(host, []), node_kernel.make_plan(host, [], wanted), wanted)
    assert [problem.field for problem in error.value.problems] == ["sysctl net.nothing", "sysctl vm.nothing"]
    assert Path(host.path("/proc/sys/net/ipv4/ip_forward")).read_text().strip() == "1"


@pytest.mark.parametrize(("given", "result"), [(1, "1"), ("1\t2 ", "1 2"), ("x", "x")])
def test_values_are_compared_as_the_kernel_prints_them(given: object, result: str) -> None:
    assert node_kernel.normal(given) == result
