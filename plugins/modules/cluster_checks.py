#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what a run will do to a cluster, and refuse it when something is missing there."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_checks
short_description: "Internal: Validate a cluster before anything is installed on it"
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Takes the objects that roles are about to apply, and asks the API server about all of them. It fails once, with
    every problem and the way out.
  - "Looked at are the server's version, the kinds and groups that it serves, the rights of the kubeconfig's user (by
    C(SelfSubjectAccessReview), for each verb and resource that the objects need), objects of the same names that
    somebody else made, Secrets and storage classes, and room on the nodes."
  - Shows a table of what will be installed, what is there already and what is left alone.
attributes:
  check_mode:
    description: Only reads. When the kubeconfig file does not exist and O(cluster_exists=false), nothing is judged.
    support: full
  diff_mode:
    description: Nothing changes.
    support: none
  idempotent:
    description: Nothing changes.
    support: full
options:
  plans:
    description: What each part is about to apply.
    type: list
    elements: dict
    default: []
    suboptions:
      part:
        description: The part's name, that of its role.
        type: str
        required: true
      objects:
        description: Manifests. C(apiVersion), C(kind) and C(metadata) are enough.
        type: list
        elements: dict
        default: []
      adopt:
        description: Take over objects of these names that somebody else made.
        type: bool
        default: false
      prunes:
        description: Kinds of which the part takes former objects away.
        type: list
        elements: dict
        default: []
        suboptions:
          api_version:
            description: Group and version of the kind.
            type: str
            required: true
          kind:
            description: The kind.
            type: str
            required: true
          namespace:
            description: Where the objects live; empty for kinds of the whole cluster.
            type: str
            default: ""
      missing_files:
        description: Files on the controller that the part needs and that are not there. Each is a problem.
        type: list
        elements: str
        default: []
      notes:
        description: What the user must have done himself, told in the table.
        type: list
        elements: str
        default: []
      pull_secrets:
        description: Names of Secrets that each of the part's namespaces must have.
        type: list
        elements: str
        default: []
      requests:
        description: What the part's largest pod requests. A node must be able to hold it.
        type: dict
        default: {}
      tolerations:
        description: Tolerations of the part's pods.
        type: list
        elements: dict
        default: []
  oldest_kubernetes:
    description: Oldest version of Kubernetes that will do, as V(1.27).
    type: str
    default: "1.27"
  newest_kubernetes:
    description: Newest version of Kubernetes that will do, as V(1.37) or V(1.37.2). Empty means any.
    type: str
    default: ""
  gang_scheduler:
    description:
      - What keeps the pods of a job together. With V(native) the server must serve the kinds of native gangs.
        V(volcano) and V(kube_batch) must fit the version of Kubernetes. One that is newer than what Volcano was
        released for is a warning.
    type: str
    choices: [native, volcano, kube_batch, none]
    default: none
  gang_scheduler_chosen:
    description:
      - Whether a user named O(gang_scheduler). A default of V(native) becomes V(none), with a recommendation, before
        Kubernetes 1.37.
    type: bool
    default: true
  priority_classes:
    description: Whether kube-batch is to read priority classes.
    type: bool
    default: false
  cluster_exists:
    description: Whether there must be a cluster already. If not, check mode may run before there is one.
    type: bool
    default: true
  report_file:
    description: File on the controller to which the result is written as JSON.
    type: path
    default: ""
extends_documentation_fragment:
  - trainyard.mlstack.api
"""

EXAMPLES = r"""
- name: Ask whether these objects could be applied
  trainyard.mlstack.cluster_checks:
    kubeconfig: ~/.kube/config
    plans:
      - part: my_app
        objects: "{{ lookup('ansible.builtin.file', 'app.yaml') | from_yaml_all | list }}"
  delegate_to: localhost
"""

RETURN = r"""
table:
  description: What becomes of the cluster, one row for each part and kind of treatment, the heading first.
  returned: success, when the API server answered
  type: list
  elements: list
  sample: [["part", "objects", "what is done"], ["shared volume", "3", "installed"]]
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
cluster:
  description: Version, user and mark of the cluster.
  returned: when the API server answered
  type: dict
gang_scheduler:
  description: The gang scheduler that the cluster gets.
  returned: when the API server answered
  type: str
  sample: native
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from typing import Any, Dict, List

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.checks import (
    checks,
    gang_of,
    plan_problems,
    rows,
    warnings_of,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.gang_checks import GANG_SCHEDULERS
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.plan import Plan
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.read import Reader
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem, listed, report
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.client import ConnectError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.module import (
    api_spec,
    connected_store,
    no_cluster_yet,
    unanswered,
)


def argument_spec() -> Dict[str, Any]:
    """Return the module's options."""
    prune = {
        "api_version": {"type": "str", "required": True},
        "kind": {"type": "str", "required": True},
        "namespace": {"type": "str", "default": ""},
    }
    plan = {
        "part": {"type": "str", "required": True},
        "objects": {"type": "list", "elements": "dict", "default": []},
        "prunes": {"type": "list", "elements": "dict", "default": [], "options": prune},
        "adopt": {"type": "bool", "default": False},
        "missing_files": {"type": "list", "elements": "str", "default": []},
        "notes": {"type": "list", "elements": "str", "default": []},
        "pull_secrets": {"type": "list", "elements": "str", "default": [], "no_log": False},
        "requests": {"type": "dict", "default": {}},
        "tolerations": {"type": "list", "elements": "dict", "default": []},
    }
    return {
        "plans": {"type": "list", "elements": "dict", "default": [], "options": plan},
        "oldest_kubernetes": {"type": "str", "default": "1.27"},
        "newest_kubernetes": {"type": "str", "default": ""},
        "gang_scheduler": {"type": "str", "choices": list(GANG_SCHEDULERS), "default": "none"},
        "gang_scheduler_chosen": {"type": "bool", "default": True},
        "priority_classes": {"type": "bool", "default": False},
        "cluster_exists": {"type": "bool", "default": True},
        "report_file": {"type": "path", "default": ""},
        **api_spec(),
    }


def file_problems(plans: List[Dict[str, Any]]) -> List[Problem]:
    """Return a problem for each file that a plan misses."""
    way_out = "Make the bundle (ansible-playbook trainyard.mlstack.bundle), or name one: mlstack_bundle_dir"
    rule = "there is no such file on the controller"
    return [Problem(plan["part"], path, rule, way_out) for plan in plans for path in plan["missing_files"]]


def judge(module: Any, plans: List[Plan], found: List[Problem]) -> Dict[str, Any]:
    """Read the cluster, add its problems to those that were found before, and return the result.

    Raises ConnectError, ApiError when the cluster cannot be read; what is wrong with the plans is added all the same.
    """
    params = module.params
    try:
        cluster = Reader(connected_store(module), plans).read()
    except (ConnectError, ApiError):
        found += plan_problems(plans)
        raise
    options = {
        "oldest": params["oldest_kubernetes"],
        "newest": params["newest_kubernetes"] or "999.0",
        "gang_scheduler": params["gang_scheduler"],
        "gang_chosen": params["gang_scheduler_chosen"],
        "priority_classes": params["priority_classes"],
    }
    found += checks(cluster, plans, options)
    for warning in warnings_of(cluster, options):
        module.warn(warning)
    said = {"version": cluster.version, "user": cluster.user, "mark": cluster.mark}
    return {"table": rows(cluster, plans, options), "cluster": said, "gang_scheduler": gang_of(cluster, options)}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    note = "" if module.params["cluster_exists"] else no_cluster_yet(module)
    if note:
        module.exit_json(changed=False, problems=[], note=note)
    problems, result = file_problems(module.params["plans"]), {}
    plans = [Plan(**{key: plan[key] for key in plan if key != "missing_files"}) for plan in module.params["plans"]]
    try:
        result = judge(module, plans, problems)
    except ConnectError as error:
        problems.append(error.problem)
    except ApiError as error:
        problems.append(unanswered(module, error))
    if problems:
        module.fail_json(msg=report(problems), problems=listed(problems), **result)
    module.exit_json(changed=False, problems=[], **result)


if __name__ == "__main__":
    main()
