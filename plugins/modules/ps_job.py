#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a parameter-server job without any operator."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ps_job
short_description: Run a parameter-server job without an operator
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
    - kind: ps_job
      name: digits
      namespace: team-a
      changed: true
      state: succeeded
      reason: Completed
      ended_by: all 2 workers ended well
manifest:
  description: The object that stands for the job, as it is sent.
  returned: without O(jobs), unless O(state=absent), and unless the task failed
  type: dict
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs import module as job_module


def main() -> None:
    """Entry point."""
    job_module.main(PS_JOB)


if __name__ == "__main__":
    main()
