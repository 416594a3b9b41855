#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Take an installation away whole."""

from __future__ import annotations

DOCUMENTATION = r"""
module: uninstall
short_description: "Internal: Remove an installation with all of its objects"
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Removes what an operator or a scheduler consists of, and everything of the kinds that it brought.
  - The order is one in which nothing holds up the rest. First go the webhook configurations, because without the
    programs behind them the API server refuses requests. Then go the objects of its kinds, while the controllers
    still run that finish with them. Then go the workloads, and last the definitions, namespaces and all others.
  - Finalizers of such objects that stay when the controllers are gone are taken away, because nobody else would do it.
  - Refuses while something still needs it, and names it.
attributes:
  check_mode:
    description: Only reads, and predicts what would be deleted.
    support: full
  diff_mode:
    description: Shows each object that goes.
    support: full
  idempotent:
    description: A second run finds nothing, and a run that was killed is ended by the next one.
    support: full
options:
  objects:
    description:
      - What was installed, as for M(trainyard.mlstack.objects). C(apiVersion), C(kind) and C(metadata) are enough.
        Definitions that the cluster has decide which kinds go.
    type: list
    elements: dict
    required: true
  schedulers:
    description: Names of the schedulers that go. Pods of theirs that are not at an end still need them.
    type: list
    elements: str
    default: []
  gang_scheduler:
    description:
      - The scheduler of gangs that goes, as the job modules call it. Its pods still need it as those of O(schedulers)
        do, and so do jobs whose gangs are its own, those too that wait or are suspended without pods.
    type: str
    choices: [native, volcano, kube_batch, scheduler_plugins]
  force:
    description: Remove it even though something still needs it. Jobs of its kinds end with that.
    type: bool
    default: false
  timeout:
    description: Seconds until everything must be gone.
    type: int
    default: 300
extends_documentation_fragment:
  - trainyard.mlstack.api
seealso:
  - module: trainyard.mlstack.objects
"""

EXAMPLES = r"""
- name: Remove Volcano, unless a job still needs it
  trainyard.mlstack.uninstall:
    kubeconfig: ~/.kube/mlstack.conf
    objects: "{{ lookup('ansible.builtin.file', 'volcano.yaml') | from_yaml_all | list }}"
    gang_scheduler: volcano
  delegate_to: localhost
"""

RETURN = r"""
objects:
  description: What became of each object, those of the installation's own kinds among them.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the object.
      type: str
      sample: Queue
    api_version:
      description: Its API version.
      type: str
      sample: scheduling.volcano.sh/v1beta1
    name:
      description: Its name.
      type: str
      sample: default
    namespace:
      description: Its namespace, empty for a cluster-wide object.
      type: str
    result:
      description: One of deleted, absent.
      type: str
      sample: deleted
users:
  description: What still needs the installation.
  returned: failure for this reason
  type: list
  elements: str
  sample: [Pod team-a/bert-worker-0]
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from typing import Any, Dict, List

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.uninstall import Uninstall
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem, report
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import (
    api_spec,
    no_cluster_yet,
    open_store,
    progress,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import ObjectsFailed, Outcome, diffs
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import check, flatten

# More of them are counted, not named.
_NAMED = 10


def argument_spec() -> Dict[str, Any]:
    """Return the module's options."""
    return {
        "objects": {"type": "list", "elements": "dict", "required": True},
        "schedulers": {"type": "list", "elements": "str", "default": []},
        "gang_scheduler": {"type": "str", "choices": list(BACKENDS)},
        "force": {"type": "bool", "default": False},
        "timeout": {"type": "int", "default": 300},
        **api_spec(),
    }


def in_use(users: List[str]) -> Problem:
    """Return why the installation stays."""
    named = ", ".join(users[:_NAMED]) + (f" and {len(users) - _NAMED} more" if len(users) > _NAMED else "")
    way_out = "Wait until they end, or remove them; force removes it all the same"
    return Problem("objects", named, "still needed", way_out)


def run(module: Any) -> Dict[str, Any]:
    """Return the module's result."""
    params, manifests = module.params, flatten(module.params["objects"])
    problems = check(manifests)
    if problems:
        module.fail_json(msg=report(problems))
    note = no_cluster_yet(module)
    if note:
        return {"changed": False, "objects": [], "note": note}
    store = open_store(module)
    work = Uninstall(store, manifests, Deadline(params["timeout"]), progress(module))
    needed = [] if params["force"] else work.users(params["schedulers"], params["gang_scheduler"])
    users = [str(ref) for ref in needed]
    if users:
        module.fail_json(msg=report([in_use(users)]), users=users)
    return result_of(work.run(module.check_mode), module._diff)


def result_of(outcomes: List[Outcome], with_diff: bool) -> Dict[str, Any]:
    """Return the outcomes as the module returns them."""
    changed = any(outcome.changed for outcome in outcomes)
    shown = {"diff": diffs(outcomes)} if with_diff else {}
    return {"changed": changed, "objects": [outcome.summary() for outcome in outcomes], **shown}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    # Whole manifests would fill the screen.
    invocation = {"module_args": {**module.params, "objects": f"{len(module.params['objects'])} objects"}}
    try:
        module.exit_json(invocation=invocation, **run(module))
    except ObjectsFailed as error:
        module.fail_json(msg=str(error), invocation=invocation, **result_of(error.outcomes, module._diff))
    except ApiError as error:
        module.fail_json(msg=error.message, invocation=invocation)


if __name__ == "__main__":
    main()
