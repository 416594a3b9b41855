# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gangs of the coscheduling plugin of Kubernetes' scheduler-plugins, which this collection does not install. Pure."""

from __future__ import annotations

from .._kube.resource import Manifest
from .backend import Backend, Group, given, quantities


def _spec(group: Group) -> Manifest:
    # Its PodGroup has no priority: the scheduler takes that of the pods.
    resources = quantities(group.resources)
    return {"minMember": group.least, **given(scheduleTimeoutSeconds=group.timeout, minResources=resources)}


SCHEDULER_PLUGINS = Backend(
    name="scheduler_plugins",
    title="the coscheduling plugin",
    api_version="scheduling.x-k8s.io/v1alpha1",
    spec=_spec,
    mark=("metadata", "labels", "scheduling.x-k8s.io/pod-group"),
    marked=lambda name: name,
    least=("spec", "minMember"),
    way_out="have sigs.k8s.io/scheduler-plugins with its PodGroup CRD and plugin Coscheduling installed by its "
    "Helm chart, and name its scheduler in gang.scheduler",
    # The name that its Helm chart gives.
    scheduler="scheduler-plugins-scheduler",
    extras=("timeout", "scheduler", "min_resources"),
    # A label's value.
    longest=63,
)
