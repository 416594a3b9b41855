# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Swap: areas, fstab and units of a host that is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import CommandError, Runner
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host import swap

FSTAB = """# swap was on /dev/sda2
UUID=1 / ext4 defaults 0 1
UUID=2 none swap sw 0 0
/swap.img\tnone\tswap\tsw\t0\t0
"""
FILES = {
    "proc/swaps": "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n/my\\040swap file 1 0 -3\n",
    "etc/fstab": FSTAB,
    "run/systemd/generator/dev-disk.swap": "[Unit]\nSourcePath=/etc/fstab\n",
    "run/systemd/generator.late/dev-sda3.swap": "[Unit]\nDescription=Swap Partition\n",
    "etc/systemd/system/ssh.service": "",
}


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host with a swap partition, a swap file and a partition that systemd finds by its type."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Host(str(tmp_path))


def systemd(host: Host, runs: list[str], fail: str = "") -> Runner:
    """Return what plays systemctl and swapoff."""

    def run(argv: Sequence[str]) -> tuple[int, str, str]:
        runs.append(" ".join(argv))
        if argv[0] == fail:
            return 255, "", "swapoff failed: Cannot allocate memory"
        if list(argv[:2]) == ["systemctl", "mask"]:
            Path(host.path("/etc/systemd/system/" + argv[2])).symlink_to("/dev/null")
        if argv[0] == "swapoff":
            table = Path(host.path("/proc/swaps"))
            rows = table.read_text().splitlines()
            table.write_text("\n".join(row for row in rows if not row.startswith(argv[1].replace(" ", "\\040"))))
        return 0, "", ""

    return run


def test_turns_all_swap_off_once(host: Host) -> None:
    runs: list[str] = []
    plan = swap.make_plan(host)
    assert (plan.areas, plan.units) == (["/dev/sda2", "/my swap"], ["dev-sda3.swap"])
    swap.carry_out(systemd(host, runs), plan)
    assert runs == ["systemctl mask dev-sda3.swap", "systemctl daemon-reload", "swapoff /dev/sda2", "swapoff /my swap"]
    assert swap.make_plan(host).empty


def test_fstab_keeps_all_but_its_swap_lines(host: Host) -> None:
    after = swap.without_swap(FSTAB).splitlines()
    before = FSTAB.splitlines()
    assert after[:2] == before[:2]
    assert after[2:] == [swap.MARK + line for line in before[2:]]
    assert swap.without_swap("\n".join(after)) == "\n".join(after)


def test_a_host_without_swap_needs_nothing(tmp_path: Path) -> None:
    assert swap.make_plan(Host(str(tmp_path))).empty


def test_the_diff_names_areas_units_and_lines(host: Host) -> None:
    running, fstab = swap.make_plan(host).diff()
    assert running["before"].splitlines() == ["/dev/sda2 in use", "/my swap in use", "dev-sda3.swap enabled"]
    assert swap.MARK in fstab["after"]


def test_what_a_boot_reads_is_put_right_first(host: Host) -> None:
    with pytest.raises(CommandError, match="Cannot allocate memory"):
        swap.carry_out(systemd(host, [], fail="swapoff"), swap.make_plan(host))
    plan = swap.make_plan(host)
    assert (plan.areas, plan.units, plan.fstab) == (["/dev/sda2", "/my swap"], [], [])
