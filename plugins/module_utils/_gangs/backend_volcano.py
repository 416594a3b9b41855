# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gangs of Volcano. Pure."""

from __future__ import annotations

from .._kube.names import GROUP_NAME
from .._kube.resource import Manifest
from .backend import Backend, Group, given, quantities


def _spec(group: Group) -> Manifest:
    return {
        "minMember": group.least,
        **given(
            queue=group.queue,
            priorityClassName=group.priority,
            # By these a queue that is full does not even try the gang.
            minResources=quantities(group.resources),
        ),
    }


VOLCANO = Backend(
    name="volcano",
    title="Volcano",
    api_version="scheduling.volcano.sh/v1beta1",
    spec=_spec,
    mark=("metadata", "annotations", GROUP_NAME),
    marked=lambda name: name,
    least=("spec", "minMember"),
    way_out="have Volcano installed: mlstack_gang_scheduler=volcano, playbook trainyard.mlstack.gang_scheduler",
    scheduler="volcano",
    extras=("queue", "scheduler", "priority_class", "min_resources"),
    fixed=("queue",),
)
