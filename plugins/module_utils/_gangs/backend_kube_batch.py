# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gangs of kube-batch, which schedules on clusters up to Kubernetes 1.24. Pure."""

from __future__ import annotations

from .._kube.names import GROUP_NAME
from .._kube.resource import Manifest
from .backend import Backend, Group, given


def _spec(group: Group) -> Manifest:
    return {"minMember": group.least, **given(queue=group.queue, priorityClassName=group.priority)}


KUBE_BATCH = Backend(
    name="kube_batch",
    title="kube-batch",
    api_version="scheduling.incubator.k8s.io/v1alpha1",
    spec=_spec,
    mark=("metadata", "annotations", GROUP_NAME),
    marked=lambda name: name,
    least=("spec", "minMember"),
    way_out="on Kubernetes up to 1.24 have kube-batch installed: mlstack_gang_scheduler=kube_batch, "
    "playbook trainyard.mlstack.gang_scheduler",
    scheduler="kube-batch",
    extras=("queue", "scheduler", "priority_class"),
    fixed=("queue",),
)
