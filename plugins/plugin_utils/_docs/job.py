# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of what all modules for training jobs share: what names a job, what is to be done with it."""

from __future__ import annotations

ATTRIBUTES = r"""
attributes:
  check_mode:
    description:
      - Predicts by server-side dry run. Without the CRD, the namespace or the cluster, a job is predicted as created.
      - Does not wait for the job.
    support: full
  diff_mode:
    description: Shows the whole job before and after.
    support: full
  idempotent:
    description: A second run writes nothing. A job that has ended and is equal is not run again.
    support: full
"""

# The options of `_jobs.options.identity_options`, and the list of jobs.
IDENTITY = r"""
  name:
    description:
      - Name of the job. With the longest replica name behind it, it must fit into 63 characters.
      - Required without O(jobs).
    type: str
  namespace:
    description: Namespace of the job. It must exist.
    type: str
    default: default
  labels:
    description: Labels of the job itself.
    type: dict
  annotations:
    description: Annotations of the job itself.
    type: dict
  jobs:
    description:
      - Several jobs at once, in one process. Each has the options of a job, and O(name) at least.
      - What stands beside the list is the default for each of them. The maps C(labels), C(annotations), C(env),
        C(node_selector), C(pod_labels) and C(pod_annotations) of a job add to those beside the list.
      - All jobs are checked before the first one is written.
    type: list
    elements: dict
"""

# The options of `_jobs.read.run_options`, but for those of fragment `api`.
RUN = r"""
  state:
    description:
      - V(present) creates a job, or changes what can be changed on a live one. A job that was suspended goes on.
      - V(suspended) does the same, but the job does not start; one that runs loses its pods until it goes on.
      - V(absent) deletes a job with all its objects and returns when they and its pods are gone.
      - V(rendered) makes no request and returns the manifests.
    type: str
    choices: [present, suspended, absent, rendered]
    default: present
  recreate:
    description: Delete and create anew a live job that cannot be changed into the wanted one, or that failed.
    type: bool
    default: false
  quota_check:
    description:
      - Whether a job that is to start is held against the ResourceQuotas and LimitRanges of its namespace. The server
        takes a job whatever they say, and refuses its pods one by one.
      - V(warn) says which jobs find no room now or ever, and submits them. V(refuse) submits none then. Jobs of one
        list are counted together; a gang needs room for its minimum, any other job for all its pods.
      - In both a job fails early whose pods no amount of room would help, such as containers without a limit that a
        quota counts. V(ignore) does not look.
    type: str
    choices: [warn, refuse, ignore]
    default: warn
  wait:
    description: Follow the jobs until all have ended, whatever the end. With O(state=suspended), until they are.
    type: bool
    default: false
  timeout:
    description: Seconds to wait for the end of all jobs.
    type: int
    default: 3600
  logs:
    description: Return the log of the pod that speaks for a job after the wait.
    type: bool
    default: false
  log_lines:
    description: Last log lines of each replica that are shown when a job did not succeed.
    type: int
    default: 20
  manifest_dir:
    description:
      - Folder, on the host that runs the task, into which O(state=rendered) writes each job as a file, for example
        for a repository. A file is named C(<namespace>-<kind>-<name>.yml). The folder is made when it is not there.
    type: path
"""
