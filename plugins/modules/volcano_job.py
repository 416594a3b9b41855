#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a Volcano Job."""

from __future__ import annotations

DOCUMENTATION = r"""
module: volcano_job
short_description: Run a Volcano Job
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Makes a Job of Volcano (C(batch.volcano.sh/v1alpha1)), creates it, and follows it to its end.
  - Volcano starts its pods together or not at all, in a queue, and does what O(policies) say when something happens
    to them. It makes the job's PodGroup by itself.
  - All options are checked before the first request, and all problems are reported at once.
  - A job that exists and is equal is left alone, also when it has ended. It is not run again. What Volcano's admission
    filled in stays.
  - A live job takes other numbers of replicas, and other numbers of pods that must start. Every other change is
    refused. With O(recreate=true) the job is then made anew.
options:
  queue:
    description:
      - Queue of Volcano in which the job waits. It must be open. V(default) when not given.
      - It cannot be changed on a live job.
    type: str
  min_available:
    description:
      - Pods that start together. All pods when not given. With O(tasks[].depends_on) all pods of the tasks that wait
        for no other task.
      - A job whose pods have all ended is completed when at least so many of them ended well.
    type: int
  min_success:
    description: Pods whose good end completes the job.
    type: int
  max_retry:
    description: Times that a policy may start the job anew before it fails. V(3) when not given.
    type: int
  ttl_seconds_after_finished:
    description: Seconds after its end at which the job is removed. The next run would create it anew.
    type: int
  plugins:
    description:
      - What Volcano gives the pods. Each has a list of arguments, which may be empty.
      - Those that another one needs are added, V(svc) for frameworks, V(ssh) for V(mpi), V(svc) and V(env) for
        O(tf_config).
    type: dict
    suboptions:
      env:
        description: Tells each pod its number in its task, in C(VC_TASK_INDEX) and C(VK_TASK_INDEX).
        type: list
        elements: str
      svc:
        description:
          - Gives each pod a name in the cluster, C(<job>-<task>-<number>.<job>), and files with the names of all pods
            of each task, C(/etc/volcano/<task>.host).
          - It also keeps pods of other jobs out by a NetworkPolicy, unless it has the argument
            C(--disable-network-policy=true).
        type: list
        elements: str
      ssh:
        description: Lets the pods reach each other by ssh without a password.
        type: list
        elements: str
      pytorch:
        description:
          - Sets C(MASTER_ADDR), C(MASTER_PORT), C(WORLD_SIZE) and C(RANK). Its tasks are V(master) and V(worker), or
            those that C(--master) and C(--worker) name.
        type: list
        elements: str
      mpi:
        description:
          - Sets C(MPI_HOST) in the pod of task V(master), the hosts of task V(worker). C(--master) and C(--worker)
            name other tasks.
        type: list
        elements: str
      tensorflow:
        description:
          - Sets C(TF_CONFIG). Its tasks are V(chief), V(worker), V(ps) and V(evaluator), or those that arguments of
            these names say.
        type: list
        elements: str
  tf_config:
    description:
      - Makes C(TF_CONFIG) at the start of each pod, as guides do by hand, by a shell that reads the host files of
        plugin V(svc) and the pod's number from plugin V(env) and then becomes the program.
      - The tasks are then named V(chief), V(master), V(worker), V(ps) or V(evaluator), and each has a O(command).
    type: dict
    suboptions:
      port:
        description: Port on which the tasks hear each other.
        type: int
        default: 2222
extends_documentation_fragment:
  - trainyard.mlstack.job
  - trainyard.mlstack.pod
  - trainyard.mlstack.volcano_job_tasks
  - trainyard.mlstack.volcano_job_policies
  - trainyard.mlstack.api
notes:
  - O(restart_policy) is V(Never) or V(OnFailure). With V(Never) the policies decide what a failed pod means. Without
    any the job goes on until all its pods have ended.
  - V(suspended) of O(state) is refused. Volcano stops a job by a command of its own, C(vcctl job suspend), and then
    counts it as ended.
"""

EXAMPLES = r"""
- name: Train with a parameter server and two workers, told by TF_CONFIG
  trainyard.mlstack.volcano_job:
    name: tensorflow-dist-mnist
    namespace: team-a
    queue: default
    min_available: 3
    image: registry.example.org/dist-mnist:1
    command: [python, /var/tf_dist_mnist/dist_mnist.py]
    tf_config: {}
    policies:
      # A pod that is driven from its node takes the others with it: the job begins anew.
      - {event: PodEvicted, action: RestartJob}
      - {event: PodFailed, action: RestartJob}
    tasks:
      - name: ps
      - name: worker
        replicas: 2
        gpus: 1
        policies:
          # Parameter servers never end: with the workers' end the job is done.
          - {event: TaskCompleted, action: CompleteJob}
    wait: true

- name: Train with PyTorch in a team's queue
  trainyard.mlstack.volcano_job:
    name: bert
    namespace: team-a
    queue: team-a
    image: registry.example.org/bert:7
    command: [python3, /app/train.py]
    gpus: 8
    shm_size: 16Gi
    resources: {limits: {memory: 128Gi}}
    plugins: {pytorch: []}
    policies:
      - {event: PodFailed, action: RestartJob}
    max_retry: 5
    tasks:
      - {name: master}
      - {name: worker, replicas: 3}

- name: Run MPI, its launcher after the workers
  trainyard.mlstack.volcano_job:
    name: allreduce
    image: registry.example.org/mpi:3
    plugins: {mpi: []}
    policies:
      - {event: PodFailed, action: TerminateJob}
    tasks:
      - name: master
        command: [sh, -c, 'mpiexec --host "$MPI_HOST" -np 4 /app/allreduce']
        depends_on: {name: [worker]}
        policies: [{event: TaskCompleted, action: CompleteJob}]
      - name: worker
        replicas: 4
        command: [/usr/sbin/sshd, -D, -e]

- name: Write the manifest for git
  trainyard.mlstack.volcano_job:
    name: sweep
    state: rendered
    image: registry.example.org/sweep:2
    # Ten of twenty that ended well are enough.
    min_success: 10
    min_available: 1
    ttl_seconds_after_finished: 86400
    policies: [{event: PodFailed, action: RestartPod}]
    plugins: {env: [], svc: [--disable-network-policy=true]}
    tasks: [{name: trial, replicas: 20}]

- name: Remove the job
  trainyard.mlstack.volcano_job:
    name: bert
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
    - kind: volcano_job
      name: bert
      namespace: team-a
      changed: true
      state: succeeded
      reason: Completed
      ended_by: its task worker ended well, and its policy is CompleteJob
manifest:
  description: The object that stands for the job, as it is sent.
  returned: without O(jobs), unless O(state=absent), and unless the task failed
  type: dict
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.volcano_job import VOLCANO_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs import module as job_module


def main() -> None:
    """Entry point."""
    job_module.main(VOLCANO_JOB)


if __name__ == "__main__":
    main()
