# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.schema import CONTAINER, POD_SPEC
from tests.support.pod_form import POD, lines


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        ({"name": "a", "configMap": {}}, "Volume", "must have name"),
        ({"name": "a", "emptyDir": {}, "hostPath": {"path": "/a"}}, "Volume", "must have exactly one source"),
        ({"name": "a"}, "Volume", "must have exactly one source"),
        ({"name": "A", "value": "1", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, "EnvVar", "has both"),
        ({}, "EnvVarSource", "must have exactly one source"),
        ({"prefix": "A"}, "EnvFromSource", "must have exactly one source"),
        ({"key": "a", "operator": "Exists", "value": "b"}, "Toleration", "operator Exists takes no value"),
        ({"value": "b"}, "Toleration", "without key, which means all taints, operator must be Exists"),
        ({"key": "a", "tolerationSeconds": 3}, "Toleration", "goes with effect NoExecute only"),
        ({"key": "a", "operator": "In"}, "NodeSelectorRequirement", "operator In needs values"),
        (
            {"key": "a", "operator": "Exists", "values": ["b"]},
            "LabelSelectorRequirement",
            "operator Exists takes no values",
        ),
        ({"periodSeconds": 1}, "Probe", "must have exactly one of exec"),
        ({"type": "Localhost"}, "SeccompProfile", "type Localhost needs localhostProfile"),
        ({"type": "RuntimeDefault", "localhostProfile": "a"}, "SeccompProfile", "goes with type Localhost only"),
        (
            {"privileged": True, "allowPrivilegeEscalation": False},
            "SecurityContext",
            "contradicts allowPrivilegeEscalation",
        ),
        ({"name": "a", "glusterfs": {}}, "Volume", "Its driver ended: use a claim"),
        ({"name": "a", "image": {}}, "Volume", "must have reference"),
        ({"name": "a", "csi": {"driver": "d", "nodePublishSecretRef": {}}}, "Volume", "must have name"),
        ({"diskName": "a", "diskURI": "a"}, "AzureDiskVolumeSource", "diskURI must begin with https://"),
        ({"iqn": "iqn.a", "lun": 1, "targetPortal": "p", "chapAuthSession": True}, "ISCSIVolumeSource", "CHAP needs"),
        ({"targetWWNs": ["a"]}, "FCVolumeSource", "targetWWNs need lun"),
        ({}, "FCVolumeSource", "must have targetWWNs or wwids"),
        (
            {"path": "a", "name": "b", "signerName": "c.d/e"},
            "ClusterTrustBundleProjection",
            "must have name, or signerName",
        ),
        ({"keyType": "RSA3072", "signerName": "c.d/e"}, "PodCertificateProjection", "must have credentialBundlePath"),
        ({"resource": "limits.memory", "divisor": "1e3"}, "ResourceFieldSelector", "divisor must be 1 or one unit"),
        ({"path": "a", "fieldRef": {"fieldPath": "status.podIP"}}, "DownwardAPIVolumeFile", "fields of metadata only"),
        ({"path": "a", "resourceFieldRef": {"resource": "limits.cpu"}}, "DownwardAPIVolumeFile", "needs containerName"),
        ({"path": "a"}, "DownwardAPIVolumeFile", "exactly one of fieldRef and resourceFieldRef"),
        ({"resource": "limits.cpu", "divisor": "1Mi"}, "ResourceFieldSelector", "divisor must be 1 or one unit"),
        ({"volumeClaimTemplate": {"spec": {}}}, "EphemeralVolumeSource", "spec needs accessModes"),
        ({"sysctls": [{"name": "a", "value": ""}] * 2}, "PodSecurityContext", "sysctls has a name twice"),
        (
            {"name": "a", "mountPath": "/a", "recursiveReadOnly": "Enabled"},
            "VolumeMount",
            "goes with readOnly: true only",
        ),
        (
            {"name": "a", "mountPath": "/a", "subPath": "b", "subPathExpr": "c"},
            "VolumeMount",
            "both subPath and subPathExpr",
        ),
        (
            {"matchFields": [{"key": "a", "operator": "In", "values": ["b"]}]},
            "NodeSelectorTerm",
            "knows only metadata.name",
        ),
        ({"topologyKey": "a", "matchLabelKeys": ["b"]}, "PodAffinityTerm", "need a labelSelector"),
        (
            {"topologyKey": "a", "matchLabelKeys": ["b"], "labelSelector": {"matchLabels": {"b": "c"}}},
            "PodAffinityTerm",
            "the key b is given twice",
        ),
        ({"name": "a", "startupProbe": {"exec": {"command": ["a"]}, "successThreshold": 2}}, CONTAINER, "must be 1"),
        (
            {"name": "c", "resourceClaimName": "a", "resourceClaimTemplateName": "b"},
            "PodResourceClaim",
            "exactly one claim",
        ),
        ({**POD, "dnsPolicy": "None"}, POD_SPEC, "dnsPolicy None needs dnsConfig with nameservers"),
        ({**POD, "shareProcessNamespace": True, "hostPID": True}, POD_SPEC, "contradict each other"),
        ({**POD, "serviceAccount": "a", "serviceAccountName": "b"}, POD_SPEC, "says another account"),
        ({**POD, "hostnameOverride": "a", "hostNetwork": True}, POD_SPEC, "hostnameOverride does not go with"),
        ({**POD, "hostUsers": False, "hostIPC": True}, POD_SPEC, "hostUsers: false does not go with"),
        ({**POD, "nodeName": "a", "schedulingGates": [{"name": "b"}]}, POD_SPEC, "schedulingGates wait for it"),
        ({"containers": [{"name": "a", "lifecycle": {"stopSignal": "SIGINT"}}]}, POD_SPEC, "needs the pod's os"),
        (
            {"containers": [{"name": "a", "lifecycle": {"preStop": {"sleep": {"seconds": 31}}}}]},
            POD_SPEC,
            "sleeps longer",
        ),
        (
            {"containers": [{"name": "a", "securityContext": {"procMount": "Unmasked"}}]},
            POD_SPEC,
            "needs hostUsers: false",
        ),
        (
            {"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "ScheduleAnyway", "minDomains": 1},
            "TopologySpreadConstraint",
            "minDomains goes with whenUnsatisfiable DoNotSchedule only",
        ),
    ],
)
def test_what_does_not_go_together(value: Any, kind: str, words: str) -> None:
    assert words in lines(value, kind)
