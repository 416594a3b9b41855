#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring a PodGroup to its wanted state, for pods that other modules make."""

from __future__ import annotations

DOCUMENTATION = r"""
module: pod_group
short_description: Manage the PodGroup of pods that start together or not at all
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Makes a PodGroup for any scheduler that knows gangs, and returns what the pod templates must say to be in it. That
    is for Deployments, Jobs and the like that you write yourself.
  - The modules for training jobs have the option C(gang), which does both. A PodGroup that belongs to a job is refused
    here.
attributes:
  check_mode:
    description: Predicts by server-side dry run. Without the cluster or its CRD, the group is predicted as created.
    support: full
  diff_mode:
    description: Shows the whole PodGroup before and after.
    support: full
  idempotent:
    description: A second run writes nothing.
    support: full
options:
  backend:
    description:
      - The scheduler that keeps the pods together. The cluster must have it, or the task is refused.
      - The object of V(native) has the form that the cluster's version knows, C(scheduling.k8s.io/v1beta1) from
        Kubernetes 1.37 on. In 1.35 it is a Workload.
    type: str
    choices: [native, volcano, kube_batch, scheduler_plugins]
    default: native
  name:
    description: Name of the PodGroup.
    type: str
    required: true
  namespace:
    description: Namespace of the PodGroup and its pods. It must exist.
    type: str
    default: default
  state:
    description:
      - V(present) creates or changes the PodGroup.
      - V(absent) deletes it, and returns when it is gone. Remove its pods first. Kubernetes keeps a group of V(native)
        until they are, and with the other schedulers those that have no node yet would wait for ever.
    type: str
    choices: [present, absent]
    default: present
  min_available:
    description: Pods that must find room before any of them starts. Required with O(state=present).
    type: int
  queue:
    description:
      - Queue in which the pods wait, the scheduler's default one when not given. For V(volcano) and V(kube_batch).
      - A live PodGroup stays in its queue.
    type: str
  priority_class:
    description: Priority class of the group. V(scheduler_plugins) takes that of the pods, and refuses it.
    type: str
  min_resources:
    description:
      - What O(min_available) of the pods ask for together, by resource, so that they are not even tried before there is
        so much. For V(volcano) and V(scheduler_plugins).
    type: dict
  timeout:
    description: Seconds after which the group gives up waiting. For V(scheduler_plugins).
    type: int
  scheduler:
    description:
      - Name of the scheduler, where it runs under another one than C(volcano), C(kube-batch) or
        C(scheduler-plugins-scheduler). V(native) is the default scheduler, and refuses it.
    type: str
extends_documentation_fragment:
  - trainyard.mlstack.api
seealso:
  - module: trainyard.mlstack.queue
"""

EXAMPLES = r"""
- name: Let four pods of my own start together
  trainyard.mlstack.pod_group:
    backend: volcano
    name: simulation
    namespace: team-a
    min_available: 4
    queue: team-a
    min_resources: {nvidia.com/gpu: 4}
  register: group

- name: Run them, marked as members of the group
  trainyard.mlstack.objects:
    wait: false
    objects:
      - apiVersion: batch/v1
        kind: Job
        metadata: {name: simulation, namespace: team-a}
        spec:
          parallelism: 4
          completions: 4
          template: "{{ group.template | ansible.builtin.combine(simulation_template, recursive=true) }}"

- name: Remove the group
  trainyard.mlstack.pod_group:
    backend: volcano
    name: simulation
    namespace: team-a
    state: absent
"""

RETURN = r"""
result:
  description: One of created, changed, unchanged, deleted, absent.
  returned: success
  type: str
  sample: created
manifest:
  description: The PodGroup as it is now, or would be.
  returned: with O(state=present)
  type: dict
template:
  description: What the template of each pod must say to be in the group; to be combined with the rest of the template.
  returned: with O(state=present)
  type: dict
  sample:
    metadata: {annotations: {scheduling.k8s.io/group-name: simulation}}
    spec: {schedulerName: volcano}
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from dataclasses import replace
from typing import Any, Dict

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import report
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.backend import Backend
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS, check_extras, lacking
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.pod_group import (
    check,
    owner_problem,
    render,
    template,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.shape import shape_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.fixed import fixed_part_changes
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.apply import Applier
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.cluster import LiveCluster
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.compare import meaningful
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import (
    api_spec,
    no_cluster_yet,
    open_store,
    progress,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import ObjectsFailed, Outcome, diffs
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.remove import remove
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Item, Ref
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store

# For a webhook to come up, and for a group to go.
_PATIENCE_S = 120.0
_FIXED = "cannot be changed on a live PodGroup"
_ANEW = "Remove its pods and the group (state absent), then make them anew; or give the new group another name"


def argument_spec() -> Dict[str, Any]:
    """Return the module's options."""
    return {
        "backend": {"type": "str", "choices": list(BACKENDS), "default": "native"},
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "default": "default"},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "min_available": {"type": "int"},
        "queue": {"type": "str"},
        "priority_class": {"type": "str"},
        "min_resources": {"type": "dict"},
        "timeout": {"type": "int"},
        "scheduler": {"type": "str"},
        **api_spec(),
    }


def act(module: Any, store: Store, ref: Ref, shape: Backend) -> Outcome:
    """Return what became of the group. Ends the module where it must stay as it is."""
    params, check_mode = module.params, module.check_mode
    present = params["state"] == "present"
    # In check mode an earlier task may be what installs the scheduler.
    problems = lacking(store, [shape]) if present and not check_mode else []
    # An older shape of native groups has less.
    problems += check_extras(params, shape) if present else []
    live = store.read(ref)
    if live is not None:
        problems += owner_problem(live)
        fixed = fixed_part_changes(render(params, shape), live, params["field_manager"]) if present else []
        problems += [replace(each, rule=_FIXED, way_out=_ANEW) for each in fixed]
    if problems:
        module.fail_json(msg=report(problems))
    deadline, say = Deadline(_PATIENCE_S), progress(module)
    if not present:
        return remove(store, [Item(ref, {})], deadline, say, check_mode, wait=True)[0]
    return Applier(store, [Item(ref, render(params, shape))], deadline, say, check_mode).run()[0]


def run(module: Any) -> Dict[str, Any]:
    """Return the module's result."""
    params = module.params
    present = params["state"] == "present"
    problems = check(params) if present else []
    if problems:
        module.fail_json(msg=report(problems))
    shape, note = BACKENDS[params["backend"]], no_cluster_yet(module)
    store = None if note else open_store(module)
    if store:
        shape = shape_of(LiveCluster(store), shape)
    ref = Ref(shape.api_version, shape.kind, params["name"], params["namespace"])
    if store:
        outcome = act(module, store, ref, shape)
    else:
        outcome = Outcome(ref, "created", None, render(params, shape)) if present else Outcome(ref, "absent")
    result: Dict[str, Any] = {"changed": outcome.changed, "result": outcome.result}
    if outcome.after:
        result.update(manifest=meaningful(outcome.after), template=template(params, shape))
    if module._diff:
        result["diff"] = diffs([outcome])
    return {**result, **({"note": note} if note else {})}


def main() -> None:
    """Entry point."""
    needed = [("state", "present", ["min_available"])]
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True, required_if=needed)
    try:
        module.exit_json(**run(module))
    except ObjectsFailed as error:
        # A group that does not go is being deleted all the same.
        module.fail_json(msg=str(error), changed=any(outcome.changed for outcome in error.outcomes))
    except ApiError as error:
        module.fail_json(msg=error.message)


if __name__ == "__main__":
    main()
