# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every refusal of a cluster, with its way out, and the table of what is done."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.checks import (
    checks,
    gang_of,
    minor,
    rows,
    warnings_of,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.plan import Plan, Right
from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.read import Cluster, Live, live_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Ref

OPTIONS = {"oldest": "1.27", "newest": "1.37.2", "gang_scheduler": "none", "gang_chosen": True}
DEPLOYMENT = Ref("apps/v1", "Deployment", "training-operator", "kubeflow")
OURS = Live(DEPLOYMENT, ("kube-controller-manager", "trainyard.mlstack"))
THEIRS = Live(DEPLOYMENT, ("helm",), ("example.org/operator:v1",))
SHARED = Live(Ref("v1", "Namespace", "kubeflow"), ("kubectl",))


def told(cluster: Cluster, *plans: Plan, **options: Any) -> list[str]:
    return [problem.line() for problem in checks(cluster, plans, {**OPTIONS, **options})]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("v1.37.2", (1, 37)), ("1.27", (1, 27)), ("v1.31.4-eks-1a2b3c", (1, 31)), ("v1.9", (1, 9)), ("main", (0, 0))],
)
def test_minor(text: str, expected: tuple[int, int]) -> None:
    assert minor(text) == expected


def test_a_cluster_as_it_should_be() -> None:
    cluster = Cluster("v1.37.0", live={"training_operator": [OURS, SHARED]}, groups=("scheduling.k8s.io/v1beta1",))
    assert told(cluster, gang_scheduler="native") == []


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("v1.26.9", ["needs Kubernetes 1.27 or newer", "older mlstack_release"]),
        ("v1.38.0-rc.1", ["tested with Kubernetes 1.37.2 at most", 'cluster_checks_newest_kubernetes="1.38"']),
    ],
)
def test_versions_that_are_refused(version: str, words: list[str]) -> None:
    (line,) = told(Cluster(version))
    assert all(word in line for word in words), line


def test_no_native_gangs() -> None:
    (line,) = told(Cluster("v1.37.2"), gang_scheduler="native")
    for word in ("mlstack_gang_scheduler=none", "GenericWorkload=true", "kubeadm", "kubespray", "EKS"):
        assert word in line


def test_a_cluster_that_nobody_chose_a_gang_scheduler_for_is_told_what_is_recommended() -> None:
    options = {**OPTIONS, "gang_scheduler": "native", "gang_chosen": False}
    old = Cluster("v1.30.1")
    assert (checks(old, [], options), gang_of(old, options)) == ([], "none")
    (row,) = (row for row in rows(old, [], options) if row[0] == "gang scheduler")
    assert "mlstack_gang_scheduler=volcano" in row[2]
    # From 1.37 on it is there to be switched on, so that it is missed.
    assert len(checks(Cluster("v1.37.2"), [], options)) == 1


def test_a_version_that_volcano_does_not_name_is_a_warning() -> None:
    options = {**OPTIONS, "gang_scheduler": "volcano"}
    assert checks(Cluster("v1.37.2"), [], options) == []
    (line,) = warnings_of(Cluster("v1.37.2"), options)
    assert "1.23 to 1.35" in line


def test_a_kind_that_is_not_served_is_told_once() -> None:
    refs = [Ref("kubeflow.org/v1", "TFJob", name, "jobs") for name in ("a", "b")]
    (line,) = told(Cluster("v1.37.2", unknown={"samples": refs}))
    assert "API = TFJob in kubeflow.org/v1" in line


def test_rights_that_are_missing_are_told_once_with_how_to_ask_again() -> None:
    denied = [Right(verb, "apps", "deployments", "kubeflow") for verb in ("create", "patch")]
    cluster = Cluster("v1.37.2", user="jane", denied={"training_operator": denied, "samples": denied[:1]})
    (line,) = told(cluster)
    assert "right = create, patch deployments.apps in namespace kubeflow" in line
    assert "training operator needs it, jane does not have it" in line
    assert "kubectl auth can-i create deployments.apps -n kubeflow" in line
    assert "docs/rbac/mlstack-installer.yaml" in line


def test_an_operator_of_others_is_refused_and_taken_over_by_name() -> None:
    cluster = Cluster("v1.37.2", live={"training_operator": [THEIRS, SHARED]})
    (line,) = told(cluster)
    for word in ("Deployment kubeflow/training-operator", "helm", "example.org/operator:v1", "training_operator_adopt"):
        assert word in line
    assert told(cluster, Plan("training_operator", adopt=True)) == []


def test_other_objects_of_others_cannot_be_taken_over() -> None:
    claim = Live(Ref("v1", "PersistentVolumeClaim", "mlstack-shared", "jobs"), ("kubectl",))
    (line,) = told(Cluster("v1.37.2", live={"shared_volume": [claim]}))
    assert "adopt" not in line
    assert "give ours another name" in line


def test_the_table_names_what_is_made_used_taken_and_left() -> None:
    cluster = Cluster("v1.37.2", live={"training_operator": [THEIRS, SHARED], "shared_volume": [OURS]})
    five = [{"kind": "ConfigMap"}] * 5
    plans = [Plan("training_operator", five), Plan("shared_volume", five[:1], notes=["make the folder"])]
    table = rows(cluster, plans, OPTIONS)
    assert table[0] == ("part", "objects", "what is done")
    assert ("training operator", "3", "installed") in table
    assert ("training operator", "1", "used, it is there: Namespace kubeflow") in table
    assert ("training operator", "1", "refused, not ours: Deployment kubeflow/training-operator") in table
    assert ("shared volume", "1", "ours, brought up to date") in table
    assert ("shared volume", "-", "left to you: make the folder") in table
    assert "left alone" in table[-1][2]
    assert "made by trainyard.mlstack: no" in table[-1][2]
    taken = rows(cluster, [Plan("training_operator", five, adopt=True)], OPTIONS)
    assert ("training operator", "1", "taken over: Deployment kubeflow/training-operator") in taken


def claim(**spec: Any) -> Plan:
    metadata = {"name": "mlstack-shared", "namespace": "jobs"}
    return Plan("shared_volume", [{"kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}])


def storage_class(name: str, provisioner: str, default: str = "false") -> dict[str, Any]:
    annotations = {"storageclass.kubernetes.io/is-default-class": default}
    return {"metadata": {"name": name, "annotations": annotations}, "provisioner": provisioner}


EFS, EBS = storage_class("shared", "efs.csi.aws.com"), storage_class("gp3", "ebs.csi.aws.com", "true")


@pytest.mark.parametrize(
    ("classes", "spec", "words"),
    [
        ([EFS, EBS], {"storageClassName": "shared"}, []),
        ([EFS, EBS], {"storageClassName": "", "volumeName": "ours"}, []),
        (None, {"storageClassName": "shared"}, []),
        ([EFS, EBS], {"storageClassName": "fast"}, ["mlstack_storage_class = fast", "no such", "gp3, shared"]),
        ([EFS, EBS], {}, ["mlstack_storage_class = gp3", "ebs.csi.aws.com", "one node only"]),
        ([EFS], {}, ["mlstack_storage_class = none", "no default StorageClass", "there are: shared"]),
        ([], {}, ["there are: none"]),
    ],
)
def test_storage_that_all_nodes_can_use(classes: Any, spec: dict[str, Any], words: list[str]) -> None:
    lines = told(Cluster("v1.37.2", classes=classes), claim(**spec))
    assert len(lines) == (1 if words else 0)
    assert [word for word in words if word not in lines[0]] == []


def node(name: str, cpu: str, memory: str, **spec: Any) -> dict[str, Any]:
    status = {
        "conditions": [{"type": "Ready", "status": "True"}],
        "allocatable": {"cpu": cpu, "memory": memory},
    }
    return {"kind": "Node", "metadata": {"name": name}, "spec": spec, "status": status}


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([node("a", "4", "8Gi")], []),
        ([node("small", "100m", "8Gi"), node("a", "4", "8Gi")], []),
        (None, []),
        ([node("a", "4", "1Gi"), node("b", "1", "8Gi")], ["no node is large enough", "a, b take pods"]),
        ([node("a", "4", "8Gi", unschedulable=True)], ["needs a node that takes pods"]),
        ([], ["needs a node that takes pods"]),
    ],
)
def test_room_for_the_largest_pod(nodes: Any, words: list[str]) -> None:
    plan = Plan("samples", requests={"cpu": "2", "memory": "4Gi"})
    lines = told(Cluster("v1.37.2", nodes=nodes), plan)
    assert len(lines) == (1 if words else 0)
    assert [word for word in words if word not in lines[0]] == []


@pytest.mark.parametrize("amount", ["4 GB", "2gb", "", "much", True, None, ["1"], {"a": 1}])
def test_an_amount_that_is_none_is_told_whatever_the_nodes_are(amount: Any) -> None:
    plan = Plan("samples", requests={"cpu": "2", "memory": amount})
    for nodes in (None, [], [node("a", "1", "8Gi")], [node("a", "4", "8Gi")]):
        (line,) = told(Cluster("v1.37.2", nodes=nodes), plan)
        assert line.startswith(f"samples_resources = memory {amount}: ")
        assert "512Mi" in line


def test_secrets_that_are_missing() -> None:
    program = {"kind": "ConfigMap", "metadata": {"name": "c", "namespace": "jobs"}}
    plan = Plan("samples", [program], pull_secrets=["site"])
    (line,) = told(Cluster("v1.37.2"), plan)
    assert "mlstack_image_pull_secrets = site: there is no such Secret in namespace jobs" in line
    assert "kubectl -n jobs create secret docker-registry site" in line
    assert told(Cluster("v1.37.2", secrets=[("jobs", "site")]), plan) == []


def test_a_secret_that_may_not_be_looked_at_is_left_to_the_user() -> None:
    program = {"kind": "ConfigMap", "metadata": {"name": "c", "namespace": "jobs"}}
    plan, cluster = Plan("samples", [program], pull_secrets=["site"]), Cluster("v1.37.2", unread=[("jobs", "site")])
    assert told(cluster, plan) == []
    assert [row[2] for row in rows(cluster, [plan], OPTIONS) if "Secret" in row[2]] == [
        "left to you: Secret site must be in namespace jobs, the user of the kubeconfig may not look"
    ]


def test_objects_of_ones_own_field_manager_are_ones_own() -> None:
    mine = Live(DEPLOYMENT, ("site-tools",))
    for own, expected in ((("trainyard.mlstack",), 1), (("trainyard.mlstack", "site-tools"), 0)):
        cluster = Cluster("v1.37.2", live={"training_operator": [mine, OURS]}, own=own)
        assert len(told(cluster)) == expected
        table = rows(cluster, [Plan("training_operator", [{"kind": "Deployment"}] * 2)], OPTIONS)
        assert ("training operator", str(2 - expected), "ours, brought up to date") in table


def test_who_wrote_an_object_last_comes_first() -> None:
    fields = [{"manager": "old", "time": "2026-01-01T00:00:00Z"}, {"manager": "new", "time": "2026-02-01T00:00:00Z"}]
    spec = {"template": {"spec": {"containers": [{"image": "i:1"}]}}}
    live = live_of(DEPLOYMENT, {"metadata": {"managedFields": fields}, "spec": spec})
    assert (live.managers, live.images) == (("new", "old"), ("i:1",))
