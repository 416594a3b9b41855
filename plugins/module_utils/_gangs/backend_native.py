# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gangs of Kubernetes' own scheduler, whose objects have another shape in each version so far. Pure.

The marks of pods differ too, so which shape is right is known only from the cluster: `_gangs.shape` asks it.
"""

from __future__ import annotations

from .._kube.resource import Manifest
from .backend import Backend, Group, given

# The only group of a Workload.
_ONLY = "pods"


def _spec(group: Group) -> Manifest:
    return {
        **_alpha_spec(group),
        # What makes room for a gang of higher priority goes whole: its rest would hold GPUs and not train.
        "disruptionMode": {"all": {}},
        # A group has a priority of its own: by default the lowest one, whatever its pods say.
        **given(priorityClassName=group.priority),
    }


def _alpha_spec(group: Group) -> Manifest:
    # Here a priority and a disruption mode need a feature gate of their own, and are refused without it.
    return {"schedulingPolicy": {"gang": {"minCount": group.least}}}


def _workload_spec(group: Group) -> Manifest:
    return {"podGroups": [{"name": _ONLY, "policy": {"gang": {"minCount": group.least}}}]}


NATIVE = Backend(
    name="native",
    title="Kubernetes' own scheduler",
    api_version="scheduling.k8s.io/v1beta1",
    spec=_spec,
    mark=("spec", "schedulingGroup"),
    marked=lambda name: {"podGroupName": name},
    least=("spec", "schedulingPolicy", "gang", "minCount"),
    way_out="have it switched on in the control plane: "
    "mlstack_gang_scheduler=native where role kubernetes made the cluster (Kubernetes 1.37 or newer), elsewhere "
    "feature gate GenericWorkload=true on kube-apiserver, kube-controller-manager and kube-scheduler, and "
    "--runtime-config=scheduling.k8s.io/v1beta1=true on kube-apiserver. Kubernetes 1.36 and 1.35 have it as alpha: "
    "feature gates GenericWorkload and GangScheduling, and scheduling.k8s.io/v1alpha2 or v1alpha1 instead",
    extras=("priority_class",),
)
NATIVE_1_36 = Backend(
    name="native",
    title="Kubernetes 1.36's own scheduler",
    api_version="scheduling.k8s.io/v1alpha2",
    spec=_alpha_spec,
    mark=NATIVE.mark,
    marked=NATIVE.marked,
    least=NATIVE.least,
    way_out=NATIVE.way_out,
    fixed=("schedulingPolicy",),
)
NATIVE_1_35 = Backend(
    name="native",
    title="Kubernetes 1.35's own scheduler",
    api_version="scheduling.k8s.io/v1alpha1",
    kind="Workload",
    spec=_workload_spec,
    mark=("spec", "workloadRef"),
    marked=lambda name: {"name": name, "podGroup": _ONLY},
    least=("spec", "podGroups", "0", "policy", "gang", "minCount"),
    way_out=NATIVE.way_out,
    fixed=("podGroups",),
)
# The newest first: an API server that serves several keeps what it is told in the newest one.
SHAPES = (NATIVE, NATIVE_1_36, NATIVE_1_35)
