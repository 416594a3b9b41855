# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TF_CONFIG of a Volcano Job's tasks, made at their start from the host files that plugin svc writes. Pure.

It is what the guides do by hand: a shell reads /etc/volcano/<task>.host and its own number from plugin env, and then
becomes the program.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from .._common.problem import Problem

Options = Mapping[str, Any]

HOSTS = "/etc/volcano"
DEFAULT_PORT = 2222
TYPES = ("chief", "master", "worker", "ps", "evaluator")
# It looks at the others' results, and is no part of the cluster.
_OUTSIDE = "evaluator"
# A file's last line has no end. A task without pods has no line, and is not told of. Small images have no paste.
_SCRIPT = r"""set -eu
hosts() {
  list=
  while read -r host || [ -n "$host" ]; do
    [ -z "$host" ] || list="$list,\"$host:@PORT@\""
  done <"@HOSTS@/$1.host"
  printf %s "${list#,}"
}
cluster=
for task in @TASKS@; do
  list=$(hosts "$task")
  [ -z "$list" ] || cluster="$cluster,\"$task\":[$list]"
done
TF_CONFIG='{"cluster":{'"${cluster#,}"'},"task":{"type":"@TYPE@","index":'"$VC_TASK_INDEX"'},"environment":"cloud"}'
export TF_CONFIG
exec "$@"
"""


def tf_config_options() -> Dict[str, Any]:
    """Return the argument spec of option `tf_config`."""
    return {"type": "dict", "options": {"port": {"type": "int", "default": DEFAULT_PORT}}}


def check_tf_config(options: Options, tasks: Mapping[str, Sequence[str]]) -> List[Problem]:
    """Return what is wrong with it. tasks: the commands of the job's tasks by their names."""
    wanted = options.get("tf_config")
    if wanted is None:
        return []
    problems: List[Problem] = []
    if not 1 <= wanted["port"] <= 65535:
        problems.append(Problem("tf_config.port", str(wanted["port"]), "must be a port from 1 to 65535", "Correct it"))
    for name, command in tasks.items():
        if name not in TYPES:
            rule = f"TensorFlow knows tasks of the types {', '.join(TYPES)}"
            problems.append(Problem(f"tasks.{name}.name", name, rule, "Rename the task, or drop tf_config"))
        if not command:
            rule = "tf_config runs the program by a shell, which must be told what to run"
            way_out = "Give the image's own command here, or drop tf_config for plugins.tensorflow"
            problems.append(Problem(f"tasks.{name}.command", "", rule, way_out))
    return problems


def command_line(
    options: Options, name: str, tasks: Sequence[str], command: Sequence[str], arguments: Sequence[str]
) -> Tuple[List[str], List[str]]:
    """Return the command of a task and its arguments. tasks: names of all tasks."""
    wanted = options.get("tf_config")
    if wanted is None:
        return list(command), list(arguments)
    told = {"PORT": str(wanted["port"]), "HOSTS": HOSTS, "TYPE": name}
    told["TASKS"] = " ".join(each for each in tasks if each != _OUTSIDE)
    script = _SCRIPT
    for word, value in told.items():
        script = script.replace(f"@{word}@", value)
    return ["sh", "-c", script, "sh"], [*command, *arguments]
