# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the option that lets a job's pods start together or not at all."""

from __future__ import annotations


class ModuleDocFragment:
    """The options of `_gang.gang_options`."""

    DOCUMENTATION = r"""
options:
  gang:
    description:
      - Start the job's pods together or not at all, so that two jobs never each hold half of what both need.
      - The module makes the PodGroup, named after the kind and the job, and marks the pods. It belongs to the job and
        goes with it. An empty mapping takes every default.
      - A gang has the priority of its pods (O(priority_class), the same for all of them). One that makes room for
        another of higher priority is evicted whole.
    type: dict
    suboptions:
      backend:
        description:
          - The scheduler that keeps the gang together.
          - V(native) is Kubernetes' own scheduler from 1.37 on, with C(scheduling.k8s.io/v1beta1) and the feature gate
            C(GenericWorkload) switched on, as role P(trainyard.mlstack.kubernetes#role) does.
        type: str
        choices: [native]
        default: native
      min_available:
        description: Pods that must find room before any of them starts. All pods of the job when not given.
        type: int
      timeout:
        description: Seconds after which the gang gives up waiting. V(native) has none and refuses it.
        type: int
      queue:
        description: Queue in which the job waits. V(native) has none and refuses it.
        type: str
"""
