# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of role gang_scheduler; what each does and takes stands in the .yml beside."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import yaml
from ansible.errors import AnsibleFilterError
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem, report, shown
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.queue import DEFAULT, ROOT, check, queue_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Manifest
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.plain_data import plain
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests import kube_batch, volcano
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.scheduler_conf import (
    KUBE_BATCH,
    VOLCANO,
    conf_document,
    conf_problems,
    plugin_names,
)

# The manifest is 19,000 lines of CRDs, for which libyaml takes a tenth of the time.
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_KNOWN = {"kube_batch": KUBE_BATCH, "volcano": VOLCANO}


def gang_scheduler_problems(backend: str, conf: Any, queues: Any) -> list[str]:
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


def gang_scheduler_queues(queues: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the queues with the one of jobs that name none."""
    return list(queues) if any(queue["name"] == DEFAULT for queue in queues) else [{"name": DEFAULT}, *queues]


def volcano_objects(manifest: str, scheduler_conf: Mapping[str, Any], **settings: Any) -> list[Manifest]:
    """Return the objects of a usable Volcano."""
    try:
        wanted = volcano.Settings(scheduler_conf=_text(scheduler_conf), **settings)
        return volcano.volcano_objects(list(yaml.load_all(manifest, Loader=Loader)), wanted)
    except (TypeError, KeyError, ValueError, yaml.YAMLError) as error:
        raise AnsibleFilterError(f"volcano_objects: {error}") from error


def kube_batch_objects(image: str, scheduler_conf: Mapping[str, Any], **settings: Any) -> list[Manifest]:
    """Return the objects of a usable kube-batch."""
    try:
        wanted = kube_batch.Settings(image=image, scheduler_conf=_text(scheduler_conf), **settings)
    except (TypeError, KeyError, ValueError) as error:
        raise AnsibleFilterError(f"kube_batch_objects: {error}") from error
    return kube_batch.kube_batch_objects(wanted)


def _text(conf: Mapping[str, Any]) -> str:
    return str(yaml.safe_dump(plain(conf_document(conf)), sort_keys=False))


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "gang_scheduler_problems": gang_scheduler_problems,
            "gang_scheduler_queues": gang_scheduler_queues,
            "kube_batch_objects": kube_batch_objects,
            "volcano_objects": volcano_objects,
        }
