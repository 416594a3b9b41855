# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel modules and settings of a node, now and after a boot. Python 3.8, standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._common.command import Runner, must
from .._common.host import Host
from .._common.owned_files import FileChange, apply, plan
from .._common.problem import Problem
from .kernel import module_state, sysctl_path, sysctl_value

MODULES_FILE = "/etc/modules-load.d/mlstack.conf"
# systemd-sysctl reads files in the order of their names and the last value wins: this one comes after Debian's
# 99-sysctl.conf.
SYSCTLS_FILE = "/etc/sysctl.d/99-zz-mlstack.conf"
HEADER = "# Written by trainyard.mlstack; a change made here is lost in its next run.\n"


class KernelError(Exception):
    """The kernel does not offer what is wanted. `problems` says what."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(problem.line() for problem in problems))
        self.problems = list(problems)


@dataclass(frozen=True)
class KernelPlan:
    """What is to be done.

    load: modules that modprobe must load. values: sysctl -> running value, where it is not the wanted one (None: not
    there yet). files: what changes for the next boot.
    """

    load: List[str]
    values: Dict[str, Optional[str]]
    files: List[FileChange]

    @property
    def empty(self) -> bool:
        """Say whether the kernel is as wanted, now and after a boot."""
        return not (self.load or self.values or self.files)

    def diff(self, wanted: Mapping[str, str]) -> List[Dict[str, str]]:
        """Return the change in the form that Ansible shows."""
        before = [f"{name} not loaded" for name in self.load]
        after = [f"{name} loaded" for name in self.load]
        for key, value in sorted(self.values.items()):
            before.append(f"{key} = {'(none)' if value is None else value}")
            after.append(f"{key} = {wanted[key]}")
        running = {
            "before_header": "running kernel",
            "after_header": "running kernel",
            "before": "".join(line + "\n" for line in before),
            "after": "".join(line + "\n" for line in after),
        }
        return [running] + [change.diff() for change in self.files]


def normal(value: Any) -> str:
    """Return a setting as the kernel prints it: several numbers separated by one space."""
    return " ".join(str(value).split())


def make_plan(host: Host, modules: Sequence[str], sysctls: Mapping[str, str]) -> KernelPlan:
    """Return what brings the kernel to the wanted state. Raises KernelError when it has no such module."""
    states = {name: module_state(host, name) for name in modules}
    absent = [name for name, state in states.items() if state == "absent"]
    if absent:
        raise KernelError([
            Problem("kernel module", name, "the running kernel does not have it", "Boot the distribution's own kernel")
            for name in absent
        ])
    running = {key: sysctl_value(host, key) for key in sysctls}
    files = [
        {"path": host.path(MODULES_FILE), "content": HEADER + "".join(name + "\n" for name in modules)},
        {
            "path": host.path(SYSCTLS_FILE),
            "content": HEADER + "".join(f"{key} = {sysctls[key]}\n" for key in sorted(sysctls)),
        },
    ]
    return KernelPlan(
        load=[name for name, state in states.items() if state == "available"],
        values={key: value for key, value in running.items() if value != sysctls[key]},
        files=plan(files),
    )


def carry_out(host: Host, run: Runner, todo: KernelPlan, wanted: Mapping[str, str]) -> None:
    """Do what the plan says; the files come first, so that a boot at any moment leads to the wanted state.

    Raises CommandError, and KernelError for settings that the kernel does not have or does not take.
    """
    apply(todo.files)
    if todo.load:
        must(run, ["modprobe", "--all"] + todo.load)
    problems = []
    for key in sorted(todo.values):
        try:
            with open(host.path(sysctl_path(key)), "r+", encoding="ascii") as setting:
                setting.write(wanted[key] + "\n")
        except OSError as error:
            rule = f"the running kernel does not have it, or does not take this value ({error.strerror})"
            problems.append(Problem(f"sysctl {key}", wanted[key], rule, "Correct it in node_sysctls"))
    if problems:
        raise KernelError(problems)
