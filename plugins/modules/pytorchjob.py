#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a distributed PyTorch job of the training operator."""

from __future__ import annotations

DOCUMENTATION = r"""
module: pytorchjob
short_description: Run a distributed PyTorch job of the training operator
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Renders a C(kubeflow.org/v1) PyTorchJob from options, creates it, and follows it to its end.
  - All options are checked before the first request, and all problems are reported at once.
  - The wait ends at any end. A job that failed or vanished, and one that did not end in time, fail the task,
    each with what became of every replica and its last log lines.
  - A job that exists and is equal is left alone, also when it has finished. It is not run again.
  - With a Master the operator gives every replica C(RANK), C(WORLD_SIZE), C(MASTER_ADDR) and C(MASTER_PORT).
    C(torchrun) learns the number of nodes and processes from C(PET_NNODES), C(PET_NODE_RANK) and
    C(PET_NPROC_PER_NODE), which the operator gives, too.
options:
  nproc_per_node:
    description:
      - Processes that C(torchrun) starts in each pod, V(auto), V(cpu), V(gpu) or a number. The operator takes V(auto)
        when it is not given.
      - A number is a factor of C(WORLD_SIZE), too.
    type: str
  elastic:
    description:
      - Let the number of workers change while the job runs. C(torchrun) then gathers those that are there.
      - The job begins with the numbers of O(replicas). A later run may change the number of workers, and
        O(elastic.metrics); all else is fixed once the job exists.
    type: dict
    suboptions:
      min_replicas:
        description: Workers without which the job does not go on. The number of workers in O(replicas) when not given.
        type: int
      max_replicas:
        description: Workers at most. The number of workers in O(replicas) when not given.
        type: int
      rdzv_backend:
        description:
          - What keeps the list of those that are there. The operator takes V(c10d), the workers themselves, when it is
            not given.
        type: str
        choices: [c10d, etcd, etcd-v2]
      rdzv_host:
        description: Host of that list, needed for etcd. The first worker when not given.
        type: str
      rdzv_port:
        description: Its port. The first worker's port C(pytorchjob-port) when not given.
        type: int
      rdzv_id:
        description: Name of the list.
        type: str
      rdzv_conf:
        description: Settings of the backend, by name.
        type: dict
      max_restarts:
        description: How often the processes are started anew, by C(torchrun), before the pod fails.
        type: int
      nproc_per_node:
        description: The old place of O(nproc_per_node), for which it is taken. Not both can be given.
        type: int
      metrics:
        description:
          - By which the operator's autoscaler changes the number of workers, in the form of C(autoscaling/v2). The
            cluster needs a metrics server for it.
          - Once the job exists its number of workers is the autoscaler's. A later run leaves it alone.
        type: list
        elements: dict
extends_documentation_fragment:
  - trainyard.mlstack.job
  - trainyard.mlstack.pod
  - trainyard.mlstack.pytorchjob_replicas
  - trainyard.mlstack.run_policy
  - trainyard.mlstack.gang
  - trainyard.mlstack.api
"""

EXAMPLES = r"""
- name: Train with a master and three workers, as the guides of the old operator do, and wait for the end
  trainyard.mlstack.pytorchjob:
    name: mnist
    namespace: team-a
    image: registry.example.org/mnist:2
    args: [--backend, nccl]
    gpus: 1
    replicas:
      Master: {replicas: 1}
      Worker: {replicas: 3}
    wait: true
    logs: true

- name: Start eight processes by torchrun on each of four nodes, together or not at all
  trainyard.mlstack.pytorchjob:
    name: bert
    namespace: team-a
    image: registry.example.org/bert:5
    command: [torchrun, /train.py]
    nproc_per_node: 8
    gpus: 8
    shm_size: 16Gi
    resources: {limits: {memory: 200Gi}}
    replicas:
      Master: {}
      Worker: {replicas: 3}
    gang: {}

- name: Let the number of workers follow their load
  trainyard.mlstack.pytorchjob:
    name: imagenet
    namespace: team-a
    image: registry.example.org/imagenet:1
    command: [torchrun, /train.py]
    restart_policy: OnFailure
    replicas:
      Worker: {replicas: 2, resources: {requests: {cpu: 4, memory: 8Gi}}}
    elastic:
      min_replicas: 1
      max_replicas: 4
      max_restarts: 100
      metrics:
        - type: Resource
          resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}

- name: Stop the job for now; its pods go, their checkpoints on the volume stay
  trainyard.mlstack.pytorchjob:
    name: mnist
    namespace: team-a
    state: suspended
    image: registry.example.org/mnist:2
    args: [--backend, nccl]
    gpus: 1
    replicas: {Master: {}, Worker: {replicas: 3}}

- name: See the manifest without any cluster
  trainyard.mlstack.pytorchjob:
    name: mnist
    state: rendered
    image: registry.example.org/mnist:2
    replicas: {Master: {}, Worker: {replicas: 3}}

- name: Remove the job
  trainyard.mlstack.pytorchjob:
    name: mnist
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
      sample: pytorchjob
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
      sample: PyTorchJobSucceeded
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

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import job_options, render
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs import module as job_module


def main() -> None:
    """Entry point."""
    job_module.main(PYTORCHJOB, render, job_options())


if __name__ == "__main__":
    main()
