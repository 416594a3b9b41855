# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any options of a job module, made from its argument spec: most of them right, some of them a little wrong."""

from __future__ import annotations

import copy
import json
from typing import Any, Mapping

from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import JobKind
from tests.integration.support.gang_kinds import QUEUES

Options = dict[str, Any]
Draw = st.DrawFn

LONG = "x" * 64
# What people write where a name, a number or a text is wanted; the first ones are right almost everywhere.
NAMES = ["data", "a", "team-a", "x1", "a.b", "Data", "a_b", "-a", "a-", "1a", "", LONG, "ü", "a b", "a/b"]
TEXTS = ["a", "1", "some text", "", "two\nlines", "ü", "{}", "x" * 300, "true", "$(A)", "$$"]
ODD = [None, "", -1, 0, 1, 1.5, True, [], {}, [None], {"a": 1}, "Bad Name", "x" * 300, 2**63]
QUANTITIES = [
    "1",
    "500m",
    "2Gi",
    2,
    0.5,
    "1.5Gi",
    "0",
    "1e3",
    "1Ki",
    "-1",
    "lots",
    "",
    "1 Gi",
    "0.1m",
    "9Ei",
    True,
    None,
]
KEYS = ["team", "example.org/a", "a_b", "A.b", "", "a b", LONG, "/a", "a/", "a/b/c", "Example.org/a", "1"]
RESOURCES = ["cpu", "memory", "nvidia.com/gpu", "ephemeral-storage", "hugepages-2Mi", "hugepages-1Gi"]
RESOURCES += [
    "nvidia.com/mig-1g.5gb",
    "nvidia.com/mig-2g.10gb",
    "gpu",
    "example.org/x_y",
    "requests.cpu",
    "Bad/",
    "storage",
]
NUMBERS = [1, 2, 3, 0, 5, 30, 65535, 65536, -1, 2**31, 2**63]
PATHS = ["/data", "/a/b", "/dev/shm", "/", "relative", "../up", "/a:b", "", "/x" * 200]

FIELD = {"fieldRef": {"fieldPath": "metadata.name"}}
VOLUMES = [
    {"name": "data", "emptyDir": {}},
    {"name": "scratch", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
    {"name": "data", "persistentVolumeClaim": {"claimName": "data", "readOnly": True}},
    {"name": "program", "configMap": {"name": "program", "defaultMode": 493, "items": [{"key": "a", "path": "b/c"}]}},
    {"name": "key", "secret": {"secretName": "key", "optional": True}},
    {"name": "host", "hostPath": {"path": "/srv", "type": "Directory"}},
    {"name": "share", "nfs": {"server": "nfs.example.org", "path": "/data"}},
    {"name": "driver", "csi": {"driver": "csi.example.org", "volumeAttributes": {"a": "b"}}},
    {"name": "about", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
    {"name": "all", "projected": {"sources": [{"configMap": {"name": "a"}}, {"secret": {"name": "b"}}]}},
    {"name": "model", "image": {"reference": "registry.example.org/model:1", "pullPolicy": "IfNotPresent"}},
    {
        "name": "own",
        "ephemeral": {
            "volumeClaimTemplate": {
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
            }
        },
    },
]
MOUNTS = [
    {"name": "data", "mountPath": "/data"},
    {"name": "data", "mountPath": "/data/sub", "subPath": "a/b", "readOnly": True},
    {"name": "scratch", "mountPath": "/dev/shm"},
    {"name": "program", "mountPath": "/program", "subPathExpr": "$(A)"},
    {"name": "host", "mountPath": "/host", "mountPropagation": "HostToContainer"},
    {"name": "nobody", "mountPath": "/nobody"},
]
SECURITY = {
    "runAsUser": 1000,
    "runAsGroup": 1000,
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
    "seLinuxOptions": {"level": "s0:c1"},
}
CONTAINERS: list[Options] = [
    {"name": "fetch", "image": "fetch:1", "command": ["fetch"], "env": [{"name": "A", "value": "1"}]},
    {
        "name": "shipper",
        "image": "shipper:1",
        "restartPolicy": "Always",
        "resources": {"limits": {"cpu": "100m", "memory": "64Mi"}},
        "ports": [{"name": "web", "containerPort": 80}],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "startupProbe": {"httpGet": {"path": "/", "port": "web"}, "periodSeconds": 5},
    },
    {"name": "third", "image": "third:1", "volumeMounts": [{"name": "data", "mountPath": "/data"}]},
    {"name": "fourth", "image": "fourth:1", "livenessProbe": {"exec": {"command": ["true"]}}, "tty": True},
    {
        "name": "fifth",
        "image": "fifth:1",
        "lifecycle": {"preStop": {"sleep": {"seconds": 5}}, "postStart": {"exec": {"command": ["true"]}}},
        "readinessProbe": {"tcpSocket": {"port": 80}, "initialDelaySeconds": 1, "failureThreshold": 3},
        "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "imagePullPolicy": "IfNotPresent",
        "workingDir": "/work",
        "env": [{"name": "A", "valueFrom": FIELD}, {"name": "B", "value": "$(A)"}],
    },
    {"name": "sixth", "image": "sixth:1", "volumeDevices": [{"name": "disk", "devicePath": "/dev/disk"}]},
    {"name": "claimed", "image": "claimed:1", "resources": {"claims": [{"name": "card", "request": "one"}]}},
]
TERM = {"matchExpressions": [{"key": "gpu", "operator": "In", "values": ["a100", "h100"]}]}
POD_TERM = {"labelSelector": {"matchLabels": {"team": "a"}}, "topologyKey": "kubernetes.io/hostname"}
AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]},
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10, "preference": TERM}],
    },
    "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [POD_TERM]},
    "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": POD_TERM}]},
}
SPEC = {
    "hostNetwork": True,
    "dnsPolicy": "ClusterFirstWithHostNet",
    "terminationGracePeriodSeconds": 10,
    "schedulerName": "default-scheduler",
    "hostname": "host",
    "subdomain": "sub",
    "automountServiceAccountToken": False,
    "hostAliases": [{"ip": "192.0.2.1", "hostnames": ["a.example.org"]}],
    "dnsConfig": {"searches": ["example.org"], "options": [{"name": "ndots", "value": "2"}]},
    "topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    ],
    "volumes": VOLUMES[:1],
    "initContainers": CONTAINERS[:1],
    "tolerations": [{"operator": "Exists"}],
    "enableServiceLinks": False,
    "shareProcessNamespace": True,
    "overhead": {"cpu": "1"},
    "nodeName": "gpu-1",
    "readinessGates": [{"conditionType": "example.org/ready"}],
    "restartPolicy": "Never",
    "activeDeadlineSeconds": 60,
    "affinity": AFFINITY,
    "nodeSelector": {"pool": "a"},
    "securityContext": {**SECURITY, "fsGroup": 1000, "sysctls": [{"name": "net.core.somaxconn", "value": "1024"}]},
    "serviceAccountName": "train",
    "imagePullSecrets": [{"name": "registry"}],
    "priorityClassName": "high",
    "preemptionPolicy": "PreemptLowerPriority",
    "hostPID": True,
    "hostIPC": True,
    "hostUsers": False,
    "os": {"name": "linux"},
    "setHostnameAsFQDN": True,
    "schedulingGates": [{"name": "example.org/gate"}],
    "resourceClaims": [{"name": "card", "resourceClaimTemplateName": "card"}],
    "resources": {"limits": {"cpu": "2", "memory": "1Gi"}},
    "schedulingGroup": {"podGroupName": "group"},
    "ephemeralContainers": [{"name": "debug", "image": "debug:1"}],
}
# Pieces for native options: right as they stand, whatever stands beside them.
NATIVES: Mapping[str, list[Any]] = {
    "volumes": VOLUMES,
    "volume_mounts": MOUNTS,
    "init_containers": CONTAINERS,
    "env_from": [{"configMapRef": {"name": "env"}}, {"prefix": "A_", "secretRef": {"name": "key", "optional": True}}],
    "ports": [
        {"containerPort": 6006},
        {"name": "web", "containerPort": 80, "protocol": "TCP"},
        {"name": "web", "containerPort": 81},
        {"name": "dns", "containerPort": 53, "protocol": "UDP", "hostPort": 53},
        {"containerPort": 2222},
    ],
    "tolerations": [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "team", "operator": "Equal", "value": "a", "effect": "NoExecute", "tolerationSeconds": 60},
        {"operator": "Exists"},
        {"key": "team", "value": "a"},
    ],
    "affinity": [AFFINITY, {"nodeAffinity": AFFINITY["nodeAffinity"]}, {}],
    "security_context": [{**SECURITY, "fsGroup": 1000, "supplementalGroups": [1], "fsGroupChangePolicy": "Always"}, {}],
    "container_security_context": [
        {**SECURITY, "privileged": False, "capabilities": {"add": ["IPC_LOCK"]}, "readOnlyRootFilesystem": True},
        {"privileged": True, "allowPrivilegeEscalation": False},
    ],
    "shared_volumes": [
        {"claim": "data", "mount_path": "/data"},
        {"claim": "data", "mount_path": "/models", "sub_path": "models", "read_only": True},
        {"claim": "other.claim", "mount_path": "/other"},
    ],
    "metrics": [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}},
        {
            "type": "Pods",
            "pods": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "10"}},
        },
    ],
}
# What an option holds, where its name says more than its type.
KNOWN: Mapping[str, list[Any]] = {
    "queue": [*QUEUES, "Team A", ""],
    "name": ["bert", "a", "x1-y", "Bert", "1bert", "a.b", "-a", "a_b", "x" * 52, "x" * 63, "x" * 64, ""],
    "namespace": ["default", "Default", "a_b", ""],
    "image": ["t:1", "registry.example.org:5000/team/train:2", "train@sha256:" + "a" * 64, " t:1", "t:1 ", "T:1", ""],
    "node": ["gpu-1", "gpu-1.example.org", *NAMES],
    "priority_class": ["high", "system-node-critical", "High", "a_b"],
    "gpu_resource": ["nvidia.com/gpu", "amd.com/gpu", "nvidia.com/mig-1g.5gb", "gpu", "Bad Name/gpu", "cpu", "memory"],
    "shm_size": QUANTITIES,
    "replicas": [1, 2, 4, 0, -1, 2**31],
    "gpus": [1, 2, 8, 0, -1, 2**63],
    "min_available": [1, 2, 3, 0, -1, 99],
    "sub_path": ["a", "a/b", "a.b", *PATHS],
    "timeout": ["10m", "30s", "1h30m", "10", "soon", ""],
    "max_retry": [3, 1, 5, 0, -1, 2**31],
    "min_success": [1, 2, 0, 99],
    "port": [2222, 80, 65535, *NUMBERS],
    "nproc_per_node": ["auto", 2, "4", "gpu", "0", "many", ""],
}


@st.composite
def job_options(draw: Draw, kind: JobKind, spec: Mapping[str, Any]) -> Options:
    """Return the options of one job; it is right unless one of the drawn options is not."""
    types = draw(replica_types(kind)) if kind.types else []
    options: Options = {"name": "bert", "image": "t:1"}
    options["replicas" if types else "tasks"] = {name: {} for name in types} if types else draw(tasks(spec))
    for name in draw(st.lists(st.sampled_from(sorted(set(spec) - {"replicas", "tasks"})), max_size=8, unique=True)):
        options[name] = draw(value(name, spec[name]))
    for name in types:
        own = spec["replicas"]["options"][name]["options"]
        for key in draw(st.lists(st.sampled_from(sorted(own)), max_size=2, unique=True)):
            options["replicas"][name][key] = draw(value(key, own[key]))
        if draw(st.integers(0, 40)) == 17:
            options["replicas"][name] = draw(st.sampled_from(ODD))
    if "volume_mounts" in json.dumps(options) and draw(st.integers(0, 5)):
        options["volumes"] = [volume for volume in VOLUMES if volume["name"] in ("scratch", "program", "host", "own")]
        options["volumes"] = [VOLUMES[0], *options["volumes"]]
    return options


@st.composite
def tasks(draw: Draw, spec: Mapping[str, Any]) -> list[Options]:
    """Return tasks of a job that names its own."""
    names = mostly(st.just(["ps", "worker"]), st.lists(st.sampled_from(["master", *NAMES]), min_size=1, max_size=3))
    found: list[Options] = []
    for name in draw(names):
        own = spec["tasks"]["options"]
        keys = draw(st.lists(st.sampled_from(sorted(set(own) - {"name"})), max_size=2, unique=True))
        found.append({"name": name, **{key: draw(value(key, own[key])) for key in keys}})
    return found


def replica_types(kind: JobKind) -> st.SearchStrategy[list[str]]:
    """Return types of a job: one that leads it and any that do not, or once in a while any types."""
    others = [name for name in kind.types if name not in kind.leaders[:2]] + ["Worker"]
    first = st.sampled_from(kind.leaders[:1] * 3 + kind.leaders)
    led = st.tuples(first, st.sets(st.sampled_from(others), max_size=2))
    right = led.map(lambda pair: sorted({pair[0], *pair[1]}))
    return mostly(right, st.lists(st.sampled_from(kind.types), min_size=1, max_size=3, unique=True))


def value(name: str, spec: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return what somebody may write as one option."""
    if name in NATIVES:
        pieces = st.sampled_from(NATIVES[name]).flatmap(bent)
        return st.lists(pieces, min_size=1, max_size=2, unique_by=repr) if spec["type"] == "list" else pieces
    if spec.get("choices"):
        return st.sampled_from(spec["choices"])
    if name in KNOWN and spec["type"] != "dict":
        return leaning(KNOWN[name])
    if spec.get("options"):
        parts = {key: value(key, part) for key, part in spec["options"].items()}
        required = {key: part for key, part in parts.items() if spec["options"][key].get("required")}
        one = st.fixed_dictionaries(required, optional={k: v for k, v in parts.items() if k not in required})
        shaped = st.lists(one, max_size=2) if spec["type"] == "list" else one
        return mostly(shaped, st.sampled_from(ODD))
    return {
        "bool": st.booleans(),
        "int": leaning(NUMBERS),
        "str": leaning(PATHS if name.endswith(("path", "dir", "libraries", "tools")) else NAMES),
        "list": st.lists(leaning(NAMES if name.endswith(("secrets", "names")) else TEXTS), max_size=3),
        "dict": mapping(name),
    }[spec["type"]]


def mapping(name: str) -> st.SearchStrategy[Any]:
    """Return what somebody may write as an option that is a mapping."""
    if name == "resources":
        amounts = st.dictionaries(leaning(RESOURCES), leaning(QUANTITIES), max_size=3)
        return st.fixed_dictionaries({}, optional={"limits": amounts, "requests": amounts}).flatmap(rarely_bent)
    if name == "template":
        return pod_template()
    if name == "env":
        sources = [FIELD, {"secretKeyRef": {"name": "key", "key": "a"}}, {"configMapKeyRef": {"name": "c", "key": "b"}}]
        sources.append({"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}})
        values = mostly(leaning([*TEXTS, 1, 1.5, True, None]), st.sampled_from(sources).flatmap(bent))
        return st.dictionaries(leaning(["A", "B_1", "a.b", "C-D", "1A", "", "A B", "A=B", "ü"]), values, max_size=3)
    return st.dictionaries(leaning(KEYS), leaning([*NAMES, 1, True, None, *TEXTS]), max_size=3)


@st.composite
def pod_template(draw: Draw) -> Any:
    """Return a raw template: some fields of a pod, one of them bent now and then."""
    spec = {key: copy.deepcopy(SPEC[key]) for key in draw(st.lists(st.sampled_from(sorted(SPEC)), max_size=3))}
    if draw(st.booleans()):
        every = ["tensorflow", "pytorch", "main"]
        names = draw(st.sampled_from([every, every, every, ["main"], []]))
        others = draw(st.lists(st.sampled_from(CONTAINERS), max_size=1))
        like: Options = draw(st.sampled_from([{}, {}, *CONTAINERS]))
        spec["containers"] = copy.deepcopy([*({**like, "name": name, "image": "t:1"} for name in names), *others])
    template: Options = {"spec": spec}
    if draw(st.booleans()):
        template["metadata"] = {"labels": draw(mapping("labels")), "annotations": draw(mapping("annotations"))}
    return draw(rarely_bent(template))


def leaning(values: list[Any]) -> st.SearchStrategy[Any]:
    """Return one of the values, mostly one of the first, which are right."""
    return mostly(st.sampled_from(values[:3]), st.sampled_from(values))


def mostly(right: st.SearchStrategy[Any], wrong: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return what is right, and one time in six what may be wrong. (`one_of` takes the same thing only once.)"""
    return st.sampled_from([right] * 5 + [wrong]).flatmap(lambda chosen: chosen)


def rarely_bent(thing: Any) -> st.SearchStrategy[Any]:
    """Return a thing as it stands, or once in a while with something wrong in it."""
    return st.integers(0, 2).flatmap(lambda n: bent(thing) if n == 2 else st.just(thing))


@st.composite
def bent(draw: Draw, thing: Any) -> Any:
    """Return a copy of a native thing: as it stands, or with a key too many, too few or misspelt, or an odd value."""
    thing = copy.deepcopy(thing)
    how = draw(st.sampled_from([*["not"] * 8, "value", "more", "less", "renamed"]))
    places = [place for place in _mappings(thing) if place or how == "more"]
    if how == "not" or not places:
        return thing
    place = draw(st.sampled_from(places))
    if how == "more":
        place[draw(st.sampled_from(["extra", "name", "image", "value"]))] = draw(st.sampled_from(ODD))
        return thing
    key = draw(st.sampled_from(sorted(place, key=str)))
    if how == "value":
        place[key] = draw(st.sampled_from(ODD))
        return thing
    old = place.pop(key)
    if how == "renamed":
        place["".join(f"_{c.lower()}" if c.isupper() else c for c in key) + ("" if key.lower() != key else "s")] = old
    return thing


def _mappings(thing: Any) -> list[Options]:
    """Return all mappings inside a thing, and itself."""
    if isinstance(thing, dict):
        return [thing, *(found for part in thing.values() for found in _mappings(part))]
    return [found for part in thing for found in _mappings(part)] if isinstance(thing, list) else []
