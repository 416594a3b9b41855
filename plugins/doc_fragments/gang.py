# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the option that lets a job's pods start together or not at all."""

from __future__ import annotations


class ModuleDocFragment:
    """The options of `_gangs.gang.gang_options`."""

    DOCUMENTATION = r"""
options:
  gang:
    description:
      - Start the job's pods together or not at all, so that two jobs never each hold half of what both need.
      - The module makes the PodGroup, named after the kind and the job, and marks the pods. It belongs to the job and
        goes with it. An empty mapping takes every default.
      - A gang has the priority of its pods (O(priority_class), the same for all of them). One that makes room for
        another of higher priority is evicted whole by V(native).
      - The training operator's own gang flag stays off; with it every job would get a second PodGroup.
    type: dict
    suboptions:
      backend:
        description:
          - The scheduler that keeps the gang together. The cluster must have it, or the job is refused before anything
            is written.
          - V(native) is Kubernetes' own scheduler from 1.37 on, with C(scheduling.k8s.io/v1beta1) and the feature gate
            C(GenericWorkload) switched on, as role P(trainyard.mlstack.kubernetes#role) does.
          - V(volcano) makes a PodGroup of C(scheduling.volcano.sh/v1beta1).
          - V(kube_batch) makes one of C(scheduling.incubator.k8s.io/v1alpha1), on clusters up to Kubernetes 1.24.
          - V(scheduler_plugins) makes one of C(scheduling.x-k8s.io/v1alpha1), for the coscheduling plugin. This
            collection does not install that.
        type: str
        choices: [native, volcano, kube_batch, scheduler_plugins]
        default: native
      min_available:
        description: Pods that must find room before any of them starts. All pods of the job when not given.
        type: int
      timeout:
        description: Seconds after which the gang gives up waiting. Only V(scheduler_plugins) has it.
        type: int
      queue:
        description:
          - Queue in which the job waits. V(volcano) and V(kube_batch) have queues and take their default one when not
            given; the others refuse it.
          - A live job stays in its queue.
        type: str
      scheduler:
        description:
          - Name of the scheduler, where it runs under another one than C(volcano), C(kube-batch) or
            C(scheduler-plugins-scheduler). V(native) is the default scheduler, and refuses it.
        type: str
"""
