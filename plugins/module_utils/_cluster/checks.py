# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a cluster before a run changes it: what is missing there, and what is somebody else's. Pure."""

from __future__ import annotations

import re
from typing import Any, List, Mapping, Sequence, Tuple

from .._common.problem import Problem
from .._kube.quantity import is_quantity, parse
from .gang_checks import effective, gang_problems, gang_warnings, installed_besides, recommendation
from .plan import Plan, Right, merged
from .probe import usable_nodes
from .read import Cluster, Live

RBAC_EXAMPLE = "docs/rbac/mlstack-installer.yaml"
# Provisioners of disks that one node at a time can hold.
SINGLE_NODE = (
    "ebs.csi.aws.com",
    "kubernetes.io/aws-ebs",
    "pd.csi.storage.gke.io",
    "kubernetes.io/gce-pd",
    "disk.csi.azure.com",
    "kubernetes.io/azure-disk",
    "cinder.csi.openstack.org",
    "kubernetes.io/no-provisioner",
    "rancher.io/local-path",
    "rbd.csi.ceph.com",
)
_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_ADOPT = {"training_operator": "training_operator_adopt", "gang_scheduler": "gang_scheduler_adopt"}


def checks(cluster: Cluster, plans: Sequence[Plan], options: Mapping[str, Any]) -> List[Problem]:
    """Return everything that stands between the plans and the cluster.

    options: `oldest`, `newest` ("1.27": minor versions of Kubernetes), `gang_scheduler`, `gang_chosen` (whether a user
        named it) and `priority_classes` (whether kube_batch is to read them).
    """
    problems = plan_problems(plans) + _version(cluster, options) + _gang(cluster, options)
    for check in (_kinds, _rights, _foreign, _secrets, _storage, _room):
        problems += check(cluster, plans)
    return problems


def plan_problems(plans: Sequence[Plan]) -> List[Problem]:
    """Return what is wrong with the plans themselves, whatever the cluster is like: amounts that are none."""
    return [
        Problem(
            f"{plan.part}_resources",
            f"{name} {amount}",
            "what a pod requests must be a quantity of Kubernetes",
            'Write 500m or 2 for cpu, 512Mi or 2Gi for memory, in quotes: "512Mi"',
        )
        for plan in plans
        for name, amount in plan.requests.items()
        if not is_quantity(amount)
    ]


def minor(version: str) -> Tuple[int, int]:
    """Return (1, 37) of "v1.37.2", "1.37" or "v1.31.4-eks-1a2b3c"; (0, 0) of anything else."""
    found = re.match(r"v?(\d+)\.(\d+)", version)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


def _version(cluster: Cluster, options: Mapping[str, Any]) -> List[Problem]:
    found = minor(cluster.version)
    if found < minor(options["oldest"]):
        rule = f"this release needs Kubernetes {options['oldest']} or newer"
        way_out = "Upgrade the cluster, or use an older mlstack_release that names its version"
    elif found > minor(options["newest"]):
        rule = f"this release was tested with Kubernetes {options['newest']} at most"
        way_out = (
            "Use a newer mlstack_release, or accept it by name: "
            f'-e cluster_checks_newest_kubernetes="{found[0]}.{found[1]}"'
        )
    else:
        return []
    return [Problem("Kubernetes version", cluster.version, rule, way_out)]


def gang_of(cluster: Cluster, options: Mapping[str, Any]) -> str:
    """Return the gang scheduler that the cluster gets. options: as `checks` takes them."""
    return effective(options["gang_scheduler"], options["gang_chosen"], minor(cluster.version))


def warnings_of(cluster: Cluster, options: Mapping[str, Any]) -> List[str]:
    """Return what a user should know all the same. options: as `checks` takes them."""
    return gang_warnings(gang_of(cluster, options), minor(cluster.version))


def _gang(cluster: Cluster, options: Mapping[str, Any]) -> List[Problem]:
    return gang_problems(gang_of(cluster, options), minor(cluster.version), cluster.groups, options)


def _kinds(cluster: Cluster, _plans: Sequence[Plan]) -> List[Problem]:
    problems = []
    for part, refs in cluster.unknown.items():
        for version, kind in dict.fromkeys((ref.api_version, ref.kind) for ref in refs):
            rule = f"the API server does not serve {version}, which {title(part)} needs"
            way_out = "Install what defines it; for kinds of Kubernetes itself, upgrade the cluster"
            problems.append(Problem("API", f"{kind} in {version}", rule, way_out))
    return problems


def _rights(cluster: Cluster, _plans: Sequence[Plan]) -> List[Problem]:
    problems: List[Problem] = []
    told: set[Right] = set()
    for part, denied in cluster.denied.items():
        for verbs, right in merged(right for right in denied if right not in told):
            who = cluster.user or "the user of the kubeconfig"
            example = f"kubectl auth can-i {verbs[0]} {right.resource.partition('/')[0]}"
            example += f".{right.group}" if right.group else ""
            example += f" -n {right.namespace}" if right.namespace else ""
            problems.append(
                Problem(
                    "right",
                    f"{', '.join(verbs)} {right.where()}",
                    f"{title(part)} needs it, {who} does not have it",
                    f"Let an administrator grant it, {RBAC_EXAMPLE} is an example; ask again: {example}",
                )
            )
        told |= set(denied)
    return problems


def _foreign(cluster: Cluster, plans: Sequence[Plan]) -> List[Problem]:
    problems = []
    adopted = {plan.part for plan in plans if plan.adopt}
    for part, lives in cluster.live.items():
        foreign = [live for live in lives if _is_foreign(live, cluster)]
        if not foreign or part in adopted:
            continue
        first, others = foreign[0], len(foreign) - 1
        more = f" and {others} more" if others else ""
        writer = first.managers[0] if first.managers else "somebody"
        image = f", image {first.images[0]}" if first.images else ""
        adopt = f"take it over by name: -e {_ADOPT[part]}=true; or " if part in _ADOPT else ""
        problems.append(
            Problem(
                title(part),
                f"{first.ref}{more}",
                f"it is there already and not ours (written by {writer}{image})",
                f"Look: kubectl get {first.ref.kind.lower()} {first.ref.name} -o yaml --show-managed-fields; "
                f"then {adopt}remove it, or give ours another name",
            )
        )
    return problems


def _secrets(cluster: Cluster, plans: Sequence[Plan]) -> List[Problem]:
    known = [*cluster.secrets, *cluster.unread]
    missing = dict.fromkeys(one for plan in plans for one in plan.secrets() if one not in known)
    return [
        Problem(
            "mlstack_image_pull_secrets",
            name,
            f"there is no such Secret in namespace {space}, in which images are pulled with it",
            f"Make it: kubectl create namespace {space}; kubectl -n {space} create secret docker-registry {name} "
            "--docker-server=<registry> --docker-username=<user> --docker-password=<password>",
        )
        for space, name in missing
    ]


def _storage(cluster: Cluster, plans: Sequence[Plan]) -> List[Problem]:
    """Judge the classes of claims that no volume is named for."""
    if cluster.classes is None:
        return []
    provisioners = {str(one["metadata"]["name"]): str(one.get("provisioner")) for one in cluster.classes}
    default = [
        str(one["metadata"]["name"])
        for one in cluster.classes
        if (one["metadata"].get("annotations") or {}).get(_DEFAULT_CLASS) == "true"
    ]
    known = ", ".join(sorted(provisioners)) or "none"
    for claim in (one for plan in plans for one in plan.objects if one["kind"] == "PersistentVolumeClaim"):
        spec = claim.get("spec") or {}
        if spec.get("volumeName") or spec.get("storageClassName") == "":
            continue
        wanted = spec.get("storageClassName") or (default[0] if default else "")
        if wanted not in provisioners:
            rule = "there is no such StorageClass" if wanted else "the cluster has no default StorageClass"
            way_out = f"Name one that makes ReadWriteMany volumes, there are: {known}"
        elif provisioners[wanted] in SINGLE_NODE:
            rule = f"its provisioner {provisioners[wanted]} makes volumes for one node only, not ReadWriteMany"
            way_out = (
                f"Name another one, there are: {known}; or use a folder that all nodes share: "
                "mlstack_shared_volume_backend=hostpath"
            )
        else:
            continue
        return [Problem("mlstack_storage_class", wanted or "none", rule, way_out)]
    return []


def _room(cluster: Cluster, plans: Sequence[Plan]) -> List[Problem]:
    """Find a node for the largest pod of each part."""
    problems = []
    for plan in plans:
        if cluster.nodes is None or not plan.requests or plan_problems([plan]):
            continue
        names = usable_nodes(cluster.nodes, plan.tolerations)
        usable = [node for node in cluster.nodes if node["metadata"]["name"] in names]
        if any(_fits(node, plan.requests) for node in usable):
            continue
        wants = ", ".join(f"{name} {amount}" for name, amount in plan.requests.items())
        if usable:
            rule = f"no node is large enough for a pod of {title(plan.part)} ({', '.join(names[:5])} take pods)"
            way_out = f"Ask for less ({plan.part}_resources), or add a larger node"
        else:
            rule = f"{title(plan.part)} needs a node that takes pods: Ready, not cordoned, without a taint in the way"
            way_out = "Look: kubectl get nodes -o wide; uncordon or add one, or tolerate its taint"
        problems.append(Problem("nodes", wants, rule, way_out))
    return problems


def _fits(node: Mapping[str, Any], requests: Mapping[str, Any]) -> bool:
    allocatable = (node.get("status") or {}).get("allocatable") or {}
    return all(parse(allocatable.get(name, "0")) >= parse(amount) for name, amount in requests.items())


def _is_ours(live: Live, cluster: Cluster) -> bool:
    return any(manager in cluster.own for manager in live.managers)


def _is_foreign(live: Live, cluster: Cluster) -> bool:
    """Tell whether an object was made by somebody else. A namespace is there for all who use it."""
    return live.ref.kind != "Namespace" and not _is_ours(live, cluster)


def title(part: str) -> str:
    """Return a part's name for people."""
    return part.replace("_", " ")


def rows(cluster: Cluster, plans: Sequence[Plan], options: Mapping[str, Any]) -> List[Tuple[str, str, str]]:
    """Return the table of what becomes of the cluster: part, objects, what is done. options: as `checks` takes them."""
    table: List[Tuple[str, str, str]] = [("part", "objects", "what is done")]
    for plan in plans:
        lives = cluster.live.get(plan.part, [])
        foreign = [live for live in lives if _is_foreign(live, cluster)]
        shared = [live for live in lives if live.ref.kind == "Namespace" and not _is_ours(live, cluster)]
        ours = len(lives) - len(foreign) - len(shared)
        groups = (
            (len(plan.objects) - len(lives), "installed"),
            (ours, "ours, brought up to date"),
            (len(shared), "used, it is there: " + ", ".join(str(live.ref) for live in shared)),
            (len(foreign), ("taken over: " if plan.adopt else "refused, not ours: ") + _few(foreign)),
        )
        table += [(title(plan.part), str(count), text) for count, text in groups if count]
        table += [(title(plan.part), "-", f"left to you: {note}") for note in [*plan.notes, *_unread(cluster, plan)]]
    advice = recommendation(options["gang_scheduler"], options["gang_chosen"], minor(cluster.version))
    besides = installed_besides(gang_of(cluster, options), cluster.groups)
    table += [("gang scheduler", "-", text) for text in [advice, *besides] if text]
    made = "no" if cluster.mark is None else "yes"
    left = "nodes, kubeadm's configuration, feature gates, runtime, pod network and everything not named here"
    table.append(("all others", "-", f"left alone: {left} (cluster made by trainyard.mlstack: {made})"))
    return table


def _unread(cluster: Cluster, plan: Plan) -> List[str]:
    """Return what could not be looked at for want of a right that the work itself does not take."""
    return [
        f"Secret {name} must be in namespace {space}, {cluster.user or 'the user of the kubeconfig'} may not look"
        for space, name in plan.secrets()
        if (space, name) in cluster.unread
    ]


def _few(lives: Sequence[Live]) -> str:
    names = [str(live.ref) for live in lives[:2]]
    return ", ".join(names) + (f" and {len(lives) - 2} more" if len(lives) > 2 else "")
