#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuse a switch of the gang scheduler that would leave jobs without one."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gang_checks
short_description: "Internal: Check whether jobs depend on a gang scheduler before it is changed"
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Looks at a cluster before its gang scheduler changes, and fails once, with every problem and the way out.
  - Jobs that run or wait under a scheduler that is to go (O(removes)) are named. Those that run must end first; those
    that wait are removed, and submitted again with another backend. A scheduler that stays beside the new one needs no
    such thing. Running jobs finish under it, new ones use the new one.
  - A training operator with a gang flag of its own is a warning. That of this collection has none, and is refused with
    one. Jobs of this collection bring their own PodGroup.
  - Before an upgrade of Kubernetes (O(next_kubernetes)), PodGroups and Workloads of a shape that the next version does
    not serve are named.
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
  removes:
    description: Gang schedulers that the run is about to take away, or to switch off.
    type: list
    elements: str
    choices: [native, volcano, kube_batch, scheduler_plugins]
    default: []
  next_kubernetes:
    description: Version to which Kubernetes is to be upgraded, as V(1.37) or V(1.37.2).
    type: str
  cluster_exists:
    description:
      - Whether there must be a cluster already. If not, nothing is judged where the kubeconfig file does not exist, or
        the API server does not answer.
    type: bool
    default: true
extends_documentation_fragment:
  - trainyard.mlstack.api
seealso:
  - module: trainyard.mlstack.jobs
"""

EXAMPLES = r"""
- name: Ask whether Volcano can be taken away
  trainyard.mlstack.gang_checks:
    removes: [volcano]

- name: Ask what of Kubernetes' own gangs an upgrade would make unreadable
  trainyard.mlstack.gang_checks:
    next_kubernetes: "1.37"
"""

RETURN = r"""
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
jobs:
  description: The jobs whose pods start together and that have not ended. Empty without O(removes).
  returned: when the API server answered
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
    backend:
      description: The gang scheduler under which it is.
      type: str
    state:
      description: V(waiting) while no pod of it ever had a node, else V(running).
      type: str
note:
  description: Said when there is no cluster yet.
  returned: with O(cluster_exists=false), when nothing could be judged
  type: str
"""

import os
from typing import Any, Dict, List, Tuple

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.checks import minor
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.gang_jobs import ENDED, read_gang_jobs
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.gang_switch import (
    dropped_kinds,
    dropped_problems,
    switch_problems,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.operator_flags import judge_operators
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem, listed, report
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.client import ConnectError, kubeconfig_path
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import (
    api_spec,
    connected_store,
    unanswered,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import FIELD_MANAGER, Store


def argument_spec() -> Dict[str, Any]:
    """Return the options of the module."""
    return {
        "removes": {"type": "list", "elements": "str", "choices": list(BACKENDS), "default": []},
        "next_kubernetes": {"type": "str"},
        "cluster_exists": {"type": "bool", "default": True},
        **api_spec(),
    }


def judged_operators(store: Store) -> Tuple[List[Problem], List[str]]:
    """Return what is wrong with operators, and what a user should know of them. Raises ApiError."""
    try:
        deployments = store.list("apps/v1", "Deployment")
    except ApiError as error:
        if error.status != 403:
            raise
        return [], [f"operators were not looked at: {error.message}"]
    problems, warnings = judge_operators(deployments, [FIELD_MANAGER, store.field_manager])
    return problems, [warning.line() for warning in warnings]


def dropped(store: Store, following: str) -> List[Problem]:
    """Return what an upgrade would make unreadable. Raises ApiError."""
    now = minor(str(store.client.call("GET", "/version")["gitVersion"]))
    return dropped_problems({kind: store.list(*kind) for kind in dropped_kinds(now, minor(following))}, following)


def run(module: Any, store: Store, problems: List[Problem]) -> Dict[str, Any]:
    """Add what is wrong to the problems; return the rest of the result. Raises ApiError."""
    params = module.params
    # Who takes nothing away needs no right to read everybody's jobs.
    jobs = [job for job in read_gang_jobs(store) if job.state != ENDED] if params["removes"] else []
    problems += switch_problems(jobs, params["removes"])
    found, warnings = judged_operators(store)
    problems += found
    if params["next_kubernetes"]:
        problems += dropped(store, params["next_kubernetes"])
    for text in warnings:
        module.warn(text)
    return {
        "jobs": [
            {
                "kind": job.kind.name,
                "name": job.ref.name,
                "namespace": job.ref.namespace,
                "backend": job.backend,
                "state": job.state,
            }
            for job in jobs
        ],
    }


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    path = kubeconfig_path(module.params["kubeconfig"])
    following = module.params["next_kubernetes"]
    problems: List[Problem] = []
    result: Dict[str, Any] = {}
    if following and minor(following) == (0, 0):
        problems.append(Problem("next_kubernetes", following, "must be a version of Kubernetes", 'Write it as "1.37"'))
        module.fail_json(msg=report(problems), problems=listed(problems))
    if not module.params["cluster_exists"] and not os.path.exists(path):
        module.exit_json(changed=False, problems=[], note=f"{path} does not exist: there is no cluster yet to judge")
    try:
        result = run(module, connected_store(module), problems)
    except ConnectError as error:
        problems.append(error.problem)
    except ApiError as error:
        if not module.params["cluster_exists"] and not error.status:
            module.exit_json(changed=False, problems=[], note=f"nothing was judged: {error.message}")
        problems.append(unanswered(module, error))
    if problems:
        module.fail_json(msg=report(problems), problems=listed(problems), **result)
    module.exit_json(changed=False, problems=[], **result)


if __name__ == "__main__":
    main()
