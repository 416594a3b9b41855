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

# No fragment can hold RETURN, because Ansible reads it as a literal: the full text stands in module jobs alone.
RETURN = r"""
jobs:
  description:
    - One entry for each job, in the order in which they were given. Its keys are those of
      RV(trainyard.mlstack.jobs#module:jobs).
    - Without O(jobs), the keys of the only entry stand at the top, too.
  returned: always
  type: list
  elements: dict
  sample:
    - kind: tfjob
      name: digits
      namespace: team-a
      changed: true
      state: succeeded
      reason: TFJobSucceeded
      ended_by: its worker 0 ended well; the others do not count (success_policy default)
manifest:
  description: The object that stands for the job, as it is sent.
  returned: without O(jobs), unless O(state=absent), and unless the task failed
  type: dict
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs import module as job_module


def main() -> None:
    """Entry point."""
    job_module.main(TFJOB)


if __name__ == "__main__":
    main()
