# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options that say what ends a job and what becomes of it."""

from __future__ import annotations


class ModuleDocFragment:
    """The options of `_job_model.run_policy.run_policy_options`."""

    DOCUMENTATION = r"""
options:
  clean_pod_policy:
    description:
      - Which pods are removed at the job's end. V(Running) when not given.
      - V(Running) removes those that still run, such as parameter servers, and keeps the finished ones with their logs.
        An evaluator that still runs is removed, too.
      - V(None) keeps all of them, and parameter servers with their GPUs until the job is deleted. V(All) keeps none.
    type: str
    choices: [None, Running, All]
  ttl_seconds_after_finished:
    description: Seconds after its end at which the job is removed. The next run would create it anew.
    type: int
  backoff_limit:
    description: Restarts after which the job fails.
    type: int
  active_deadline_seconds:
    description:
      - Seconds after its start at which a job that still runs fails.
      - The operator (v1.9) looks at the clock only when something happens to one of the pods, so it may be later.
    type: int
  suspend:
    description: Create the job without starting it, or stop it and remove its pods. V(false) starts it.
    type: bool
    default: false
"""
