#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a list of training jobs of any kind."""

from __future__ import annotations

DOCUMENTATION = r"""
module: jobs
short_description: Run a list of training jobs of any kind
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Brings jobs of different kinds to their state in one process, and follows all of them to their ends in one wait.
  - Each job has the options of the module of its kind. All jobs are checked before the first one is written, and all
    problems are reported at once.
  - The task fails when one job did not end well, after all of them have ended.
options:
  jobs:
    description:
      - The jobs. Each has C(kind), the name of the module for its kind, C(name), and the options of that module.
    type: list
    elements: dict
  file:
    description:
      - File on the controller that holds the jobs, instead of O(jobs). It is a YAML list, or a mapping with C(jobs)
        and C(defaults).
      - A relative path begins at the folder in which the playbook is started. Templates in it are not evaluated.
    type: path
  report_file:
    description: File on the controller to which the results of all jobs are written as JSON.
    type: path
  defaults:
    description:
      - Options of each job that does not have them itself, as far as its kind knows them.
      - The maps C(labels), C(annotations), C(env), C(node_selector), C(pod_labels) and C(pod_annotations) of a job add
        to those here.
    type: dict
    default: {}
  gang_backend:
    description:
      - The gang scheduler of each job whose C(gang) names none, see option C(gang.backend) of
        M(trainyard.mlstack.tfjob).
        The roles of this collection pass C(mlstack_gang_scheduler).
    type: str
    choices: [native, volcano, kube_batch, scheduler_plugins]
    default: native
extends_documentation_fragment:
  - trainyard.mlstack.job_run
  - trainyard.mlstack.api
seealso:
  - module: trainyard.mlstack.tfjob
  - module: trainyard.mlstack.pytorchjob
  - module: trainyard.mlstack.ps_job
  - module: trainyard.mlstack.volcano_job
"""

EXAMPLES = r"""
- name: Train with TensorFlow and with PyTorch, wait for both
  trainyard.mlstack.jobs:
    defaults:
      namespace: team-a
      gpus: 1
    jobs:
      - kind: tfjob
        name: digits
        image: registry.example.org/digits:2
        replicas: {Chief: {}, Worker: {replicas: 2}}
      - kind: pytorchjob
        name: bert
        image: registry.example.org/bert:7
        replicas: {Master: {}, Worker: {replicas: 3}}
    wait: true
    timeout: 86400

- name: Write the jobs of a file as manifests for a repository
  trainyard.mlstack.jobs:
    file: jobs.yml
    state: rendered
    manifest_dir: deploy/jobs
"""

# The modules for one kind return the same and refer to this text.
RETURN = r"""
jobs:
  description:
    - One entry for each job, in the order in which they were given.
  returned: always
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the job, by the name of its module.
      type: str
      sample: tfjob
    name:
      description: Name of the job.
      type: str
    namespace:
      description: Namespace of the job.
      type: str
    changed:
      description: Whether this job was created, changed or removed, or would be.
      type: bool
    manifests:
      description: All objects of the job, as they are sent. The first one stands for the job.
      returned: unless O(state=absent), and unless the task failed
      type: list
      elements: dict
    notes:
      description: What deserves attention without stopping the job. Shown as warnings, too.
      returned: unless O(state=absent)
      type: list
      elements: str
    file:
      description: The file that holds the job.
      returned: with O(manifest_dir)
      type: str
    state:
      description: One of absent, created, queued, running, restarting, suspended, succeeded, failed, vanished.
      returned: when the cluster was asked
      type: str
      sample: succeeded
    end:
      description: How the wait ended, as one of succeeded, failed, vanished, timed_out, suspended.
      returned: with O(wait=true)
      type: str
      sample: succeeded
    ended_by:
      description: The rule that ended the job, in one sentence.
      returned: when it has ended
      type: str
      sample: its worker 0 ended well; the others do not count (success_policy default)
    reason:
      description: The job's own word for its state.
      returned: when the cluster was asked
      type: str
      sample: TFJobSucceeded
    message:
      description: The job's own sentence, or why pods do not run.
      returned: when the cluster was asked
      type: str
    why:
      description: Why it did not end well.
      returned: when a wait ended badly
      type: dict
      contains:
        sentence:
          description: The reason in one sentence.
          type: str
        facts:
          description: What it rests on, what could not be looked at, and what to do.
          type: list
          elements: str
    replicas:
      description: The pods of the job.
      returned: when the cluster was asked
      type: list
      elements: dict
      contains:
        type:
          description: Replica type.
          type: str
          sample: Worker
        index:
          description: Its number.
          type: int
        pod:
          description: Name of the pod.
          type: str
          sample: digits-worker-0
        node:
          description: Node of the pod, empty before it has one.
          type: str
        state:
          description: One of pending, running, succeeded, failed, removed.
          type: str
        reason:
          description: What is wrong with it, empty when nothing is.
          type: str
        exit_code:
          description: Exit code of the container that trains, null before its end.
          type: int
        restarts:
          description: How often the container was started anew.
          type: int
        log:
          description: Its last log lines.
          type: str
          returned: when it was read
    duration_s:
      description: Seconds from the job's start to its end, or to now.
      returned: when the job has started
      type: float
    logs:
      description: The log of the pod that speaks for the job.
      returned: with O(wait=true) and O(logs=true)
      type: str
    logs_unavailable:
      description: Why the log is not the whole one.
      returned: when it is not
      type: str
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from functools import partial

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.registry import JOB_KINDS
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.module import JobModule, run
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.options import job_type
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.read import mixed_spec, read_mixed


def main() -> None:
    """Entry point."""
    types = {name: job_type(kind) for name, kind in JOB_KINDS.items()}
    run(JobModule(partial(read_mixed, types), mixed_spec(), required_one_of=[("jobs", "file")]))


if __name__ == "__main__":
    main()
