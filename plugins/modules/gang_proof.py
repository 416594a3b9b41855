#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show by a job that one job gives one PodGroup, which its scheduler reads."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gang_proof
short_description: Show by a job that it has one PodGroup, which its scheduler reads
version_added: 0.2.0
author:
  - The trainyard founders (@trainyard)
description:
  - Follows a job that was submitted with C(gang) until all of its pods have a node, and looks at what it has by then.
  - The task fails when the job has no PodGroup or a second one (by an operator with a gang flag of its own), one of an
    API that the scheduler does not read, a pod that is marked as one of another group, or when not all pods have a node
    in time. Then it says why they have none.
  - It changes nothing. The job is made and removed by other tasks; pods of C(pause) are enough.
attributes:
  check_mode:
    description: Nothing is looked at, because the job may be what an earlier task only said it would make.
    support: full
  diff_mode:
    description: Nothing changes.
    support: none
  idempotent:
    description: Nothing changes.
    support: full
options:
  kind:
    description: Kind of the job, by the name of its module.
    type: str
    choices: [tfjob, pytorchjob, ps_job]
    required: true
  name:
    description: Name of the job.
    type: str
    required: true
  namespace:
    description: Namespace of the job.
    type: str
    default: default
  backend:
    description: The gang scheduler under which it should be.
    type: str
    choices: [native, volcano, kube_batch, scheduler_plugins]
    required: true
  pods:
    description: How many pods it has.
    type: int
    required: true
  timeout:
    description: Seconds until all of its pods must have a node.
    type: int
    default: 120
extends_documentation_fragment:
  - trainyard.mlstack.api
seealso:
  - module: trainyard.mlstack.gang_checks
"""

EXAMPLES = r"""
- name: Submit a job of two pods that do nothing
  trainyard.mlstack.tfjob:
    name: gang-proof
    image: registry.k8s.io/pause:3.10.2
    replicas: {Worker: {replicas: 2}}
    gang: {backend: volcano}

- name: See that Volcano places it whole, by one PodGroup
  trainyard.mlstack.gang_proof:
    kind: tfjob
    name: gang-proof
    backend: volcano
    pods: 2
"""

RETURN = r"""
groups:
  description: API version and name of each PodGroup of the job.
  returned: when the API server answered
  type: list
  elements: str
  sample: [scheduling.volcano.sh/v1beta1 tfjob-gang-proof]
placed:
  description: How many of the pods have a node.
  returned: when the API server answered
  type: int
problems:
  description: What is wrong.
  returned: always
  type: list
  elements: dict
  contains:
    field:
      description: What is wrong.
      type: str
    value:
      description: What it is now.
      type: str
    rule:
      description: What it must be.
      type: str
    way_out:
      description: What to do about it.
      type: str
"""

from typing import Any, Dict, List, Optional, Tuple

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem, listed, report
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.jobs import read_gang_jobs, read_groups
from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.proof import Proof, prove
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.shape import shape_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import JOB_KINDS, job_title
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.info import JobsInfo, Selection
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import api_spec, open_store, progress
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store

_LOOK_S = 0.5


def argument_spec() -> Dict[str, Any]:
    """Return the options of the module."""
    return {
        "kind": {"type": "str", "choices": ["tfjob", "pytorchjob", "ps_job"], "required": True},
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "default": "default"},
        "backend": {"type": "str", "choices": list(BACKENDS), "required": True},
        "pods": {"type": "int", "required": True},
        "timeout": {"type": "int", "default": 120},
        **api_spec(),
    }


def look(store: Store, params: Dict[str, Any]) -> Optional[Proof]:
    """Return what is seen of the job now; None when there is no such job with a gang. Raises ApiError."""
    kind, namespace = JOB_KINDS[params["kind"]], params["namespace"]
    groups = read_groups(store, namespace)
    jobs = read_gang_jobs(store, namespace, [kind], groups)
    job = next((job for job in jobs if job.ref == kind.ref(params["name"], namespace)), None)
    if job is None:
        return None
    return prove(job, groups, shape_of(store, BACKENDS[params["backend"]]), params["pods"])


def follow(store: Store, module: Any) -> Tuple[Optional[Proof], List[Problem]]:
    """Return what is seen in the end, and what is wrong with it. Raises ApiError."""
    params, deadline, say = module.params, Deadline(module.params["timeout"]), progress(module)
    title = job_title(JOB_KINDS[params["kind"]].ref(params["name"], params["namespace"]))
    while True:
        proof = look(store, params)
        if proof is None:
            rule = "there is no such job whose pods start together"
            return None, [Problem("name", title, rule, "Submit it with gang, by a module of this collection")]
        if proof.problems or proof.whole:
            return proof, list(proof.problems)
        say(f"{proof.placed} of {params['pods']} pods have a node")
        if not deadline.pause(_LOOK_S):
            return proof, [late(store, params, proof, title)]


def late(store: Store, params: Dict[str, Any], proof: Proof, title: str) -> Problem:
    """Return why pods have no node. Raises ApiError."""
    found = JobsInfo(store).find(Selection([params["kind"]], params["name"], params["namespace"]))
    said = [str(row["why"]["sentence"]) for row in found.rows]
    value = f"{proof.placed} of {params['pods']} pods have a node after {params['timeout']} s"
    way_out = "See whether its scheduler runs; kubectl describe the PodGroup and a pod"
    return Problem(title, value, next(iter(said), "") or "all must have one", way_out)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    if module.check_mode:
        module.exit_json(changed=False, problems=[])
    try:
        proof, problems = follow(open_store(module), module)
    except ApiError as error:
        module.fail_json(msg=error.message, problems=[])
    seen: Dict[str, Any] = {"groups": list(proof.groups), "placed": proof.placed} if proof else {}
    if problems:
        module.fail_json(msg=report(problems), problems=listed(problems), **seen)
    module.exit_json(changed=False, problems=[], **seen)


if __name__ == "__main__":
    main()
