#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring queues of Volcano or kube-batch to their wanted state."""

from __future__ import annotations

DOCUMENTATION = r"""
module: queue
short_description: Manage queues of Volcano and kube-batch
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - A queue is a team's share of the cluster. Jobs wait in it (option C(gang.queue) of the job modules) until its share
    has room for the whole gang.
  - Makes parents before the queues below them, and waits once until all are usable. A queue of Volcano is usable when
    it is Open; a job that is sent to another one is refused.
  - Judges the whole list before the first request, and asks the server by dry run before anything is written.
  - Refuses to remove a queue while gangs are in it, naming their jobs. They would wait for ever.
attributes:
  check_mode:
    description: Predicts by server-side dry run. Without the cluster or its CRD, a queue is predicted as created.
    support: full
  diff_mode:
    description: Shows the whole queue before and after.
    support: full
  idempotent:
    description: A second run writes nothing.
    support: full
options:
  backend:
    description: Whose queues they are.
    type: str
    choices: [volcano, kube_batch]
    required: true
  name:
    description: Name of one queue, whose options stand beside it.
    type: str
  queues:
    description: Several queues at once, each with its options.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the queue.
        type: str
        required: true
      weight:
        description: As O(weight).
        type: int
        default: 1
      capability:
        description: As O(capability).
        type: dict
      deserved:
        description: As O(deserved).
        type: dict
      guarantee:
        description: As O(guarantee).
        type: dict
      parent:
        description: As O(parent).
        type: str
      priority:
        description: As O(priority).
        type: int
      reclaimable:
        description: As O(reclaimable).
        type: bool
  state:
    description:
      - V(present) creates or changes the queues.
      - V(absent) deletes them. It works also when the scheduler is gone.
    type: str
    choices: [present, absent]
    default: present
  weight:
    description:
      - The queue's part of the cluster is its weight divided by the sum of the weights of all queues in which jobs wait
        or run.
    type: int
    default: 1
  capability:
    description:
      - What the queue uses at most, also when nobody else wants the rest; by resource. Only V(volcano) keeps to it.
    type: dict
  deserved:
    description:
      - What is due to the queue, by resource. It counts where the scheduler has the plugin C(capacity), instead of the
        weights of the plugin C(proportion). Only V(volcano) has it.
    type: dict
  guarantee:
    description: What is kept free for the queue, even when it is empty; by resource. Only V(volcano) has it.
    type: dict
  parent:
    description:
      - Queue below which this one is. Without it the queue is at the top. Jobs go to queues that have none below them.
      - Only V(volcano) has it.
    type: str
  priority:
    description: Queues with a higher number are served first. Only V(volcano) has it.
    type: int
  reclaimable:
    description:
      - Whether others may take back what this queue uses beyond its share. Volcano says true when it is not given.
        Only V(volcano) has it.
    type: bool
  wait:
    description: With O(state=present), wait until the queues are usable.
    type: bool
    default: true
  timeout:
    description: Seconds for everything that this task waits for.
    type: int
    default: 120
extends_documentation_fragment:
  - trainyard.mlstack.api
seealso:
  - module: trainyard.mlstack.pod_group
"""

EXAMPLES = r"""
- name: Give one team a quarter of the cluster, another three quarters
  trainyard.mlstack.queue:
    backend: volcano
    queues:
      - name: team-a
        weight: 1
      - name: team-b
        weight: 3

- name: Give a department at most 16 GPUs, which its two groups share
  trainyard.mlstack.queue:
    backend: volcano
    queues:
      - name: research
        capability: {nvidia.com/gpu: 16}
      - name: vision
        parent: research
        weight: 2
      - name: language
        parent: research
        guarantee: {nvidia.com/gpu: 4}
        reclaimable: false

- name: Make a queue of kube-batch
  trainyard.mlstack.queue:
    backend: kube_batch
    name: team-a
    weight: 3

- name: Remove a queue
  trainyard.mlstack.queue:
    backend: volcano
    name: team-a
    state: absent
"""

RETURN = r"""
queues:
  description: What became of each queue, in the list's order.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the queue.
      type: str
      sample: team-a
    result:
      description: One of created, changed, unchanged, deleted, absent.
      type: str
      sample: unchanged
    manifest:
      description: The queue as it is now, or would be.
      type: dict
      returned: with O(state=present)
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from typing import Any, Dict, List, Mapping, Sequence

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import report
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.queue import (
    QUEUES,
    check,
    queue_options,
    queue_ref,
    render,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.queue_run import Queues, QueuesRefused
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.compare import meaningful
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import (
    api_spec,
    no_cluster_yet,
    open_store,
    progress,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import ObjectsFailed, Outcome, diffs


def argument_spec() -> Dict[str, Any]:
    """Return the module's options."""
    one = {"name": {"type": "str", "required": True}, **queue_options()}
    return {
        "backend": {"type": "str", "choices": list(QUEUES), "required": True},
        "name": {"type": "str"},
        "queues": {"type": "list", "elements": "dict", "options": one},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        **queue_options(),
        "wait": {"type": "bool", "default": True},
        "timeout": {"type": "int", "default": 120},
        **api_spec(),
    }


def wanted(params: Mapping[str, Any]) -> List[Mapping[str, Any]]:
    """Return the queues that are asked for."""
    if params["queues"] is not None:
        return list(params["queues"])
    return [{name: params[name] for name in ("name", *queue_options())}]


def run(module: Any) -> List[Outcome]:
    """Return what became of the queues."""
    params, queues = module.params, wanted(module.params)
    absent = params["state"] == "absent"
    problems = [] if absent else check(params["backend"], queues)
    if problems:
        module.fail_json(msg=report(problems))
    note = no_cluster_yet(module)
    if note:
        outcomes = [
            Outcome(queue_ref(params["backend"], queue["name"]), "absent" if absent else "created", None, made)
            for queue in queues
            for made in [None if absent else render(params["backend"], queue)]
        ]
        module.exit_json(**result_of(outcomes, module._diff), note=note)
    deadline, say = Deadline(params["timeout"]), progress(module)
    todo = Queues(open_store(module), params["backend"], deadline, say, module.check_mode)
    return todo.absent(queues) if absent else todo.present(queues, params["wait"])


def result_of(outcomes: Sequence[Outcome], with_diff: bool) -> Dict[str, Any]:
    """Return the outcomes as the module returns them."""
    queues = [
        {
            "name": outcome.ref.name,
            "result": outcome.result,
            **({"manifest": meaningful(outcome.after)} if outcome.after else {}),
        }
        for outcome in outcomes
    ]
    result: Dict[str, Any] = {"changed": any(outcome.changed for outcome in outcomes), "queues": queues}
    if with_diff:
        result["diff"] = diffs(outcomes)
    return result


def main() -> None:
    """Entry point."""
    one_or_list = [("name", "queues")]
    # What stands beside a list would have no effect. Ansible asks before it fills in what is not given.
    alone = [("queues", name) for name in queue_options()]
    module = AnsibleModule(
        argument_spec=argument_spec(),
        supports_check_mode=True,
        mutually_exclusive=[*one_or_list, *alone],
        required_one_of=one_or_list,
    )
    try:
        module.exit_json(**result_of(run(module), module._diff))
    except QueuesRefused as error:
        module.fail_json(msg=report(error.problems), changed=False)
    except ObjectsFailed as error:
        module.fail_json(msg=str(error), **result_of(error.outcomes, module._diff))
    except ApiError as error:
        module.fail_json(msg=error.message)


if __name__ == "__main__":
    main()
