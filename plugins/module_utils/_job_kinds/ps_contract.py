# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program is told of its parameter servers and workers, in each of the ways that programs read it. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Sequence

from .._common.problem import Problem

FLAGS, TF_CONFIG, ENVIRONMENT = "flags", "tf_config", "environment"
CONTRACTS = (FLAGS, TF_CONFIG, ENVIRONMENT)

# Shells that take a script in their second argument; what follows it is not seen by the script's program.
_SHELLS = ("sh", "bash", "dash", "ash")
_ARGUMENTS = ("$@", "$*")


@dataclass(frozen=True)
class Task:
    """One replica. role: lower case, as programs want it. name: of its pod's Job and its Service."""

    role: str
    index: int
    name: str


def cluster_of(tasks: Sequence[Task], port: int) -> Dict[str, List[str]]:
    """Return the addresses (host:port) of the tasks by role."""
    found: Dict[str, List[str]] = {}
    for task in tasks:
        found.setdefault(task.role, []).append(f"{task.name}:{port}")
    return found


def tf_config(cluster: Mapping[str, Sequence[str]], role: str, index: int) -> Dict[str, Any]:
    """Return what TensorFlow reads from TF_CONFIG. Raises ValueError when the cluster has no such task."""
    if not 0 <= index < len(cluster.get(role) or ()):
        known = ", ".join(f"{name} 0 to {len(hosts) - 1}" for name, hosts in cluster.items() if hosts)
        raise ValueError(f"there is no task {role} {index} in the cluster; it has {known or 'no task'}")
    hosts = {name: list(addresses) for name, addresses in cluster.items()}
    return {"cluster": hosts, "task": {"type": role, "index": index}, "environment": "cloud"}


def arguments(contract: Sequence[str], cluster: Mapping[str, Sequence[str]], task: Task) -> List[str]:
    """Return the arguments behind those of the user."""
    if FLAGS not in contract:
        return []
    return [
        f"--job_name={task.role}",
        f"--task_index={task.index}",
        f"--ps_hosts={','.join(cluster.get('ps') or ())}",
        f"--worker_hosts={','.join(cluster.get('worker') or ())}",
    ]


def environment(contract: Sequence[str], cluster: Mapping[str, Sequence[str]], task: Task) -> Dict[str, str]:
    """Return the environment variables beside those of the user."""
    found: Dict[str, str] = {}
    if TF_CONFIG in contract:
        found["TF_CONFIG"] = json.dumps(tf_config(cluster, task.role, task.index))
    if ENVIRONMENT in contract:
        found["POD_NAME"] = task.name
        # Lists of texts look the same in JSON and in Python, so ast.literal_eval reads it as well.
        found["CLUSTER_CONFIG"] = json.dumps({role: list(hosts) for role, hosts in cluster.items()})
    return found


def check_command(contract: Sequence[str], command: Sequence[str], args: Sequence[str], field: str) -> List[Problem]:
    """Return a problem when the flags would be arguments of a shell, whose script does not hand them on.

    field: of the command. args: what stands between it and the flags. The first word behind a script is its name, no
    argument.
    """
    if FLAGS not in contract or len(command) < 3 or command[0].rpartition("/")[2] not in _SHELLS:
        return []
    if not command[1].startswith("-") or "c" not in command[1]:
        return []
    if any(name in command[2] for name in _ARGUMENTS) and [*command[3:], *args]:
        return []
    rule = "the flags of the contract come behind it, where the shell's script does not see them"
    way_out = 'Give the program itself as command, or hand them on: [sh, -c, "python train.py \\"$@\\"", sh]'
    return [Problem(field, " ".join(command)[:80], rule, way_out)]
