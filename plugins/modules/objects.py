#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring a list of Kubernetes objects to its wanted state."""

from __future__ import annotations

DOCUMENTATION = r"""
module: objects
short_description: Apply, wait for and prune a list of Kubernetes objects
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Applies a list of objects by server-side apply, waits once for all of them, and deletes what has left the list.
  - Asks the server by dry run what each object would become. An object that would stay as it is is not written.
    A refused object is reported, together with all others that are refused, before anything is written.
  - The order of the list does not matter. Namespaces and CRDs are applied first, custom resources last;
    a CRD is waited for before objects of its kind are written.
  - Checks TFJobs and PyTorchJobs of the list before the first request, for misplaced policies and the like.
  - Tries again only where waiting helps, that is while a kind is not served yet or an admission webhook cannot be
    reached. A denial fails at once.
attributes:
  check_mode:
    description:
      - Predicts by server-side dry run. An object whose kind or namespace does not exist yet is predicted as created,
        and so is every object when the kubeconfig file does not exist yet.
      - With O(state=ready) nothing is waited for.
    support: full
  diff_mode:
    description: Shows the whole object before and after, the values of Secrets hidden.
    support: full
  idempotent:
    description: A second run writes nothing.
    support: full
options:
  objects:
    description:
      - The objects, as whole manifests. C(apiVersion), C(kind) and C(metadata) are enough with O(state=absent)
        and O(state=ready).
      - Lists of kind C(List) are taken apart, empty documents are left out.
    type: list
    elements: raw
    required: true
  namespace:
    description: Namespace of those objects that name none and whose kind lives in one.
    type: str
  state:
    description:
      - V(present) applies the objects.
      - V(absent) deletes them, dependents first. It works also when their kind or their namespace is gone.
      - V(ready) only reads, and waits until all objects are usable.
    type: str
    choices: [present, absent, ready]
    default: present
  wait:
    description:
      - With O(state=present), wait once until all objects are usable, with O(state=absent) until all are gone.
      - Usable means a workload rolled out, a CRD Established, a Node Ready, a Namespace Active, a claim Bound
        (or waiting for its first consumer), a Job complete, a Pod Ready, a webhook configuration with ready endpoints
        and a CA bundle, a job of Kubeflow or Volcano done, a Volcano Queue Open. Any other object is usable when its
        condition C(Ready) is true or when it has none; O(readiness) says it of further kinds.
      - A Job or Pod that failed ends the waiting at once, and so does an object that was there and is gone.
    type: bool
    default: true
  readiness:
    description: How kinds that are not named above say that they are usable or done, or never will be.
    type: list
    elements: dict
    suboptions:
      api_version:
        description: API version of the kind; the entry holds for all versions of its group.
        type: str
        required: true
      kind:
        description: The kind.
        type: str
        required: true
      field:
        description:
          - Path of the word that says it, such as C(status.state.phase); or of a list of conditions,
            of which the types of the true ones are the words.
        type: str
        required: true
      ready:
        description: Words that mean usable or done.
        type: list
        elements: str
        required: true
      failed:
        description: Words that mean that it never will be. Any other word is waited at.
        type: list
        elements: str
        default: []
  timeout:
    description: Seconds for everything that this task waits for.
    type: int
    default: 300
  prune:
    description: Delete objects that carry these labels and are no longer in the list.
    type: dict
    suboptions:
      selector:
        description: Labels that an object must carry, all of them. The list's own objects of these kinds must too.
        type: dict
        required: true
      kinds:
        description: The kinds that are looked through.
        type: list
        elements: dict
        required: true
        suboptions:
          api_version:
            description: API version of the kind.
            type: str
            required: true
          kind:
            description: The kind.
            type: str
            required: true
      namespace:
        description: Look only in this namespace.
        type: str
        default: ""
extends_documentation_fragment:
  - trainyard.mlstack.api
"""

EXAMPLES = r"""
- name: Install an operator, with its CRDs and first object, and wait until all is usable
  trainyard.mlstack.objects:
    kubeconfig: ~/.kube/mlstack.conf
    objects: "{{ lookup('ansible.builtin.file', 'operator.yaml') | from_yaml_all | list }}"
    timeout: 600
  delegate_to: localhost

- name: Keep exactly these sample programs
  trainyard.mlstack.objects:
    objects: "{{ sample_config_maps }}"
    namespace: mlstack-samples
    prune:
      selector: {app.kubernetes.io/part-of: mlstack-samples}
      kinds: [{api_version: v1, kind: ConfigMap}]
      namespace: mlstack-samples

- name: Wait until the nodes are Ready
  trainyard.mlstack.objects:
    state: ready
    objects:
      - {apiVersion: v1, kind: Node, metadata: {name: worker-1}}
      - {apiVersion: v1, kind: Node, metadata: {name: worker-2}}

- name: Run a workflow, whose kind says in a phase how it ended
  trainyard.mlstack.objects:
    objects: ["{{ workflow }}"]
    readiness:
      - api_version: argoproj.io/v1alpha1
        kind: Workflow
        field: status.phase
        ready: [Succeeded]
        failed: [Failed, Error]

- name: Remove the samples' namespace
  trainyard.mlstack.objects:
    state: absent
    objects:
      - {apiVersion: v1, kind: Namespace, metadata: {name: mlstack-samples}}
"""

RETURN = r"""
objects:
  description: What became of each object, in the list's order; pruned ones follow.
  returned: always
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the object.
      type: str
      sample: Deployment
    api_version:
      description: Its API version.
      type: str
      sample: apps/v1
    name:
      description: Its name.
      type: str
      sample: training-operator
    namespace:
      description: Its namespace, empty for a cluster-wide object.
      type: str
      sample: kubeflow
    result:
      description: One of created, changed, unchanged, deleted, absent, ready.
      type: str
      sample: unchanged
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
failed_objects:
  description: The objects that were refused, or are not usable or not gone in time.
  returned: failure
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the object.
      type: str
    name:
      description: Its name.
      type: str
    namespace:
      description: Its namespace.
      type: str
    reason:
      description: What the server said, or what the object waits for.
      type: str
"""

from typing import Any, Dict, List, Sequence

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import report
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.operator_native import check_job
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.apply import Applier
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.ends import ends_of, ends_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import (
    api_spec,
    no_cluster_yet,
    open_store,
    progress,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.outcome import (
    ObjectsFailed,
    Outcome,
    after,
    diffs,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.remove import (
    Prune,
    check_prune,
    leftovers,
    remove,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import (
    Item,
    Manifest,
    check,
    flatten,
    ref_of,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.wait import Say, until_ready


def argument_spec() -> Dict[str, Any]:
    """Return the module's options."""
    kind = {"api_version": {"type": "str", "required": True}, "kind": {"type": "str", "required": True}}
    prune = {
        "selector": {"type": "dict", "required": True},
        "kinds": {"type": "list", "elements": "dict", "required": True, "options": kind},
        "namespace": {"type": "str", "default": ""},
    }
    return {
        "objects": {"type": "list", "elements": "raw", "required": True},
        "namespace": {"type": "str"},
        "state": {"type": "str", "choices": ["present", "absent", "ready"], "default": "present"},
        "wait": {"type": "bool", "default": True},
        "timeout": {"type": "int", "default": 300},
        "readiness": {"type": "list", "elements": "dict", "options": ends_options()},
        "prune": {"type": "dict", "options": prune},
        **api_spec(),
    }


def prune_of(params: Dict[str, Any]) -> Prune:
    """Return the prune option, labels as text."""
    option = params["prune"]
    kinds = [(kind["api_version"], kind["kind"]) for kind in option["kinds"]]
    selector = {key: str(value) for key, value in option["selector"].items()}
    return Prune(selector, kinds, option["namespace"])


def present(store: Store, items: Sequence[Item], module: Any, deadline: Deadline, say: Say) -> List[Outcome]:
    """Apply the list, delete what has left it, wait for all."""
    params, outcomes = module.params, Applier(store, items, deadline, say, module.check_mode).run()
    with after(outcomes):
        if params["prune"]:
            left = leftovers(store, prune_of(params), items)
            outcomes += remove(store, left, deadline, say, module.check_mode, params["wait"])
        if params["wait"] and not module.check_mode:
            until_ready(store, [item.ref for item in items], deadline, say, ends_of(params["readiness"]))
    return outcomes


def ready(store: Store, items: Sequence[Item], module: Any, deadline: Deadline, say: Say) -> List[Outcome]:
    """Wait for the list."""
    until_ready(store, [item.ref for item in items], deadline, say, ends_of(module.params["readiness"]))
    return [Outcome(item.ref, "ready") for item in items]


def without_cluster(manifests: Sequence[Manifest], params: Dict[str, Any]) -> List[Outcome]:
    """Return the prediction for a cluster that is yet to be made."""
    result = {"present": "created", "absent": "absent", "ready": "unchanged"}[params["state"]]
    refs = [ref_of(manifest, params["namespace"] or "") for manifest in manifests]
    return [Outcome(ref, result, None, manifest) for ref, manifest in zip(refs, manifests)]


def run(module: Any) -> Dict[str, Any]:
    """Return the module's result."""
    params = module.params
    manifests = flatten(params["objects"])
    problems = check(manifests)
    if params["state"] == "present" and not problems:
        problems = [problem for manifest in manifests for problem in check_job(manifest)]
    if problems:
        module.fail_json(msg=report(problems))
    note = no_cluster_yet(module)
    if note:
        return {**result_of(without_cluster(manifests, params), module._diff), "note": note}
    store, deadline, say = open_store(module), Deadline(params["timeout"]), progress(module)
    if params["state"] == "ready" and module.check_mode:
        # The objects may be what an earlier task only said it would make: nothing is asked, nothing is claimed.
        return result_of([Outcome(ref_of(manifest), "unchanged") for manifest in manifests], module._diff)
    items = store.items(manifests, params["namespace"] or "")
    if params["prune"]:
        problems = check_prune(prune_of(params), items)
        if problems:
            module.fail_json(msg=report(problems))
    if params["state"] == "absent":
        outcomes = remove(store, items, deadline, say, module.check_mode, params["wait"])
    else:
        outcomes = (present if params["state"] == "present" else ready)(store, items, module, deadline, say)
    return result_of(outcomes, module._diff)


def result_of(outcomes: Sequence[Outcome], with_diff: bool) -> Dict[str, Any]:
    """Return the outcomes as the module returns them."""
    changed = any(outcome.changed for outcome in outcomes)
    result: Dict[str, Any] = {"changed": changed, "objects": [outcome.summary() for outcome in outcomes]}
    if with_diff:
        result["diff"] = diffs(outcomes)
    return result


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    # The objects may hold Secrets: the invocation that Ansible prints names the options only.
    invocation = {"module_args": {**module.params, "objects": f"{len(module.params['objects'])} objects"}}
    try:
        module.exit_json(invocation=invocation, **run(module))
    except ObjectsFailed as error:
        failed = [
            {"kind": t.ref.kind, "name": t.ref.name, "namespace": t.ref.namespace, "reason": t.reason}
            for t in error.troubles
        ]
        module.fail_json(
            msg=str(error),
            failed_objects=failed,
            invocation=invocation,
            **result_of(error.outcomes, module._diff),
        )
    except ApiError as error:
        module.fail_json(msg=error.message, invocation=invocation)


if __name__ == "__main__":
    main()
