# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.objects import OBJECTS
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.schema import (
    CONTAINER,
    POD_SPEC,
    TEMPLATE,
    _types,
    check_form,
    fields,
    typed,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.values import VALUES
from tests.support.pod_form import lines


@pytest.mark.parametrize(("value", "sent"), [(2**63, str(2**63)), (2**63 - 1, 2**63 - 1), (0.5, "0.5"), ("1", "1")])
def test_a_quantity_beyond_64_bits_is_sent_as_text(value: Any, sent: Any) -> None:
    assert typed({"sizeLimit": value}, "EmptyDirVolumeSource") == {"sizeLimit": sent}


def test_the_schema_is_whole() -> None:
    types = _types()
    simple = {"str", "bool", "int32", "int64", "intstr", "quantity", "any"}
    for name, known in types.items():
        for key, field in known.items():
            kind = field.kind.strip("[]{}").partition("/")[0]
            assert kind in simple or kind in types or "|" in kind or kind == "linux", f"{name}.{key}: {kind}"
    assert {"containers", "schedulingGroup", "nodeSelector"} <= set(fields(POD_SPEC))
    assert "ephemeralContainers" not in fields(POD_SPEC)


def test_each_rule_has_its_place() -> None:
    types = _types()
    for place in VALUES:
        name, _dot, key = place.rstrip("[]{}").partition(".")
        assert key in types[name], place
    assert set(OBJECTS) <= set(types)


WHOLE = {
    "metadata": {"labels": {"a": "b"}, "annotations": {"x.y/z": "any text"}},
    "spec": {
        "containers": [
            {
                "name": "tensorflow",
                "image": "i:1",
                "env": [
                    {"name": "A", "value": ""},
                    {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a']"}}},
                    {"name": "C", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}},
                ],
                "envFrom": [{"prefix": "P_", "secretRef": {"name": "s"}}],
                "ports": [{"name": "http", "containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}],
                "livenessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 5},
                "lifecycle": {"preStop": {"sleep": {"seconds": 3}}, "stopSignal": "SIGINT"},
                "resources": {"limits": {"cpu": 1, "memory": "1Gi"}},
                "securityContext": {"runAsUser": 0, "capabilities": {"drop": ["ALL"]}},
                "volumeMounts": [{"name": "v", "mountPath": "/v", "readOnly": True, "recursiveReadOnly": "Enabled"}],
            }
        ],
        "initContainers": [{"name": "i", "restartPolicy": "Always"}],
        "volumes": [
            {"name": "v", "emptyDir": {"medium": "HugePages-2Mi", "sizeLimit": 0}},
            {"name": "p", "projected": {"sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 600}}]}},
            {"name": "h", "hostPath": {"path": "/h", "type": ""}},
        ],
        "tolerations": [{"operator": "Exists"}, {"key": "a", "value": "b", "effect": "NoSchedule"}],
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "gpu", "operator": "Gt", "values": ["1"]}]}]
                }
            },
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": 1,
                        "podAffinityTerm": {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}},
                    }
                ]
            },
        },
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 2}
        ],
        "securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "a/b"}, "fsGroup": 1},
        "dnsConfig": {"nameservers": ["10.0.0.1", "fd00::1"], "searches": ["a.example.org."]},
        "schedulingGroup": {"podGroupName": "tfjob-bert"},
        "os": {"name": "linux"},
        "terminationGracePeriodSeconds": 3,
        "runtimeClassName": None,
    },
}


def test_what_the_server_takes() -> None:
    assert lines(WHOLE, TEMPLATE) == ""


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        # Unknown fields.
        ({"hostPth": {}}, "Volume", "x.hostPth = a map: there is no such field. Write hostPath"),
        (
            {"mount_path": "/a", "name": "a"},
            "VolumeMount",
            "x.mount_path = /a: there is no such field. Write mountPath",
        ),
        ({"hostNetwork": True, "name": "a"}, CONTAINER, "Move it to the pod's spec, as hostNetwork"),
        (
            {"image": "i", "containers": [{"name": "a"}]},
            POD_SPEC,
            "x.image = i: there is no such field. Move it into the container",
        ),
        ({"containers": []}, TEMPLATE, "x.containers = a list: there is no such field. Move it to spec.containers"),
        ({"kind": "Pod"}, TEMPLATE, "A pod template holds metadata and spec"),
        ({"zzz": 1}, "SleepAction", "Leave it out; there are seconds"),
        # Wrong types.
        ("a", "[Volume]", "x = a: must be a list"),
        ({"name": 1, "emptyDir": {}}, "Volume", "x.name = 1: must be text. Write it in quotes"),
        ({"name": "a", "emptyDir": "Memory"}, "Volume", "x.emptyDir = Memory: must be a map"),
        (
            {"containerPort": "80"},
            "ContainerPort",
            "x.containerPort = 80: must be a whole number. Write it without quotes",
        ),
        ({"containerPort": True}, "ContainerPort", "x.containerPort = True: must be a whole number"),
        ({"containerPort": 2**31}, "ContainerPort", "must be below 2^31"),
        ({"name": "a", "mountPath": "/a", "readOnly": "yes"}, "VolumeMount", "x.readOnly = yes: must be true or false"),
        ({"name": "a", "emptyDir": {"sizeLimit": "1 Gi"}}, "Volume", "x.emptyDir.sizeLimit = 1 Gi: must be a quantity"),
        ({"name": "a", "emptyDir": {"sizeLimit": 0.5}}, "Volume", "must be a quantity"),
        ({"a": 1}, "{str}", "x.a = 1: must be text"),
        ({"name": "A", "value": 1}, "EnvVar", "x.value = int: must be text"),
        # Words.
        (
            {"key": "a", "effect": "NoSchedul"},
            "Toleration",
            "must be one of NoExecute, NoSchedule, PreferNoSchedule. Write NoSchedule",
        ),
        ({"name": "windows"}, "PodOS", "must be linux"),
        ({"name": "a", "emptyDir": {"medium": "memory"}}, "Volume", "Write Memory"),
        ({"keyType": "RSA", "signerName": "c.d/e"}, "PodCertificateProjection", "Write RSA"),
        ({"key": "a", "operator": "Gt", "value": "1"}, "Toleration", "must be one of Equal, Exists"),
        # What must be given.
        ({"name": "a"}, "VolumeMount", "x.mountPath = nothing: must be given. Give mountPath"),
        ({"name": "", "mountPath": "/a"}, "VolumeMount", "x.name = : must be given"),
        # Twice in a list.
        (
            [{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}],
            "[ContainerPort/containerPort,protocol]",
            "x[1] = 80, TCP",
        ),
    ],
)
def test_refused(value: Any, kind: str, words: str) -> None:
    assert words in lines(value, kind)


def test_what_was_sound_once_is_so_as_it_stands_and_for_its_type() -> None:
    assert lines({}, "EmptyDirVolumeSource") == lines({"seconds": 1}, "SleepAction") == ""
    assert "must have exactly one source" in lines({}, "EnvVarSource")
    # Python takes true for 1.
    assert "must be a whole number" in lines({"seconds": True}, "SleepAction")


def test_all_at_once_each_with_its_place() -> None:
    template = {"spec": {"containers": [{"name": "a", "imag": "i", "tty": "x"}], "volumes": [{"name": "A", "nfs": {}}]}}
    assert [problem.field for problem in check_form(template, TEMPLATE, "template")] == [
        "template.spec.containers[0].imag",
        "template.spec.containers[0].tty",
        "template.spec.volumes[0].name",
        "template.spec.volumes[0].nfs.path",
        "template.spec.volumes[0].nfs.server",
    ]


KEYS = sorted({key for known in _types().values() for key in known})
LEAF = st.one_of(st.none(), st.booleans(), st.integers(-1, 3), st.floats(), st.text(max_size=3), st.sampled_from(KEYS))
ANYTHING = st.recursive(
    LEAF,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
    max_leaves=10,
)


@settings(max_examples=300, deadline=None)
@given(ANYTHING, st.sampled_from(sorted(_types())))
def test_nothing_breaks_it(value: Any, kind: str) -> None:
    assert all(problem.rule and problem.way_out for problem in check_form(value, kind, "x"))
