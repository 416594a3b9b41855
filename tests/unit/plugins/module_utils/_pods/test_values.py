# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.schema import CONTAINER, POD_SPEC
from tests.support.pod_form import lines


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        ({"name": "a", "image": "Team/x"}, CONTAINER, "x.image = Team/x: has capital letters"),
        ({"containerPort": 0}, "ContainerPort", "must be from 1 to 65535"),
        ({"containerPort": 1, "name": "Http"}, "ContainerPort", "x.name = Http: must be lower-case letters"),
        ({"name": "a", "secret": {"secretName": "s", "defaultMode": 777}}, "Volume", "must be from 0 to 511"),
        ({"name": "a", "hostPath": {"path": "/a/../b"}}, "Volume", "must not contain .."),
        ({"name": "a", "mountPath": "data"}, "VolumeMount", "must be an absolute path"),
        ({"name": "a", "mountPath": "/a", "subPath": "/b"}, "VolumeMount", "must be a relative path"),
        ({"name": "a", "nfs": {"server": "s", "path": "a"}}, "Volume", "must be an absolute path"),
        ({"name": "V_1", "emptyDir": {}}, "Volume", "x.name = V_1"),
        ({"fieldPath": "spec.node"}, "ObjectFieldSelector", "must be one of metadata.name"),
        ({"labels": {"a": "b c"}}, "ObjectMeta", "x.labels = a map: the value of a must be empty, or letters"),
        ({"runAsUser": -1}, "SecurityContext", "must be at least 0"),
        ({"weight": 101, "preference": {}}, "PreferredSchedulingTerm", "must be from 1 to 100"),
        ({"nodeSelectorTerms": []}, "NodeSelector", "must have at least one term"),
        ({"name": "a", "awsElasticBlockStore": {"volumeID": "v", "partition": 256}}, "Volume", "must be from 0 to 255"),
        ({"iqn": "a", "lun": 1, "targetPortal": "p"}, "ISCSIVolumeSource", "must begin with iqn., eui. or naa."),
        ({"keyType": "RSA3072", "signerName": "c"}, "PodCertificateProjection", "must be a domain and a path"),
        ({"containers": [], "dnsPolicy": "None"}, POD_SPEC, "must not be empty"),
    ],
)
def test_values_that_are_refused(value: Any, kind: str, words: str) -> None:
    assert words in lines(value, kind)
