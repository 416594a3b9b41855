# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration and the queues of an installed gang scheduler: what is wrong with them, and their final form."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._common.problem import Problem, report, shown
from ...module_utils._gangs.queue import DEFAULT, ROOT, check, queue_options
from .._common.plain_data import plain
from .scheduler_conf import KUBE_BATCH, VOLCANO, conf_document, conf_problems, plugin_names

_KNOWN = {"kube_batch": KUBE_BATCH, "volcano": VOLCANO}


def scheduler_problems(backend: str, conf: Any, queues: Any) -> list[str]:
    """Return what is wrong with a scheduler's configuration and queues, as one text; nothing when all is well."""
    if backend not in _KNOWN:
        return []
    found: list[Problem] = conf_problems(conf, _KNOWN[backend], "gang_scheduler_conf")
    plugins = [] if found else plugin_names(conf)
    found += _queue_problems(backend, queues, plugins)
    return [report(found)] if found else []


def _queue_problems(backend: str, queues: Sequence[Any], plugins: Sequence[str]) -> list[Problem]:
    """Return what module queue would refuse once the scheduler is installed, and parents that nobody looks at."""
    field, spec = "gang_scheduler_queues", {"name": {"type": "str", "required": True}, **queue_options()}
    judged = [(index, ArgumentSpecValidator(spec).validate(queue)) for index, queue in enumerate(queues)]
    wrong = [
        Problem(f"{field}[{index}]", shown(queues[index]), text, "Write it as module trainyard.mlstack.queue takes it")
        for index, result in judged
        for text in result.error_messages
    ]
    good = [result.validated_parameters for _index, result in judged]
    if wrong:
        return wrong
    below = [queue for queue in good if queue.get("parent") not in (None, ROOT)]
    if below and plugins and "capacity" not in plugins:
        names = ", ".join(str(queue["name"]) for queue in below)
        way_out = "Put it in the place of proportion in gang_scheduler_conf, with enableHierarchy: true"
        wrong.append(Problem(f"{field}: parent", names, "only the plugin capacity knows queues below queues", way_out))
    return wrong + check(backend, good)


def complete_queues(queues: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the queues with the one of jobs that name none."""
    return list(queues) if any(queue["name"] == DEFAULT for queue in queues) else [{"name": DEFAULT}, *queues]


def conf_text(conf: Mapping[str, Any]) -> str:
    """Return a scheduler's configuration as the text that it reads."""
    return str(yaml.safe_dump(plain(conf_document(conf)), sort_keys=False))
