# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gangs of Kubernetes' own scheduler. Pure."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_backend import Backend, Group, given
from ansible_collections.trainyard.mlstack.plugins.module_utils._resource import Manifest


def _spec(group: Group) -> Manifest:
    return {
        "schedulingPolicy": {"gang": {"minCount": group.least}},
        # What makes room for a gang of higher priority goes whole: its rest would hold GPUs and not train.
        "disruptionMode": {"all": {}},
        # A group has a priority of its own: by default the lowest one, whatever its pods say.
        **given(priorityClassName=group.priority),
    }


NATIVE = Backend(
    title="Kubernetes' own scheduler",
    api_version="scheduling.k8s.io/v1beta1",
    spec=_spec,
    mark=("spec", "schedulingGroup"),
    marked=lambda name: {"podGroupName": name},
    least=("spec", "schedulingPolicy", "gang", "minCount"),
    way_out="have it switched on in the control plane (Kubernetes 1.37 or newer): "
    "mlstack_gang_scheduler=native where role kubernetes made the cluster, elsewhere feature gate "
    "GenericWorkload=true on kube-apiserver, kube-controller-manager and kube-scheduler, and "
    "--runtime-config=scheduling.k8s.io/v1beta1=true on kube-apiserver",
)
