#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say how training jobs are, why they wait or failed, and what they wrote."""

from __future__ import annotations

DOCUMENTATION = r"""
module: job_info
short_description: Return status, reasons and logs of training jobs
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Looks at one job, at a selection, or at all jobs of all kinds, and returns them as data and as a table, which is
    shown on the screen, too.
  - Each job that waits or failed is explained in one plain sentence, such as C(No node has room for Worker-0), with the
    facts behind it and what to do. See the guide C(docs/pending.md).
  - Works for every user who may read the jobs. What an explanation needs and the user may not read is named among its
    facts.
attributes:
  check_mode:
    description: Only reads.
    support: full
  diff_mode:
    description: Nothing changes.
    support: none
  idempotent:
    description: Nothing changes.
    support: full
options:
  name:
    description: Name of the job. All jobs without it.
    type: str
  namespace:
    description: Namespace of the jobs. All namespaces without it, which the user must be allowed to read.
    type: str
  kinds:
    description: Kinds of jobs, by the names of their modules, V(tfjob), V(pytorchjob), V(ps_job) and V(volcano_job).
    type: list
    elements: str
    default: [tfjob, pytorchjob, ps_job, volcano_job]
  label_selectors:
    description: Requirements for the labels of the jobs, as C(kubectl --selector) takes them. All must hold.
    type: list
    elements: str
    default: []
  states:
    description:
      - Only jobs in one of these states, V(created) (no pods yet), V(queued) (none of the pods runs), V(running),
        V(restarting), V(suspended), V(succeeded) or V(failed).
    type: list
    elements: str
    default: []
  why:
    description: Explain each job that waits or failed. It costs some requests more.
    type: bool
    default: true
  queues:
    description:
      - Return the queues of Volcano and kube-batch, too, as data and as a table that is shown on the screen.
      - It is about the whole cluster, whose queues, PodGroups and pods the user must be allowed to read. A warning says
        when he is not.
    type: bool
    default: false
  logs:
    description:
      - Read the log of one replica of the only job that is meant, O(logs={}) for the one that speaks for the job.
      - The task fails when there is none, and says why.
    type: dict
    suboptions:
      replica:
        description: The replica, as C(Worker-0). Without it, the one that speaks for the job, such as the Chief.
        type: str
      lines:
        description: How many of the last lines. All without it, up to 1 MiB.
        type: int
      previous:
        description: The log of the container before it was started anew.
        type: bool
        default: false
extends_documentation_fragment:
  - trainyard.mlstack.api
seealso:
  - module: trainyard.mlstack.tfjob
  - module: trainyard.mlstack.pytorchjob
  - module: trainyard.mlstack.ps_job
  - module: trainyard.mlstack.volcano_job
"""

EXAMPLES = r"""
- name: Show all jobs of a team as a table
  trainyard.mlstack.job_info:
    namespace: team-a

- name: Ask why one job does not run
  trainyard.mlstack.job_info:
    name: bert
    namespace: team-a
  register: bert

- name: Show the sentence
  ansible.builtin.debug:
    msg: "{{ bert.jobs | map(attribute='why.sentence') | list }}"

- name: Find what failed in any namespace, of one project
  trainyard.mlstack.job_info:
    states: [failed]
    label_selectors: [project=vision]

- name: Show what is due to each queue, what it uses and what waits in it
  trainyard.mlstack.job_info:
    queues: true

- name: Read what a worker wrote before it was started anew
  trainyard.mlstack.job_info:
    name: bert
    namespace: team-a
    logs: {replica: Worker-1, lines: 50, previous: true}
"""

RETURN = r"""
table:
  description: The jobs as lines of text in columns.
  returned: always
  type: str
details:
  description: The state of the job, why with its facts, and each replica, as lines of text.
  returned: with O(name)
  type: str
jobs:
  description: The jobs, by namespace, kind and name.
  returned: always
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
    state:
      description: One of created, queued, running, restarting, suspended, succeeded, failed.
      type: str
      sample: queued
    reason:
      description: The job's own word for its state.
      type: str
    message:
      description: The job's own sentence, or why pods do not run.
      type: str
    ended_by:
      description: The rule that ended the job, in one sentence.
      returned: when it has ended
      type: str
    why:
      description: Why it waits or failed.
      type: dict
      contains:
        sentence:
          description: The reason in one sentence. Empty when there is nothing to explain.
          type: str
          sample: >-
            No node has room for Worker-0 and Worker-1: nvidia.com/gpu is short on 2 of 2 nodes; gpu-2 comes closest and
            lacks 1 of 2 nvidia.com/gpu
        facts:
          description: What it rests on, what could not be looked at, and what to do.
          type: list
          elements: str
    ready:
      description:
        - By replica type, how many replicas run or have ended well (C(ready)), of how many (C(total)).
        - Of an ended job whose pods are gone (C(gone)) it is what its status still says of them, with how many
          failed (C(failed)).
      type: dict
      sample: {Chief: {ready: 1, total: 1}, Worker: {ready: 2, total: 4}}
    replicas:
      description: The pods of the job, as M(trainyard.mlstack.tfjob) returns them.
      type: list
      elements: dict
    created:
      description: When the job was created.
      type: str
    age_s:
      description: Seconds since then.
      type: float
    duration_s:
      description: Seconds from the job's start to its end, or to now.
      returned: when the job has started
      type: float
queues:
  description: The queues, by scheduler, those below others after them. A queue with others below it counts theirs, too.
  returned: with O(queues=true)
  type: list
  elements: dict
  contains:
    backend:
      description: The scheduler whose queue it is, as O(trainyard.mlstack.tfjob#module:gang.backend) names it.
      type: str
      sample: volcano
    name:
      description: Name of the queue.
      type: str
    parent:
      description: The queue that it is below of; empty for none.
      type: str
    state:
      description: Whether it takes jobs, as C(Open). Empty for a scheduler that does not say so.
      type: str
    weight:
      description: Its weight beside its siblings.
      type: int
    share:
      description:
        - Which part of the cluster is due to it by its weight, among the queues beside it that have gangs.
        - For a queue without any it is the part that it would get if it had.
      type: float
      sample: 0.25
    use:
      description: Which part of the cluster its pods hold, of the resource of which it is the most.
      returned: when the user may read nodes
      type: float
      sample: 0.25
    used:
      description: What its pods hold, by resource.
      type: dict
      sample: {nvidia.com/gpu: "2"}
    capability:
      description: The most that it may hold, by resource.
      type: dict
    deserved:
      description: What is due to it in amounts, by resource, where it says so.
      type: dict
    running:
      description: Gangs of which a pod has a node. One that waits for more of its pods is among the pending, too.
      type: int
    pending:
      description: Gangs of which a pod has no node.
      type: int
    pending_pods:
      description: Pods without a node.
      type: int
    pending_asks:
      description: What these ask for, by resource.
      type: dict
queues_table:
  description: The queues as lines of text in columns. Empty where there are none.
  returned: with O(queues=true)
  type: str
logs:
  description: The log.
  returned: with O(logs), when it could be read
  type: str
logs_of:
  description: Replica and pod to which the log belongs.
  returned: with O(logs), when there is such a pod
  type: dict
  sample: {replica: Worker-1, pod: bert-worker-1}
logs_unavailable:
  description: Why there is no log. The task fails then, too.
  returned: with O(logs), when it could not be read
  type: str
"""

from typing import Any, Dict, List

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem, report
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.queue_read import read_queues
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.queue_table import queue_table
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS, job_title
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.info import Found, JobsInfo, LogWish, Selection
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.table import details_text, table
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import api_spec, open_store

STATES = ("created", "queued", "running", "restarting", "suspended", "succeeded", "failed")


def argument_spec() -> Dict[str, Any]:
    """Return the options of the module."""
    texts = {"type": "list", "elements": "str"}
    log = {
        "replica": {"type": "str"},
        "lines": {"type": "int"},
        "previous": {"type": "bool", "default": False},
    }
    return {
        "name": {"type": "str"},
        "namespace": {"type": "str"},
        "kinds": {**texts, "default": list(JOB_KINDS)},
        "label_selectors": {**texts, "default": []},
        "states": {**texts, "default": []},
        "why": {"type": "bool", "default": True},
        "queues": {"type": "bool", "default": False},
        "logs": {"type": "dict", "options": log},
        **api_spec(),
    }


def problems(params: Dict[str, Any]) -> List[Problem]:
    """Return what is wrong with the options before any request."""
    found: List[Problem] = []
    logs = params["logs"]
    if logs is not None and not params["name"]:
        found.append(Problem("logs", "given", "is about one job, and no job is named", "Give its name"))
    if logs and logs["lines"] is not None and logs["lines"] < 1:
        found.append(Problem("logs.lines", str(logs["lines"]), "must be at least 1", "Leave it out for the whole log"))
    if not params["kinds"]:
        found.append(Problem("kinds", "[]", "names no kind of job", "Leave it out for all kinds"))
    for name, known in (("kinds", tuple(JOB_KINDS)), ("states", STATES)):
        for index, word in enumerate(params[name]):
            if word not in known:
                way_out = f"Write one of {', '.join(known)}"
                found.append(Problem(f"{name}[{index}]", word, "there is no such one", way_out))
    return found


def read_log(module: Any, info: JobsInfo, found: Found, result: Dict[str, Any]) -> Dict[str, Any]:
    """Return the log that is asked for; end the module when there is none."""
    params = module.params
    if len(found.rows) != 1:
        jobs = ", ".join(f"{row['kind']} {row['namespace']}/{row['name']}" for row in found.rows)
        rule = f"fits several jobs: {jobs}" if jobs else "fits no job"
        way_out = "Say which one: namespace, kinds" if jobs else "Look at the table of all jobs: leave name out"
        module.fail_json(msg=report([Problem("name", params["name"], rule, way_out)]), **result)
    ((ref, state),) = found.states.items()
    wish = LogWish(params["logs"]["replica"] or "", params["logs"]["lines"], params["logs"]["previous"])
    replica, text, missing = info.log(ref, state, wish)
    if replica is not None:
        result["logs_of"] = {"replica": replica.label, "pod": replica.pod}
    if missing:
        module.fail_json(msg=f"the log of {job_title(ref)} is {missing}", logs_unavailable=missing, **result)
    if not text:
        module.warn(
            f"the log of {job_title(ref)} is empty: pod {replica.pod if replica else ''} has written nothing yet"
        )
    return {**result, "logs": text}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    params = module.params
    wrong = problems(params)
    if wrong:
        module.fail_json(msg=report(wrong))
    selection = Selection(
        params["kinds"], params["name"] or "", params["namespace"] or "", params["label_selectors"], params["states"]
    )
    try:
        store = open_store(module)
        info = JobsInfo(store)
        found = info.find(selection, params["why"])
        for warning in found.warnings:
            module.warn(warning)
        result: Dict[str, Any] = {"changed": False, "jobs": found.rows, "table": table(found.rows)}
        if params["queues"]:
            rows, unread = read_queues(store)
            for warning in unread:
                module.warn(warning)
            result.update(queues=rows, queues_table=queue_table(rows))
        if params["name"]:
            result["details"] = details_text(found.rows, found.states)
        if params["logs"] is not None:
            result = read_log(module, info, found, result)
    except ApiError as error:
        module.fail_json(msg=error.message)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
