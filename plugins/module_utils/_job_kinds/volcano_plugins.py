# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Volcano's job plugins give the pods of a job, and which tasks they look for. Pure."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

from .._common.problem import Problem
from .._kube.resource import Manifest

Options = Mapping[str, Any]

SVC, ENV, SSH = "svc", "env", "ssh"
# Framework -> tasks by the argument that names them. Those that must be there come first; how many do is in _NEEDED.
_TASKS = {
    "pytorch": ("master", "worker"),
    "mpi": ("master", "worker"),
    "tensorflow": ("chief", "worker", "ps", "evaluator"),
}
_NEEDED = {"pytorch": ("master",), "mpi": ("master", "worker"), "tensorflow": ()}
NAMES = (ENV, SVC, SSH, *_TASKS)


def plugins_options() -> Dict[str, Any]:
    """Return the argument spec of option `plugins`."""
    arguments = {"type": "list", "elements": "str"}
    return {"type": "dict", "options": dict.fromkeys(NAMES, arguments)}


def plugins(options: Options) -> Dict[str, List[str]]:
    """Return the plugins of a job with their arguments, those too that others of them need.

    Volcano would add the same ones by itself: here they can be seen.
    """
    wanted = {name: list(found) for name, found in (options.get("plugins") or {}).items() if found is not None}
    needed: List[str] = []
    if options.get("tf_config") is not None:
        needed += [ENV, SVC]
    needed += [SVC for name in _TASKS if name in wanted] + ([SSH] if "mpi" in wanted else [])
    return {name: wanted.get(name, []) for name in NAMES if name in wanted or name in needed}


def check_plugins(options: Options, tasks: Sequence[str]) -> List[Problem]:
    """Return what is wrong with the plugins. tasks: names of the job's tasks."""
    problems: List[Problem] = []
    wanted = options.get("plugins") or {}
    for name, arguments in wanted.items():
        for index, argument in enumerate(arguments or ()):
            if not argument.startswith("--"):
                rule = f"arguments of a plugin begin with --, and {name} stops reading at another word"
                problems.append(Problem(f"plugins.{name}[{index}]", argument, rule, f"Write --{argument.lstrip('-')}"))
    for framework, roles in _TASKS.items():
        arguments = wanted.get(framework)
        if arguments is None:
            continue
        named = {role: _argument(arguments, role) or role for role in roles}
        for role in _NEEDED[framework]:
            if named[role] not in tasks:
                rule = f"the plugin looks for a task of this name as its {role}, and the job has {', '.join(tasks)}"
                way_out = f"Name one of them so, or give the plugin --{role}=<name of the task>"
                problems.append(Problem(f"plugins.{framework}", named[role], rule, way_out))
        unknown = [task for task in tasks if task not in named.values()]
        if framework == "tensorflow" and unknown:
            rule = "the plugin tells TensorFlow only of the tasks chief, worker, ps and evaluator"
            way_out = "Name the tasks so, or give the plugin their names, such as --worker=<name of the task>"
            problems.append(Problem("plugins.tensorflow", ", ".join(unknown), rule, way_out))
    if options.get("tf_config") is not None and wanted.get("tensorflow") is not None:
        rule = "sets TF_CONFIG, and so does the plugin tensorflow"
        problems.append(Problem("tf_config", "given", rule, "Keep one of the two"))
    return problems


def made_by_plugins(root: Manifest) -> Iterator[Tuple[str, str, str]]:
    """Yield (api version, kind, name) of what the plugins of a Volcano Job make, and remove with it."""
    name, plugins = str(root["metadata"]["name"]), (root.get("spec") or {}).get("plugins") or {}
    if "svc" in plugins:
        yield "v1", "Service", name
        yield "v1", "ConfigMap", f"{name}-svc"
        if not any(argument.startswith("--disable-network-policy") for argument in plugins["svc"]):
            yield "networking.k8s.io/v1", "NetworkPolicy", name
    if "ssh" in plugins:
        yield "v1", "Secret", f"{name}-ssh"


def _argument(arguments: Sequence[str], name: str) -> str:
    """Return the value of an argument; empty when it is not given."""
    found = [each.partition("=")[2] for each in arguments if each.partition("=")[0].lstrip("-") == name]
    return found[-1] if found else ""
