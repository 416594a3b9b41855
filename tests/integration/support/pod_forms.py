# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Native pieces of pods, made from the form of pods that the collection knows: any field, many of them nearly right."""

from __future__ import annotations

import copy
import random
from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.schema import _types

_TYPES = _types()
_TEXTS = [
    "a",
    "data",
    "b-1",
    "v1",
    "A",
    "",
    "..",
    "a.b",
    "a/b",
    "x.y/z",
    "/data",
    "metadata.name",
    "10.0.0.1",
    "fd00::1",
]
_TEXTS += ["http", "1", "-1", "../x", "CAP_SYS_ADMIN", "net.ipv4.ip_forward", "a b", "x" * 64, "i:1", "8080"]
_NUMBERS = [0, 1, 2, 3, 5, 30, 80, 101, 256, 420, 511, 512, 600, 1000, 8080, 65535, 65536, -1, 2**31 - 1]
_QUANTITIES = ["1", "500m", "1Gi", "2Mi", "0", 1, "-1", "1m", "1e3", "100"]
# What most fields of these names take.
_USUAL: dict[str, list[Any]] = {
    "accessModes": [["ReadWriteOnce"]],
    "apiVersion": ["v1"],
    "claimName": ["a"],
    "containerName": ["tensorflow"],
    "containerPort": [80, 81, 2222, 8080],
    "defaultMode": [0o644],
    "diskURI": ["https://a", "/subscriptions/a"],
    "divisor": ["1", "1Mi", "1m"],
    "driver": ["a.b"],
    "expirationSeconds": [600],
    "fieldPath": ["metadata.name", "metadata.labels['a']", "spec.nodeName"],
    "hostPort": [0, 80, 90],
    "iqn": ["iqn.2001-04.com.example:a"],
    "key": ["a", "x.y/z"],
    "localhostProfile": ["a/b"],
    "lun": [0, 1],
    "maxSkew": [1, 2],
    "mode": [0o644, 0],
    "mountPath": ["/data", "/etc/x"],
    "name": ["a", "v", "b-1", "data"],
    "path": ["/data", "a/b", "a"],
    "port": [80, "http"],
    "reference": ["i:1"],
    "resource": ["limits.cpu", "requests.memory", "limits.hugepages-2Mi"],
    "secretName": ["a"],
    "server": ["10.0.0.1"],
    "sizeLimit": ["1Gi", "0"],
    "subPath": ["a/b", ".."],
    "topologyKey": ["zone", "kubernetes.io/hostname"],
    "values": [["1"], ["a"], ["a", "b"], []],
    "volumeName": ["data"],
    "weight": [1, 50],
}
# Judged by what a cluster has, and whole templates by more than their form.
_SPARED = ("containers", "initContainers", "restartPolicy", "priority", "priorityClassName", "runtimeClassName")


class Forms:
    """Makes pieces; the same seed makes the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def _pick(self, items: Any) -> Any:
        return self._random.choice(list(items))

    def piece(self, kind: str, name: str = "", depth: int = 0) -> Any:
        """Return a value of a type in the words of the schema. name: of the field that it is for."""
        if name in _USUAL and kind not in _TYPES and self._random.random() < 0.85:
            return copy.deepcopy(self._pick(_USUAL[name]))
        if kind.startswith("["):
            count, element = self._pick([0, 1, 1, 1, 2]), kind[1:-1].partition("/")[0]
            return [self.piece(element, "", depth + 1) for _n in range(count)]
        if kind.startswith("{"):
            keys = ["cpu", "memory", "nvidia.com/gpu"] if kind == "{quantity}" else _TEXTS
            return {self._pick(keys): self.piece(kind[1:-1]) for _n in range(self._pick([0, 1, 1]))}
        if kind in _TYPES:
            return self._object(kind, depth)
        if "|" in kind:
            return self._pick([*kind.split("|"), *kind.split("|"), "x"])
        simple = {"bool": [True, False], "quantity": _QUANTITIES, "intstr": [*_NUMBERS, *_TEXTS], "linux": ["linux"]}
        return self._pick(_NUMBERS if kind in ("int32", "int64") else simple.get(kind, _TEXTS))

    def _object(self, kind: str, depth: int) -> dict[str, Any]:
        known = _TYPES[kind]
        wanted = [key for key in known if known[key].needed and self._random.random() < 0.97]
        others = [key for key in known if not known[key].needed]
        count = min(len(others), self._pick([0, 1, 1, 1, 2, 3])) if depth < 7 else 0
        keys = [*wanted, *self._random.sample(others, count)]
        return {key: self.piece(known[key].kind, key, depth + 1) for key in keys}

    def _some(self, kind: str, spared: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return a few fields of a type."""
        keys = self._random.sample([key for key in _TYPES[kind] if key not in spared], self._pick([1, 2, 3]))
        return {key: self.piece(_TYPES[kind][key].kind, key) for key in keys}

    def options(self) -> dict[str, Any]:
        """Return options of a job with native pieces in one or another of them."""
        scratch = [{"name": "data", "emptyDir": {}}, {"name": "a", "persistentVolumeClaim": {"claimName": "c"}}]
        image = {"image": "i:1"}
        main = {"name": "tensorflow", **image}
        given: list[Any] = [
            lambda: {"volumes": self.piece("[Volume]")},
            lambda: {"volumes": scratch, "volume_mounts": [{**self.piece("VolumeMount"), "name": "data"}]},
            lambda: {"volumes": scratch, "env": {self._pick(_TEXTS): self.piece("EnvVarSource")}},
            lambda: {"env_from": self.piece("[EnvFromSource]")},
            lambda: {"ports": self.piece("[ContainerPort]")},
            lambda: {"tolerations": self.piece("[Toleration]")},
            lambda: {"affinity": self.piece("Affinity")},
            lambda: {"security_context": self.piece("PodSecurityContext")},
            lambda: {"container_security_context": self.piece("SecurityContext")},
            lambda: {"resources": self.piece("ResourceRequirements")},
            lambda: {"init_containers": [{**self._some("Container"), "name": "i", **image}]},
            lambda: {"template": {"spec": {"containers": [{**self._some("Container"), **main}]}}},
            lambda: {"template": {"spec": self._some("PodSpec", _SPARED)}},
            lambda: {"template": {"metadata": self.piece("ObjectMeta")}},
        ]
        return {"name": "j", "namespace": "forms", **image, "replicas": {"Worker": {}}, **self._pick(given)()}
