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
    - kind: pytorchjob
      name: mnist
      namespace: team-a
      changed: true
      state: succeeded
      reason: PyTorchJobSucceeded
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

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs import module as job_module


def main() -> None:
    """Entry point."""
    job_module.main(PYTORCHJOB)


if __name__ == "__main__":
    main()
