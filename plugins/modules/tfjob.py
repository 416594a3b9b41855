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
attributes:
  check_mode:
    description:
      - Predicts by server-side dry run. Without the CRD, the namespace or the cluster, the job is predicted as created.
      - Does not wait for the job.
    support: full
  diff_mode:
    description: Shows the whole job before and after.
    support: full
  idempotent:
    description: A second run writes nothing.
    support: full
  action_group:
    description: Member of the action group C(trainyard.mlstack.api).
    support: full
    membership:
      - trainyard.mlstack.api
options:
  name:
    description: Name of the job. With the longest replica name behind it, it must fit into 63 characters.
    type: str
    required: true
  namespace:
    description: Namespace of the job. It must exist.
    type: str
    default: default
  state:
    description:
      - V(present) creates the job, or changes what can be changed on a live one.
      - V(absent) deletes it and returns when it and its pods are gone.
      - V(rendered) makes no request and returns the manifest.
    type: str
    choices: [present, absent, rendered]
    default: present
  labels:
    description: Labels of the job itself.
    type: dict
  annotations:
    description: Annotations of the job itself.
    type: dict
  success_policy:
    description: V(AllWorkers) waits for every worker instead of the first one. It has no effect beside a Chief.
    type: str
    choices: [default, AllWorkers]
    default: default
  recreate:
    description: Delete and create anew a live job whose replicas differ from the wanted ones, or that failed.
    type: bool
    default: false
  wait:
    description: Follow the job to its end.
    type: bool
    default: false
  timeout:
    description: Seconds to wait for the job's end.
    type: int
    default: 3600
  logs:
    description: Return the log of the Chief (without one, of the first worker) after the wait.
    type: bool
    default: false
  log_lines:
    description: Last log lines of each replica that are shown when the job did not succeed.
    type: int
    default: 20
extends_documentation_fragment:
  - trainyard.mlstack.pod
  - trainyard.mlstack.tfjob_replicas
  - trainyard.mlstack.run_policy
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

- name: See the manifest without any cluster
  trainyard.mlstack.tfjob:
    name: digits
    state: rendered
    image: tensorflow/tensorflow:2.21.0
    replicas: {Worker: {replicas: 2}}

- name: Remove the job
  trainyard.mlstack.tfjob:
    name: digits
    namespace: team-a
    state: absent
"""

RETURN = r"""
manifest:
  description: The job as it is sent.
  returned: unless O(state=absent)
  type: dict
state:
  description:
    - One of absent, created, queued, running, restarting, suspended, succeeded, failed, vanished.
  returned: when the cluster was asked
  type: str
  sample: succeeded
end:
  description: How the wait ended, as one of succeeded, failed, vanished, timed_out, suspended.
  returned: with O(wait=true)
  type: str
  sample: succeeded
reason:
  description: The job's own word for its state.
  returned: when the cluster was asked
  type: str
  sample: TFJobSucceeded
message:
  description: The job's own sentence, or why pods do not run.
  returned: when the cluster was asked
  type: str
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
  description: The log of the Chief, or of the first worker.
  returned: with O(wait=true) and O(logs=true)
  type: str
logs_unavailable:
  description: Why RV(logs) is not the whole log.
  returned: when it is not
  type: str
note:
  description: Said in check mode when there is no cluster yet.
  returned: when the kubeconfig file does not exist yet
  type: str
"""

from typing import Any, Dict

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._api_error import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._api_module import (
    api_spec,
    no_cluster_yet,
    open_store,
    progress,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kind import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_report import details, headline, replica_results
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_run import Ending, JobRefused, JobRunner
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_state import JobState
from ansible_collections.trainyard.mlstack.plugins.module_utils._outcome import ObjectsFailed, Outcome, diffs
from ansible_collections.trainyard.mlstack.plugins.module_utils._pod_template import pod_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import report
from ansible_collections.trainyard.mlstack.plugins.module_utils._replicas import replica_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest
from ansible_collections.trainyard.mlstack.plugins.module_utils._run_policy import run_policy_options
from ansible_collections.trainyard.mlstack.plugins.module_utils._tfjob import render


def argument_spec() -> Dict[str, Any]:
    """Return the module's options."""
    return {
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "default": "default"},
        "state": {"type": "str", "choices": ["present", "absent", "rendered"], "default": "present"},
        "labels": {"type": "dict"},
        "annotations": {"type": "dict"},
        "replicas": replica_options(TFJOB),
        "success_policy": {"type": "str", "choices": ["default", "AllWorkers"], "default": "default"},
        "recreate": {"type": "bool", "default": False},
        "wait": {"type": "bool", "default": False},
        "timeout": {"type": "int", "default": 3600},
        "logs": {"type": "bool", "default": False},
        "log_lines": {"type": "int", "default": 20},
        **pod_options(),
        **run_policy_options(),
        **api_spec(),
    }


def state_result(state: JobState, logs: Dict[str, str]) -> Dict[str, Any]:
    """Return a state as the module returns it."""
    result: Dict[str, Any] = {
        "state": state.state,
        "reason": state.reason,
        "message": state.message,
        "replicas": replica_results(state.replicas, logs),
    }
    if state.duration_s is not None:
        result["duration_s"] = state.duration_s
    return result


def ending_result(ending: Ending, with_logs: bool) -> Dict[str, Any]:
    """Return the end of the wait as the module returns it."""
    result = {"end": ending.end, **state_result(ending.state, ending.tails)}
    if with_logs:
        result["logs"] = ending.log
        if ending.no_log:
            result["logs_unavailable"] = ending.no_log
    return result


def follow(module: Any, runner: JobRunner, result: Dict[str, Any]) -> None:
    """Wait for the job's end and end the module with it."""
    params, ref = module.params, TFJOB.ref(module.params["name"], module.params["namespace"])
    ending = runner.wait(Deadline(params["timeout"]), params["log_lines"], params["logs"], params["suspend"])
    result = {**result, **ending_result(ending, params["logs"])}
    if ending.end in ("succeeded", "suspended"):
        module.exit_json(**result)
    lines = [headline(ref, ending.end, ending.state, ending.spent), *details(ending.state.replicas, ending.tails)]
    module.fail_json(msg="\n".join(lines), **result)


def run(module: Any, manifest: Manifest) -> None:
    """Bring the job to its state and end the module."""
    params, check_mode = module.params, module.check_mode
    ref = TFJOB.ref(params["name"], params["namespace"])
    result: Dict[str, Any] = {"manifest": manifest} if manifest else {}
    note = no_cluster_yet(module)
    if note:
        outcome = Outcome(ref, "created" if manifest else "absent", None, manifest)
        module.exit_json(changed=outcome.changed, note=note, diff=diffs([outcome]) if module._diff else [], **result)
    runner = JobRunner(open_store(module), TFJOB, ref, progress(module))
    if params["state"] == "absent":
        outcome = runner.absent(check_mode)
    else:
        outcome = runner.present(manifest, params["recreate"], check_mode)
    result["changed"] = outcome.changed
    if module._diff:
        result["diff"] = diffs([outcome])
    if params["wait"] and params["state"] == "present" and not check_mode:
        follow(module, runner, result)
    module.exit_json(**result, **state_result(runner.reader.look(), {}))


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=argument_spec(), supports_check_mode=True)
    manifest: Manifest = {}
    if module.params["state"] != "absent":
        job, problems = render(module.params)
        if job is None:
            module.fail_json(msg=report(problems))
            return
        manifest = job.root
    if module.params["state"] == "rendered":
        module.exit_json(changed=False, manifest=manifest)
    try:
        run(module, manifest)
    except JobRefused as error:
        module.fail_json(msg=report(error.problems))
    except ObjectsFailed as error:
        module.fail_json(msg=str(error))
    except ApiError as error:
        module.fail_json(msg=error.message)


if __name__ == "__main__":
    main()
