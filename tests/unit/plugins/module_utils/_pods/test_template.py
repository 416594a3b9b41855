# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.template import (
    build,
    command_given,
    main_container,
    merged,
)

SHM = {"name": "shared-memory", "mountPath": "/dev/shm"}


def template(**options: Any) -> dict[str, Any]:
    found, problems = build({"image": "i:1", **options}, "replicas.Worker", "tensorflow", {"job": "j"})
    assert problems == []
    return found


def spec(**options: Any) -> dict[str, Any]:
    return template(**options)["spec"]


def lines(**options: Any) -> str:
    return "\n".join(
        p.line() for p in build({"image": "i:1", **options}, "replicas.Worker", "tensorflow", {"job": "j"})[1]
    )


def test_the_least() -> None:
    assert template() == {
        "metadata": {"annotations": {"sidecar.istio.io/inject": "false"}},
        "spec": {"containers": [{"name": "tensorflow", "image": "i:1"}]},
    }


def test_sidecar_injection_only_when_asked_for() -> None:
    inject = {"sidecar.istio.io/inject": True}
    for options in ({"pod_annotations": inject}, {"template": {"metadata": {"annotations": inject}}}):
        assert template(**options)["metadata"]["annotations"] == {"sidecar.istio.io/inject": "true"}


def test_the_main_container_wherever_it_stands() -> None:
    containers = [{"name": "log-shipper", "image": "l:1"}, {"name": "tensorflow", "env": [{"name": "A", "value": "0"}]}]
    found = spec(template={"spec": {"containers": containers}}, env={"A": 1, "B": True}, args=["x"], gpus=2)[
        "containers"
    ]
    assert found == [
        {"name": "log-shipper", "image": "l:1"},
        {
            "name": "tensorflow",
            "image": "i:1",
            "args": ["x"],
            "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "true"}],
            "resources": {"limits": {"nvidia.com/gpu": "2"}},
        },
    ]
    assert containers[1] == {"name": "tensorflow", "env": [{"name": "A", "value": "0"}]}


def test_environment_from_elsewhere_and_none() -> None:
    source = {"secretKeyRef": {"name": "s", "key": "k", "optional": None}}
    assert spec(env={"A": source, "B": None})["containers"][0]["env"] == [
        {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
    ]


def test_shared_memory() -> None:
    found = spec(shm_size="8Gi", resources={"limits": {"memory": "16Gi"}})
    assert found["volumes"] == [{"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}]
    assert found["containers"][0]["volumeMounts"] == [SHM]
    assert "above the memory limit 4Gi" in lines(shm_size="8Gi", resources={"limits": {"memory": "4Gi"}})
    assert "must be a quantity" in lines(shm_size="8 GB")
    own = {"volumes": [{"name": "own", "emptyDir": {}}], "volume_mounts": [{"name": "own", "mountPath": "/dev/shm"}]}
    assert "mounted at /dev/shm already" in lines(shm_size="8Gi", **own)
    assert spec(**own)["volumes"] == own["volumes"]


def test_shared_volumes_by_the_names_of_their_claims() -> None:
    shared = [
        {"claim": "mlstack-shared", "mount_path": "/data", "sub_path": "mnist", "read_only": True},
        {"claim": "mlstack-shared", "mount_path": "/train", "sub_path": None, "read_only": False},
        {"claim": "old.claim", "mount_path": "/old"},
    ]
    found = spec(shared_volumes=shared, volumes=[{"name": "own", "emptyDir": {}}])
    other = found["volumes"][2]["name"]
    assert found["volumes"] == [
        {"name": "own", "emptyDir": {}},
        {"name": "claim-mlstack-shared", "persistentVolumeClaim": {"claimName": "mlstack-shared"}},
        {"name": other, "persistentVolumeClaim": {"claimName": "old.claim"}},
    ]
    assert found["containers"][0]["volumeMounts"] == [
        {"name": "claim-mlstack-shared", "mountPath": "/data", "subPath": "mnist", "readOnly": True},
        {"name": "claim-mlstack-shared", "mountPath": "/train"},
        {"name": other, "mountPath": "/old"},
    ]
    assert "two volumes are mounted here" in lines(
        shared_volumes=[{"claim": "a", "mount_path": "/d"}, {"claim": "b", "mount_path": "/d"}]
    )


def test_one_node_by_its_label() -> None:
    label = {"kubernetes.io/hostname": "gpu-1"}
    assert spec(node="gpu-1")["nodeSelector"] == label
    assert spec(node="gpu-1", node_selector={"a": 1, **label})["nodeSelector"] == {"a": "1", **label}
    found = lines(node="gpu-2", node_selector=label)
    assert "replicas.Worker.node = gpu-2: node_selector wants gpu-1" in found


def test_options_for_what_had_none() -> None:
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{}]}}}
    found = spec(
        affinity=affinity,
        priority_class="high",
        security_context={"runAsUser": 1000, "runAsGroup": None},
        container_security_context={"capabilities": {"drop": ["ALL"]}},
        env_from=[{"configMapRef": {"name": "c", "optional": None}}],
        ports=[{"name": "metrics", "containerPort": 9090}],
        template={"spec": {"containers": [{"name": "tensorflow", "envFrom": [{"secretRef": {"name": "s"}}]}]}},
    )
    assert found == {
        "affinity": affinity,
        "priorityClassName": "high",
        "securityContext": {"runAsUser": 1000},
        "containers": [
            {
                "name": "tensorflow",
                "image": "i:1",
                "securityContext": {"capabilities": {"drop": ["ALL"]}},
                "envFrom": [{"secretRef": {"name": "s"}}, {"configMapRef": {"name": "c"}}],
                "ports": [{"name": "metrics", "containerPort": 9090}],
            }
        ],
    }


def test_gpus() -> None:
    assert "resources" not in spec(gpus=0)["containers"][0]
    mig = spec(gpus=1, gpu_resource="nvidia.com/mig-1g.10gb")["containers"][0]["resources"]
    assert mig == {"limits": {"nvidia.com/mig-1g.10gb": "1"}}
    assert "Give the GPUs in one of the two" in lines(gpus=1, resources={"limits": {"nvidia.com/gpu": 1}})
    assert "must not be below 0" in lines(gpus=-1)


def test_the_rest_of_the_spec() -> None:
    found = spec(
        spread=True,
        node_selector={"gpu": True, "zone": 1},
        image_pull_secrets=["a"],
        init_containers=[{"name": "copy", "image": "c:1", "volumeMounts": [{"name": "d", "mountPath": "/d"}]}],
        volumes=[{"name": "d", "emptyDir": {}}],
        template={
            "spec": {
                "topologySpreadConstraints": [
                    {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
                ],
                "priorityClassName": "high",
            }
        },
    )
    assert found["nodeSelector"] == {"gpu": "true", "zone": "1"}
    assert found["imagePullSecrets"] == [{"name": "a"}]
    assert [item["maxSkew"] for item in found["topologySpreadConstraints"]] == [2, 1]
    assert found["topologySpreadConstraints"][1]["labelSelector"] == {"matchLabels": {"job": "j"}}
    assert found["priorityClassName"] == "high"


ON_HOST = {"spec": {"hostNetwork": True, "hostIPC": True}}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"image": None}, "image = : must be given"),
        ({"template": {"spec": {"containers": [{"name": "main", "image": "m"}]}}}, "one must be named tensorflow"),
        ({"template": {"spec": {"restartPolicy": "ExitCode"}}}, "restart policy of the replica type"),
        ({"template": {"containers": []}}, "replicas.Worker.template.containers = a list: there is no such field"),
        ({"template": {"spec": []}}, "replicas.Worker.template.spec = a list: must be a map"),
        ({"template": {"spec": {"containers": "x"}}}, "replicas.Worker.template.spec.containers = x: must be a list"),
        ({"template": {"spec": {"priority": 3}}}, "template.spec.priority = 3: is computed from the class"),
        ({"volumes": [{"name": "a"}]}, "replicas.Worker.volumes[0] = name: must have exactly one source"),
        ({"volumes": [{"name": "a", "emptyDir": {}, "image": {"reference": "i:1"}}]}, "must have exactly one source"),
        ({"volumes": [{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}]}, "two volumes have this name"),
        ({"volume_mounts": [{"name": "a", "mountPath": "/a"}]}, "no volume has this name"),
        ({"volume_mounts": [{"name": "a"}]}, "volume_mounts[0].mountPath = nothing: must be given"),
        ({"init_containers": [{"name": "i"}]}, "container i.image = : must be given"),
        ({"init_containers": [{"name": "tensorflow", "image": "x"}]}, "two containers have this name"),
        ({"init_containers": [{"name": "Copy_It", "image": "x"}]}, "lower-case letters"),
        ({"env": {"A=B": 1}}, "printable ASCII characters without ="),
        ({"resources": {"limits": {"nvidia.com/gpu": "half"}}}, "must be a quantity"),
        ({"resources": {"limits": -1}, "shm_size": "1Gi", "gpus": 1}, "must map requests and limits to quantities"),
        (
            {"security_context": {"sysctls": [{"name": "net/core/somaxconn", "value": "9"}]}, "template": ON_HOST},
            "with hostNetwork the pod has no net/core/somaxconn of its own",
        ),
        (
            {"security_context": {"sysctls": [{"name": "kernel.shmmax", "value": "9"}]}, "template": ON_HOST},
            "with hostIPC the pod has no kernel.shmmax of its own",
        ),
    ],
)
def test_refused(options: dict[str, Any], words: str) -> None:
    assert words in lines(**options)


def test_two_mounts_in_one_place() -> None:
    volumes = [{"name": name, "emptyDir": {}} for name in "ab"]
    mounts = [{"name": name, "mountPath": "/data"} for name in "ab"]
    assert "two volumes are mounted here" in lines(volumes=volumes, volume_mounts=mounts)


def test_merged() -> None:
    common = {"image": "i:1", "env": {"A": 1, "B": 1}, "args": ["a"], "spread": True, "gpus": 1}
    own = {"image": None, "env": {"B": 2}, "args": [], "spread": False, "gpus": 0}
    found = merged(common, own)
    assert (found["image"], found["env"], found["args"]) == ("i:1", {"A": 1, "B": 2}, [])
    assert (found["spread"], found["gpus"]) == (False, 0)


@pytest.mark.parametrize("wrong", [-1, 0, "a", {"name": "main"}, [-1, None, "main"], None])
def test_the_container_of_a_template_of_any_form(wrong: Any) -> None:
    for template in (None, {}, {"spec": wrong}, {"spec": {"containers": wrong}}):
        assert main_container({"template": template}, "main") == {}
        assert command_given({"template": template, "command": ["train"]}, "main") == (["train"], [])


@pytest.mark.parametrize(
    ("wrong", "words"), [(-1, []), ("a b", []), ({"a": 1}, []), (None, []), (["a", 1], ["a", "1"])]
)
def test_a_command_of_any_form(wrong: Any, words: list[str]) -> None:
    main = {"name": "main", "command": wrong, "args": wrong}
    assert command_given({"template": {"spec": {"containers": [main]}}}, "main") == (words, words)
