#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read lists of Kubernetes objects in one go."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_info
short_description: Read lists of Kubernetes objects in one go
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Reads any number of lists of objects with one process and one connection, where M(kubernetes.core.k8s_info) needs a
    task for each.
  - A kind that is not served and a namespace that does not exist have an empty list.
attributes:
  check_mode:
    description:
      - Reads as always. When the kubeconfig file does not exist yet, all lists are empty.
    support: full
  diff_mode:
    description: Nothing changes.
    support: none
  idempotent:
    description: Nothing changes.
    support: full
  action_group:
    description: Member of the action group C(trainyard.mlstack.api).
    support: full
    membership:
      - trainyard.mlstack.api
options:
  lists:
    description: The lists to read.
    type: list
    elements: dict
    required: true
    suboptions:
      api_version:
        description: API version of the objects.
        type: str
        required: true
      kind:
        description: Kind of the objects.
        type: str
        required: true
      namespaces:
        description: Only of these namespaces. Without any, of all.
        type: list
        elements: str
        default: []
  kubeconfig:
    description:
      - Path of the kubeconfig file on the host that runs the task.
      - Without it, the file that the environment variable E(KUBECONFIG) names, else C(~/.kube/config).
    type: path
  context:
    description: Context of the kubeconfig file. Without it, the file's current one.
    type: str
requirements:
  - kubernetes (Python package) on the host that runs the task
seealso:
  - module: kubernetes.core.k8s_info
"""

EXAMPLES = r"""
- name: Read the nodes and the pods of two namespaces
  trainyard.mlstack.cluster_info:
    kubeconfig: ~/.kube/mlstack.conf
    lists:
      - {api_version: v1, kind: Node}
      - {api_version: v1, kind: Pod, namespaces: [kube-system, kubeflow]}
  delegate_to: localhost
  register: cluster
"""

RETURN = r"""
objects:
  description: All objects that were read, in the order of O(lists). Each names its kind.
  returned: always
  type: list
  elements: dict
  sample: [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "cp-1"}}]
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from typing import Any, Dict, List

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ansible_collections.trainyard.mlstack.plugins.module_utils._api_error import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._api_module import no_cluster_yet
from ansible_collections.trainyard.mlstack.plugins.module_utils._client import HAS_KUBERNETES, ConnectError, connect
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import report
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest
from ansible_collections.trainyard.mlstack.plugins.module_utils._store import Store


def argument_spec() -> Dict[str, Any]:
    """Return the module's options."""
    one = {
        "api_version": {"type": "str", "required": True},
        "kind": {"type": "str", "required": True},
        "namespaces": {"type": "list", "elements": "str", "default": []},
    }
    return {
        "lists": {"type": "list", "elements": "dict", "required": True, "options": one},
        "kubeconfig": {"type": "path"},
        "context": {"type": "str"},
    }


def run(module: Any) -> Dict[str, Any]:
    """Return the module's result."""
    note = no_cluster_yet(module)
    if note:
        return {"objects": [], "note": note}
    if not HAS_KUBERNETES:
        module.fail_json(msg=missing_required_lib("kubernetes"))
    store = Store(connect(module.params["kubeconfig"], module.params["context"]))
    objects: List[Manifest] = []
    for one in module.params["lists"]:
        for namespace in one["namespaces"] or [""]:
            objects += store.list(one["api_version"], one["kind"], namespace)
    return {"objects": objects}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    try:
        module.exit_json(changed=False, **run(module))
    except ConnectError as error:
        module.fail_json(msg=report([error.problem]))
    except ApiError as error:
        module.fail_json(msg=error.message)


if __name__ == "__main__":
    main()
