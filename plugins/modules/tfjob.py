#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a distributed TensorFlow job of the training operator."""

from __future__ import annotations

DOCUMENTATION = r"""
module: tfjob
short_description: Run a distributed TensorFlow job of the training operator
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Renders a C(kubeflow.org/v1) TFJob from options, creates it, and follows it to its end.
  - All options are checked before the first request, and all problems are reported at once.
  - The wait ends at any end. A job that failed or vanished, and one that did not end in time, fail the task,
    each with what became of every replica and its last log lines.
  - A job that exists and is equal is left alone, also when it has finished. It is not run again.
options:
  success_policy:
    description: V(AllWorkers) waits for every worker instead of the first one. It has no effect beside a Chief.
    type: str
    choices: [default, AllWorkers]
    default: default
extends_documentation_fragment:
  - trainyard.mlstack.job
  - trainyard.mlstack.pod
  - trainyard.mlstack.tfjob_replicas
  - trainyard.mlstack.run_policy
  - trainyard.mlstack.gang
  - trainyard.mlstack.api
"""

EXAMPLES = r"""
- name: Train on four GPUs and wait for the end
  trainyard.mlstack.tfjob:
    name: digits
    namespace: team-a
    image: tensorflow/tensorflow:2.21.0
    command: [python, /program/train.py]
    volumes:
      - {name: program, configMap: {name: digits-program}}
      - {name: data, persistentVolumeClaim: {claimName: data}}
    volume_mounts:
      - {name: program, mountPath: /program}
      - {name: data, mountPath: /data}
    replicas:
      Chief: {}
      PS: {replicas: 1}
      Worker: {replicas: 4, gpus: 1}
    wait: true
    logs: true
  register: digits

- name: Start all pods together or none, and submit nothing that the namespace's quota has no room for
  trainyard.mlstack.tfjob:
    name: bert
    namespace: team-a
    image: registry.example.org/bert:5
    command: [python, /train.py]
    replicas:
      Chief: {gpus: 1}
      Worker: {replicas: 7, gpus: 1}
    resources: {limits: {cpu: 4, memory: 16Gi}}
    gang: {}
    quota_check: refuse

- name: See the manifest without any cluster
  trainyard.mlstack.tfjob:
    name: digits
    state: rendered
    image: tensorflow/tensorflow:2.21.0
    replicas: {Worker: {replicas: 2}}

- name: Try three learning rates at once, wait for all of them
  trainyard.mlstack.tfjob:
    namespace: team-a
    image: registry.example.org/train:2
    command: [python, /train.py]
    replicas:
      Worker: {replicas: 2, gpus: 1}
    jobs:
      - {name: rate-1, args: [--rate=0.1]}
      - {name: rate-2, args: [--rate=0.01]}
      - {name: rate-3, args: [--rate=0.001], replicas: {Worker: {replicas: 4, gpus: 1}}}
    wait: true
    timeout: 86400

- name: Remove the job
  trainyard.mlstack.tfjob:
    name: digits
    namespace: team-a
    state: absent
"""

# Ansible reads this as a literal: no fragment can hold what all modules for jobs return. A contract test
# (test_modules_for_jobs_return_the_same) keeps their texts the same.
RETURN = r"""
jobs:
  description:
    - One entry for each job, in the order in which they were given.
    - Without O(jobs), the keys of the only entry stand at the top, too.
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
manifest:
  description: The object that stands for the job, as it is sent.
  returned: without O(jobs), unless O(state=absent), and unless the task failed
  type: dict
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import job_options, render
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs import module as job_module


def main() -> None:
    """Entry point."""
    job_module.main(TFJOB, render, job_options())


if __name__ == "__main__":
    main()
