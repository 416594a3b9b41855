#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show that a cluster works, check by check."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_verify
short_description: "Internal: Verify a running cluster with a list of checks"
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Makes all checks, whatever the others find, and fails in the end unless every one went well. Each failed check says
    what to do.
  - With O(mode=quick) it only reads. Nodes, the system's workloads and the training operator must be ready, the
    operator's webhook must refuse a job that is wrong (as a dry run), and the named sample jobs must have succeeded.
  - With O(mode=full) it also runs pods in a namespace of its own, one on each node that takes pods. They look names up,
    reach each other across nodes (in a ring, both ways round) and reach a service by its address; then a small TFJob of
    two workers runs to its end. With O(gang_scheduler) it is a gang, which must have one PodGroup and a node for each
    pod. The namespace is removed afterwards. One that a killed run has left is removed first.
attributes:
  check_mode:
    description: Does nothing, and says so.
    support: full
  diff_mode:
    description: Nothing changes.
    support: none
  idempotent:
    description: The cluster is afterwards as it was before.
    support: full
options:
  mode:
    description: Whether to run pods too.
    type: str
    choices: [quick, full]
    default: quick
  system_namespaces:
    description: Namespaces whose pods belong to the system. One that does not exist counts as empty.
    type: list
    elements: str
    default: [kube-system, kube-flannel, kubeflow, volcano-system, kube-batch]
  samples:
    description: Names of sample jobs that must have succeeded.
    type: list
    elements: str
    default: []
  samples_namespace:
    description: Namespace of the sample jobs.
    type: str
    default: mlstack-samples
  timeout:
    description: Seconds in which each check that waits must see what it waits for.
    type: int
    default: 120
  namespace:
    description: Namespace that O(mode=full) makes and removes.
    type: str
    default: mlstack-verify
  gang_scheduler:
    description:
      - The gang scheduler that O(mode=full) proves with its job. Kubernetes' own is not proven where it is not served
        and the version is older than 1.37.
    type: str
    choices: [native, volcano, kube_batch, scheduler_plugins, none]
    default: none
  image:
    description: Image with Python 3.8 as C(python3), for O(mode=full).
    type: str
  program:
    description: Text of the program that the pods run, which role verify holds. For O(mode=full).
    type: str
  image_pull_secrets:
    description:
      - Names of Secrets in O(samples_namespace) with which the image is pulled. They are copied for the time of the
        run.
    type: list
    elements: str
    default: []
  tolerations:
    description: Tolerations of the pods. A node with another taint gets none.
    type: list
    elements: dict
    default: []
  report_file:
    description: File on the controller to which the checks are written as JSON.
    type: path
    default: ""
extends_documentation_fragment:
  - trainyard.mlstack.api
"""

EXAMPLES = r"""
- name: Show that the cluster is well, reading only
  trainyard.mlstack.cluster_verify:
    kubeconfig: ~/.kube/mlstack.conf
    report_file: /var/lib/mlstack/verify.json
  delegate_to: localhost
"""

RETURN = r"""
checks:
  description: All checks, in the order in which they were made.
  returned: unless in check mode
  type: list
  elements: dict
  contains:
    name:
      description: Name of the check.
      type: str
      sample: dns
    ok:
      description: Whether it went well.
      type: bool
    detail:
      description: What was found.
      type: str
    way_out:
      description: What to do about it. Empty when it went well.
      type: str
    seconds:
      description: How long it took.
      type: float
table:
  description: The checks as a table, its heading first. It is shown when the task ends.
  returned: success, unless in check mode
  type: list
  elements: list
summary:
  description: What is there and how to use it, one line each.
  returned: success, unless in check mode
  type: list
  elements: str
note:
  description: Said in check mode.
  returned: in check mode
  type: str
"""

from typing import Any, Dict

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster import verify as _verify
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.probe import Settings
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.verify_checks import (
    Check,
    report,
    rows,
    with_ways_out,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.verify_run import Verifier
from ansible_collections.trainyard.mlstack.plugins.module_utils._gangs.gang import BACKENDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.client import kubeconfig_path
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import api_spec, open_store, progress


def argument_spec() -> Dict[str, Any]:
    """Return the module's options."""
    return {
        "mode": {"type": "str", "choices": ["quick", "full"], "default": "quick"},
        "system_namespaces": {
            "type": "list",
            "elements": "str",
            "default": ["kube-system", "kube-flannel", "kubeflow", "volcano-system", "kube-batch"],
        },
        "samples": {"type": "list", "elements": "str", "default": []},
        "samples_namespace": {"type": "str", "default": "mlstack-samples"},
        "timeout": {"type": "int", "default": 120},
        "namespace": {"type": "str", "default": "mlstack-verify"},
        "gang_scheduler": {"type": "str", "choices": [*BACKENDS, "none"], "default": "none"},
        "image": {"type": "str"},
        "program": {"type": "str"},
        "image_pull_secrets": {"type": "list", "elements": "str", "default": [], "no_log": False},
        "tolerations": {"type": "list", "elements": "dict", "default": []},
        "report_file": {"type": "path", "default": ""},
        **api_spec(),
    }


def verify(module: Any, kubectl: str) -> Dict[str, Any]:
    """Make all checks and return the module's result."""
    params = module.params
    kubeconfig = kubeconfig_path(params["kubeconfig"])
    store = open_store(module)
    settings = Settings(
        namespace=params["namespace"],
        image=params["image"] or "",
        program=params["program"] or "",
        pull_secrets=params["image_pull_secrets"],
        secrets_from=params["samples_namespace"],
        tolerations=params["tolerations"],
    )
    verifier = Verifier(store, settings, params["timeout"], progress(module))
    try:
        nodes = store.list("v1", "Node")
        pods = [pod for space in params["system_namespaces"] for pod in store.list("v1", "Pod", space)]
        verifier.read(nodes, pods)
        verifier.samples(params["samples"], params["samples_namespace"])
        if params["mode"] == "full":
            verifier.probe(nodes, params["gang_scheduler"])
    except ApiError as error:
        nodes, pods = [], []
        verifier.checks.append(Check("api", False, error.message))
    checks = with_ways_out(verifier.checks, kubectl, params["namespace"])
    return {
        "checks": [check.result() for check in checks],
        "table": rows(checks),
        "summary": _verify.summary([*nodes, *pods], verifier.states, kubeconfig, params["samples_namespace"]),
        "failed": not all(check.ok for check in checks),
        "msg": report(checks),
    }


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec=argument_spec(),
        required_if=[("mode", "full", ["image", "program"])],
        supports_check_mode=True,
    )
    if module.check_mode:
        module.exit_json(changed=False, note="nothing is verified in check mode: it is only a plan that could be")
    result = verify(module, f"kubectl --kubeconfig {kubeconfig_path(module.params['kubeconfig'])}")
    if result.pop("failed"):
        result.pop("summary")
        module.fail_json(**result)
    result.pop("msg")
    module.exit_json(changed=False, **result)


if __name__ == "__main__":
    main()
