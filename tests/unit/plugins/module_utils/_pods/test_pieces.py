# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.pieces import OWN, check_pieces
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.template import build, merged

SHARED = {"claim": "data", "mount_path": "/data"}


def lines(**options: Any) -> str:
    return "\n".join(problem.line() for problem in check_pieces(options, "replicas.Worker")[1])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"image": "Team/Image:1"}, "replicas.Worker.image = Team/Image:1: has capital letters in its path"),
        ({"gpu_resource": "gpu"}, "gpu_resource = gpu: must have a domain"),
        ({"node": "gpu 1"}, "node = gpu 1: must be lower-case letters"),
        ({"node": "gpu_1"}, "node = gpu_1: must be lower-case letters"),
        ({"node": "GPU-1"}, "node = GPU-1: must be lower-case letters"),
        ({"node_selector": {"a": "b c"}}, "node_selector = a map: the value of a"),
        ({"pod_labels": {"a b": "c"}}, "pod_labels = a map: key a b must be letters"),
        ({"pod_labels": {"training.kubeflow.org/job-name": "x"}}, "is set by who makes the pods"),
        ({"pod_annotations": {"-": 1}}, "pod_annotations = a map: key -"),
        ({"priority_class": "High"}, "priority_class = High: must be lower-case letters"),
        ({"service_account_name": "a_b"}, "service_account_name = a_b"),
        ({"image_pull_secrets": ["a", "B"]}, "image_pull_secrets[1] = B"),
        ({"shared_volumes": [SHARED, {**SHARED, "claim": "Data"}]}, "shared_volumes[1].claim = Data"),
        ({"shared_volumes": [{**SHARED, "mount_path": "data"}]}, "mount_path = data: must be an absolute path"),
        ({"shared_volumes": [{**SHARED, "sub_path": "../x"}]}, "sub_path = ../x: must be a relative path"),
        ({"env": {"A": ["x"]}}, "env.A = a list: must be text"),
        ({"env": {"A": {"secretKeyRef": {"name": "s"}}}}, "env.A.secretKeyRef.key = nothing: must be given"),
        ({"env": {"A": {"value": "x"}}}, "env.A.value = x: there is no such field"),
        ({"env": {"": "x"}}, "must be printable ASCII"),
        ({"volumes": [{"name": "a", "emptyDir": {}, "x": 1}]}, "volumes[0].x = 1: there is no such field"),
        ({"tolerations": [{"key": "a", "effect": "no"}]}, "tolerations[0].effect = no: must be one of"),
        ({"affinity": {"nodeAffinity": []}}, "affinity.nodeAffinity = a list: must be a map"),
        ({"security_context": {"privileged": True}}, "security_context.privileged = True: there is no such field"),
        (
            {"container_security_context": {"fsGroup": 1}},
            "container_security_context.fsGroup = 1: there is no such field",
        ),
        ({"env_from": [{"configMap": {"name": "a"}}]}, "Write configMapRef"),
        ({"ports": [{"port": 80}]}, "ports[0].containerPort = nothing: must be given"),
        ({"init_containers": [{"name": "i", "image": "i", "mounts": []}]}, "init_containers[0].mounts = a list"),
        ({"template": {"spec": {"containers": [{"name": "a", "imag": "i"}]}}}, "template.spec.containers[0].imag = i"),
    ],
)
def test_each_piece_by_itself(options: dict[str, Any], words: str) -> None:
    assert words in lines(**options)


def test_numbers_and_text_as_playbooks_yield_them() -> None:
    options = {
        "ports": [{"name": "a", "containerPort": "8080"}],
        "init_containers": [{"name": "i", "image": "i", "env": [{"name": "A", "value": 1}], "args": [1, True]}],
        "template": {"metadata": {"labels": {"a": 1}}, "spec": {"terminationGracePeriodSeconds": "30"}},
        "security_context": {"runAsUser": "1000", "runAsGroup": None},
        "env": {"A": {"configMapKeyRef": {"name": "c", "key": 1}}},
    }
    sound, problems = check_pieces(options, "x")
    assert problems == []
    assert sound["ports"] == [{"name": "a", "containerPort": 8080}]
    assert sound["init_containers"][0]["env"] == [{"name": "A", "value": "1"}]
    assert sound["init_containers"][0]["args"] == ["1", "true"]
    assert sound["template"]["metadata"] == {"labels": {"a": "1"}}
    assert sound["template"]["spec"] == {"terminationGracePeriodSeconds": 30}
    assert sound["security_context"] == {"runAsUser": 1000}
    assert sound["env"] == {"A": {"configMapKeyRef": {"name": "c", "key": "1"}}}


def test_a_common_option_is_named_as_such() -> None:
    common, own = {"image": "A/b", "volumes": [{"name": "a"}]}, {"node": "a b"}
    fields = [problem.field for problem in check_pieces(merged(common, own), "replicas.Worker")[1]]
    assert fields == ["image", "replicas.Worker.node", "volumes[0]"]


def test_what_is_broken_hides_nothing_else_and_makes_nothing_up() -> None:
    options = {
        "image": "i:1",
        "volumes": [{"name": "v", "hostPath": {}}],
        "volume_mounts": [{"name": "v", "mountPath": "/v"}, {"name": "none", "mountPath": "/n"}],
        "tolerations": [{"key": "a b"}],
        "resources": {"limits": {"cpu": "x"}},
    }
    fields = [problem.field for problem in build(options, "replicas.Worker", "tensorflow", {})[1]]
    assert fields == [
        "replicas.Worker.volumes[0].hostPath.path",
        "replicas.Worker.tolerations[0].key",
        "replicas.Worker: container tensorflow.resources.limits[cpu]",
        "replicas.Worker: container tensorflow.volumeMounts",
    ]
    broken = {**options, "template": {"spec": {"x": 1, "restartPolicy": "Never"}}}
    fields = [problem.field for problem in build(broken, "replicas.Worker", "tensorflow", {})[1]]
    assert fields == [
        "replicas.Worker.volumes[0].hostPath.path",
        "replicas.Worker.tolerations[0].key",
        "replicas.Worker.template.spec.x",
        "replicas.Worker.template.spec.restartPolicy",
        "replicas.Worker: container tensorflow.resources.limits[cpu]",
    ]


def test_what_only_shows_together() -> None:
    constraint = {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway"}
    options = {"image": "i:1", "spread": True, "template": {"spec": {"topologySpreadConstraints": [constraint]}}}
    (problem,) = build(options, "replicas.Worker", "tensorflow", {"job": "j"})[1]
    assert problem.field == "replicas.Worker: pod.spec.topologySpreadConstraints[1]"
    secrets = {"image_pull_secrets": ["a", "a", "b"], "template": {"spec": {"imagePullSecrets": [{"name": "b"}]}}}
    template, problems = build({"image": "i:1", **secrets}, "replicas.Worker", "tensorflow", {})
    assert problems == []
    assert template["spec"]["imagePullSecrets"] == [{"name": "b"}, {"name": "a"}]


def test_merged_says_what_is_its_own() -> None:
    assert merged({"image": "a"}, {"image": None, "node": "b", "env": {}})[OWN] == ["env", "node"]
