#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Move jobs that wait, and queues, to another gang scheduler."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gang_migration
short_description: Move waiting jobs and queues to another gang scheduler
version_added: 0.2.0
author:
  - The trainyard founders (@trainyard)
description:
  - Finds the jobs whose pods start together, of all kinds and under all gang schedulers, and brings those of which no
    pod has a node yet under O(backend). Each gets a PodGroup there, with the minimum, queue and priority that it had.
  - "A job that has begun finishes where it is. It is named, with all others that stay: jobs that share a PodGroup, and
    Volcano's own jobs, which no other scheduler starts."
  - A job of the training operator is changed in place. Its templates get the other mark, and its pods, none of which
    ever ran, are made again by the operator. The templates of batch Jobs cannot be changed, so those of a
    M(trainyard.mlstack.ps_job) are deleted and made anew, each one after the other.
  - A job's former PodGroup goes before all else, so that its scheduler does not begin it midway. One that was faster
    gets it back.
  - A run that is killed anywhere is simply started again, towards the same scheduler or another one.
  - Queues are made with the weight that they have, and with their capability where the scheduler keeps to one (Volcano
    does). What does not come along is named. Former queues stay where they are, since jobs that finish there need them;
    they go with their scheduler.
attributes:
  check_mode:
    description: Nothing is written; what would be done is returned.
    support: full
  diff_mode:
    description: Shows each object before and after.
    support: full
  idempotent:
    description: A second run changes nothing, unless more jobs wait under another scheduler by then.
    support: full
options:
  backend:
    description: The gang scheduler to which jobs and queues move. The cluster must serve its PodGroups.
    type: str
    choices: [native, volcano, kube_batch, scheduler_plugins]
    required: true
  scheduler:
    description: C(schedulerName) of the pods, for a scheduler that was given a name of its own.
    type: str
  namespace:
    description: Only jobs of this namespace. All namespaces without it.
    type: str
  queues:
    description: Make the queues of other schedulers there, too.
    type: bool
    default: true
  timeout:
    description: Seconds until pods and batch Jobs must be gone.
    type: int
    default: 300
extends_documentation_fragment:
  - trainyard.mlstack.api
seealso:
  - module: trainyard.mlstack.jobs
"""

EXAMPLES = r"""
- name: Let Volcano start what still waits for Kubernetes' own scheduler
  trainyard.mlstack.gang_migration:
    backend: volcano

- name: See what would become of one team's jobs
  trainyard.mlstack.gang_migration:
    backend: native
    namespace: team-a
  check_mode: true
  diff: true
"""

RETURN = r"""
table:
  description: What becomes of each job, one row each, the heading first.
  returned: when there is a job under another scheduler
  type: list
  elements: list
  sample: [["job", "kind", "from", "what is done"], ["team-a/bert", "tfjob", "native", "changed in place"]]
moved:
  description: The jobs that came under the other scheduler.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the job, by the name of its module.
      type: str
      sample: tfjob
    name:
      description: Name of the job.
      type: str
    namespace:
      description: Namespace of the job.
      type: str
    from:
      description: The gang scheduler that it came from.
      type: str
      sample: native
    way:
      description: Whether it was changed in place, or parts of it made anew.
      type: str
      sample: its Jobs made anew
    notes:
      description: What did not come along.
      type: list
      elements: str
left:
  description: The jobs that stay where they are and have not ended.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the job, by the name of its module.
      type: str
    name:
      description: Name of the job.
      type: str
    namespace:
      description: Namespace of the job.
      type: str
    from:
      description: The gang scheduler under which it is.
      type: str
    why:
      description: Why it stays.
      type: str
      sample: it has begun, and finishes under Volcano
queues:
  description: Names of the queues that were made.
  returned: success
  type: list
  elements: str
notes:
  description: What does not come along, of queues and of PodGroups that are of no job which is known here.
  returned: success
  type: list
  elements: str
objects:
  description: What became of each object, as M(trainyard.mlstack.objects) returns it.
  returned: success
  type: list
  elements: dict
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from typing import Any, Dict, List

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import report
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.jobs import GangJob
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.move import Plan, goal_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.move_run import Mover, predicted
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS, lacking
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.shape import shape_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import (
    api_spec,
    no_cluster_yet,
    open_store,
    progress,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import ObjectsFailed, diffs

HEAD = ["job", "kind", "from", "what is done"]


def argument_spec() -> Dict[str, Any]:
    """Return the options of the module."""
    return {
        "backend": {"type": "str", "choices": list(BACKENDS), "required": True},
        "scheduler": {"type": "str"},
        "namespace": {"type": "str"},
        "queues": {"type": "bool", "default": True},
        "timeout": {"type": "int", "default": 300},
        **api_spec(),
    }


def row(job: GangJob, **said: Any) -> Dict[str, Any]:
    """Return a job as data."""
    return {
        "kind": job.kind.name,
        "name": job.ref.name,
        "namespace": job.ref.namespace,
        "from": job.backend,
        **said,
    }


def result_of(plan: Plan) -> Dict[str, Any]:
    """Return what becomes of jobs, as data and as a table."""
    moved = [row(move.job, way=move.way, notes=list(move.notes)) for move in plan.moves]
    left = [row(each.job, why=each.why) for each in plan.left]
    result: Dict[str, Any] = {"moved": moved, "left": left}
    lines = [(item, ", ".join([item["way"], *item["notes"]])) for item in moved]
    lines += [(item, f"stays: {item['why']}") for item in left]
    if lines:
        table = [[f"{item['namespace']}/{item['name']}", item["kind"], item["from"], text] for item, text in lines]
        result["table"] = [HEAD, *table]
    return result


def run(module: Any) -> Dict[str, Any]:
    """Return the module's result. Raises ApiError, ObjectsFailed."""
    params, store = module.params, open_store(module)
    goal = goal_of(shape_of(store, BACKENDS[params["backend"]]), params["scheduler"] or "")
    # In check mode an earlier task may be what installs it.
    problems = [] if module.check_mode else lacking(store, [goal.backend])
    if problems:
        module.fail_json(msg=report(problems))
    mover = Mover(store, goal, params["namespace"] or "", Deadline(params["timeout"]), progress(module))
    plan = mover.plan()
    if plan.problems:
        module.fail_json(msg=report(plan.problems), **result_of(plan))
    queues, notes = mover.queues() if params["queues"] else ([], [])
    notes = [*plan.notes, *notes]
    if module.check_mode:
        outcomes = predicted(plan, queues)
    else:
        plan = mover.run(plan, queues)
        outcomes = mover.outcomes
    result = {**result_of(plan), "queues": [queue["metadata"]["name"] for queue in queues], "notes": notes}
    for note in notes:
        module.warn(note)
    result["objects"] = [outcome.summary() for outcome in outcomes]
    result["changed"] = any(outcome.changed for outcome in outcomes)
    if module._diff:
        result["diff"] = diffs(outcomes)
    return result


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    note = no_cluster_yet(module)
    if note:
        empty: Dict[str, List[Any]] = {"moved": [], "left": [], "queues": [], "notes": [], "objects": []}
        module.exit_json(changed=False, note=note, **empty)
    try:
        result = run(module)
    except ApiError as error:
        module.fail_json(msg=error.message)
    except ObjectsFailed as error:
        module.fail_json(msg=str(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
