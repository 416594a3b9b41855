# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the version and the control plane of a cluster can have the gang scheduler that it is to have. Pure."""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence, Tuple

from .._common.problem import Problem, Rule
from .._gangs.backend import Backend
from .._gangs.backend_native import NATIVE, NATIVE_1_35, NATIVE_1_36
from .._gangs.gang import BACKENDS

GANG_SCHEDULERS = ("native", "volcano", "kube_batch", "none")
Version = Tuple[int, int]

# Minor version -> what gangs of Kubernetes' own are made of there; newer ones are as the last one here.
NATIVE_SHAPES: Mapping[Version, Backend] = {(1, 35): NATIVE_1_35, (1, 36): NATIVE_1_36, (1, 37): NATIVE}
# From here on it is what a job gets that nobody chose a scheduler for.
NATIVE_FROM: Version = (1, 37)
VOLCANO_VERSIONS: Tuple[Version, Version] = ((1, 23), (1, 35))
KUBE_BATCH_LAST: Version = (1, 24)
# Where kube-batch stops reading priority classes: it asks for scheduling.k8s.io/v1beta1.
KUBE_BATCH_PRIORITIES_UNTIL: Version = (1, 21)

NATIVE_TOO_OLD = Rule(
    "mlstack_gang_scheduler",
    "Kubernetes {version} has no gangs of its own, which came with 1.35",
    "Have Volcano installed (-e mlstack_gang_scheduler=volcano), go without (none), or upgrade the cluster",
)
NATIVE_OFF = Rule(
    "mlstack_gang_scheduler",
    "the API server does not serve {group}, whose {kind}s native gangs are made of",
    "Go without: -e mlstack_gang_scheduler=none; or let who runs the control plane switch it on: --feature-gates="
    "{gates} on kube-apiserver, kube-controller-manager and kube-scheduler, and "
    "--runtime-config={group}=true on kube-apiserver. kubeadm: extraArgs in ConfigMap kube-system/kubeadm-config, "
    "then kubeadm upgrade; kubespray: kube_feature_gates and kube_api_runtime_config; EKS and other managed control "
    "planes: not offered, have Volcano installed there (volcano)",
)
VOLCANO_TOO_OLD = Rule(
    "mlstack_gang_scheduler",
    "Volcano 1.15 runs on Kubernetes {oldest} and newer, this is {version}",
    "Use kube_batch, which is made for clusters up to 1.24, or upgrade the cluster",
)
KUBE_BATCH_TOO_NEW = Rule(
    "mlstack_gang_scheduler",
    "kube-batch 0.5 watches PodDisruptionBudgets in policy/v1beta1, which Kubernetes 1.25 has dropped; without them "
    "it never begins, and this is {version}",
    "Use volcano, its successor, which takes the same queues and groups; or native from Kubernetes 1.37 on",
)
PRIORITIES_TOO_NEW = Rule(
    "gang_scheduler_priority_classes",
    "kube-batch 0.5 reads priority classes in scheduling.k8s.io/v1beta1, which Kubernetes 1.22 has dropped; it would "
    "never begin, and this is {version}",
    "Leave it out",
)
UNTESTED = (
    "Volcano 1.15 was released for Kubernetes {oldest} to {newest}, and this is {version}: it runs, without what is "
    "newer than that"
)
RECOMMENDED = (
    "none: two jobs that each hold half of the GPUs may wait for each other for ever. Recommended: "
    "mlstack_gang_scheduler=volcano{native}"
)

BESIDES = (
    "{scheduler} is there too, for jobs that name it. To take it away: playbook trainyard.mlstack.gang_scheduler with "
    "mlstack_gang_scheduler={scheduler} and gang_scheduler_state=absent"
)


def effective(scheduler: str, chosen: bool, version: Version) -> str:
    """Return the scheduler that a cluster gets: a default that its version does not have is none."""
    return "none" if scheduler == "native" and not chosen and version < NATIVE_FROM else scheduler


def gang_problems(scheduler: str, version: Version, groups: Sequence[str], options: Mapping[str, Any]) -> List[Problem]:
    """Return what keeps a cluster from a gang scheduler.

    scheduler: the effective one. groups: group versions that are served. options: `priority_classes` of kube_batch.
    """
    shown = dotted(version)
    if scheduler == "native":
        if version < min(NATIVE_SHAPES):
            return [NATIVE_TOO_OLD.broken("native", version=shown)]
        shape = NATIVE_SHAPES.get(version, NATIVE)
        if shape.api_version in groups:
            return []
        gates = "GenericWorkload=true" + ("" if shape is NATIVE else ",GangScheduling=true")
        return [NATIVE_OFF.broken("native", group=shape.api_version, kind=shape.kind, gates=gates)]
    if scheduler == "volcano" and version < VOLCANO_VERSIONS[0]:
        return [VOLCANO_TOO_OLD.broken("volcano", oldest=dotted(VOLCANO_VERSIONS[0]), version=shown)]
    if scheduler == "kube_batch":
        problems = [KUBE_BATCH_TOO_NEW.broken("kube_batch", version=shown)] if version > KUBE_BATCH_LAST else []
        if options.get("priority_classes") and version > KUBE_BATCH_PRIORITIES_UNTIL:
            problems.append(PRIORITIES_TOO_NEW.broken("true", version=shown))
        return problems
    return []


def gang_warnings(scheduler: str, version: Version) -> List[str]:
    """Return what a user should know and what keeps nobody from anything."""
    oldest, newest = VOLCANO_VERSIONS
    if scheduler == "volcano" and version > newest:
        return [UNTESTED.format(oldest=dotted(oldest), newest=dotted(newest), version=dotted(version))]
    return []


def recommendation(scheduler: str, chosen: bool, version: Version) -> str:
    """Return what is recommended to a cluster that goes without because nobody chose; else nothing."""
    if chosen or effective(scheduler, chosen, version) != "none":
        return ""
    native = "; or Kubernetes 1.37, which has gangs of its own" if version < NATIVE_FROM else ", or native"
    return RECOMMENDED.format(native=native)


def installed_besides(scheduler: str, groups: Sequence[str]) -> List[str]:
    """Return what is said of schedulers that are there and not chosen: pods of theirs are waited for by nobody else."""
    return [
        BESIDES.format(scheduler=name)
        for name in ("volcano", "kube_batch")
        if name != scheduler and BACKENDS[name].api_version in groups
    ]


def dotted(version: Version) -> str:
    """Return (1, 37) as text."""
    return ".".join(map(str, version))
