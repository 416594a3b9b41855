#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a parameter-server job without any operator."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ps_job
short_description: Run a parameter-server job without any operator
version_added: 0.1.0
author:
  - The trainyard founders (@trainyard)
description:
  - Makes parameter servers and workers of nothing but ConfigMap, Services and batch Jobs, creates them, and follows
    them to their end.
    For clusters in which no operator may be installed.
  - A ConfigMap with the name of the job stands for it and holds the lists of its tasks, C(ps_hosts) and
    C(worker_hosts). It owns all else.
    Each task has a Service and a Job of the name C(<role>-<index>-<job>).
  - The job has ended when its workers have, see O(end). The module then removes what still runs. Where it does not
    wait, the next run does so.
  - A worker or parameter server that fails for good ends the job, with its reason.
  - All options are checked before the first request, and all problems are reported at once.
  - A job that exists and is equal is left alone, also when it has ended. It is not run again.
options:
  contract:
    description:
      - How the program is told of its cluster, in one way or in several.
      - V(flags) adds the arguments C(--job_name), C(--task_index), C(--ps_hosts) and C(--worker_hosts) behind those
        of O(args).
      - V(tf_config) sets C(TF_CONFIG), as TensorFlow reads it.
      - V(environment) sets C(POD_NAME) to C(<role>-<index>-<job>) and C(CLUSTER_CONFIG) to a dictionary of lists,
        which C(ast.literal_eval) and JSON read.
    type: list
    elements: str
    choices: [flags, tf_config, environment]
    default: [flags]
  port:
    description: Port of each task, on its Service and in its pod.
    type: int
    default: 2222
  end:
    description:
      - V(all_workers) ends the job when all workers have ended well, V(worker_0) when the first one has. Other
        workers that still run are then removed.
    type: str
    choices: [all_workers, worker_0]
    default: all_workers
  nodes:
    description:
      - Names of nodes (label C(kubernetes.io/hostname)) to which the tasks are pinned, in turn, parameter servers
        first. One name pins all to it.
      - O(replicas.PS.nodes) or O(replicas.PS.node) place that type by itself.
    type: list
    elements: str
extends_documentation_fragment:
  - trainyard.mlstack.job
  - trainyard.mlstack.pod
  - trainyard.mlstack.ps_job_folders
  - trainyard.mlstack.ps_job_replicas
  - trainyard.mlstack.run_policy
  - trainyard.mlstack.gang
  - trainyard.mlstack.api
notes:
  - O(restart_policy) is V(Never) or V(OnFailure). O(backoff_limit) counts for each task by itself, 0 with V(Never)
    and 6 with V(OnFailure) when it is not given.
  - O(clean_pod_policy) is V(Running) only, and O(ttl_seconds_after_finished) is refused. Who would carry them out
    is the operator that is not there.
"""

EXAMPLES = r"""
- name: Train with one parameter server and two workers on one node, and wait for the end
  trainyard.mlstack.ps_job:
    name: mnist
    namespace: team-a
    image: tensorflow/tensorflow:2.21.0
    command: [python3, /code/train.py]
    replicas:
      PS: {replicas: 1}
      Worker: {replicas: 2, gpus: 1}
    nodes: [gpu-1]
    code: {host_path: /srv/code}
    data: {host_path: /srv/data}
    train: {host_path: /srv/train, output: true}
    wait: true

- name: Train with eight parameter servers and sixteen workers, told by TF_CONFIG, together or not at all
  trainyard.mlstack.ps_job:
    name: ranking
    namespace: team-a
    image: registry.example.org/ranking:7
    command: [python3, /app/train.py]
    contract: [tf_config]
    replicas:
      PS: {replicas: 8, resources: {requests: {cpu: 4, memory: 16Gi}}}
      Worker: {replicas: 16, gpus: 1}
    data: {claim: clicks}
    train: {claim: models, clean: true}
    gang: {}

- name: Tell the program by POD_NAME and CLUSTER_CONFIG, and end with worker 0
  trainyard.mlstack.ps_job:
    name: words
    namespace: team-a
    image: registry.example.org/words:1
    contract: [environment]
    end: worker_0
    replicas: {PS: {}, Worker: {replicas: 3}}

- name: Write the manifests for git
  trainyard.mlstack.ps_job:
    name: mnist
    state: rendered
    image: tensorflow/tensorflow:2.21.0
    command: [python3, /app/train.py]
    replicas: {PS: {}, Worker: {replicas: 2}}

- name: Remove the job
  trainyard.mlstack.ps_job:
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
      sample: ps_job
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
      sample: all 2 workers ended well
    reason:
      description: The job's own word for its state.
      returned: when the cluster was asked
      type: str
      sample: Completed
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
          sample: worker-0-digits-x2k4p
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

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import job_options, render
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs import module as job_module


def main() -> None:
    """Entry point."""
    job_module.main(PS_JOB, render, job_options())


if __name__ == "__main__":
    main()
