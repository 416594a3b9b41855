# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of a Volcano Job's tasks and policies: of policies for the whole job, and again in each task."""

from __future__ import annotations

from textwrap import indent

from ...module_utils._job_kinds.volcano_policies import ACTIONS, EVENTS
from .pod import POD

# An asterisk is YAML's own sign.
_EVENTS = ", ".join(f"'{event}'" if event == "*" else event for event in EVENTS)
# The options of `_job_kinds.volcano_policies.policies_options`.
POLICIES = f"""
policies:
  description:
    - What Volcano does when something happens to pods. Those of a task win over those of the job.
    - Each says either what happens or with which code a pod ends.
  type: list
  elements: dict
  suboptions:
    action:
      description: What is done. V(RestartJob) counts against O(ignore:max_retry).
      type: str
      required: true
      choices: [{", ".join(ACTIONS)}]
    event:
      description: What happens. V(*) stands for everything.
      type: str
      choices: [{_EVENTS}]
    events:
      description: Several events with the same action.
      type: list
      elements: str
      choices: [{_EVENTS}]
    exit_code:
      description: Exit code of a pod that fails.
      type: int
    timeout:
      description: Time that passes before it is done, such as V(10m). At once when not given.
      type: str
"""
_TASK = """
name:
  description: Name of the task. Its pods are called C(<job>-<task>-<number>).
  type: str
  required: true
replicas:
  description: Number of pods.
  type: int
  default: 1
min_available:
  description: Pods of this task that start together with the others. All of them when not given.
  type: int
max_retry:
  description: Times that a policy may start the task anew before it fails. V(3) when not given.
  type: int
depends_on:
  description: Tasks that must run before the pods of this one are made.
  type: dict
  suboptions:
    name:
      description: Names of the tasks.
      type: list
      elements: str
      required: true
    iteration:
      description: Whether one of several tasks is enough.
      type: str
      choices: [any, all]
"""


def tasks_document() -> str:
    """Return the documentation of option `tasks`."""
    return f"""
options:
  tasks:
    description:
      - The tasks of the job. What is given for one task wins over the options of the same name above it.
      - The maps C(env), C(node_selector), C(pod_labels) and C(pod_annotations) of a task add to the common ones.
    type: list
    elements: dict
    suboptions:
{indent(_TASK + POLICIES + POD, "      ")}
"""
