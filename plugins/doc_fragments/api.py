# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of what all modules on the API host share: their action group and how they reach the server."""

from __future__ import annotations


class ModuleDocFragment:
    """The options of `_kube.module.api_spec`."""

    DOCUMENTATION = r"""
attributes:
  action_group:
    description: Member of the action group C(trainyard.mlstack.api).
    support: full
    membership:
      - trainyard.mlstack.api
options:
  kubeconfig:
    description:
      - Path of the kubeconfig file on the host that runs the task.
      - Without it, the file that the environment variable E(KUBECONFIG) names, else C(~/.kube/config).
    type: path
  context:
    description: Context of the kubeconfig file. Without it, the file's current one.
    type: str
  field_manager:
    description: Name under which the API server remembers which fields are ours.
    type: str
    default: trainyard.mlstack
  force_conflicts:
    description: Take over a field that another field manager holds, instead of failing with a conflict.
    type: bool
    default: true
  progress_file:
    description:
      - File to which a line of JSON is appended for each step.
      - Set by the action plugin, which shows the steps while the task runs.
    type: path
requirements:
  - kubernetes (Python package) on the host that runs the task
notes:
  - Runs where the API server can be reached, usually with C(delegate_to) on localhost and C(become=false).
seealso:
  - module: kubernetes.core.k8s
"""
