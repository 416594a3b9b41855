# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Volcano's own definitions on a real API server."""

from __future__ import annotations

from tests.integration.support.api_server import ApiServer
from tests.support.volcano import volcano_crds


def test_the_server_serves_what_volcano_defines(volcano_api: ApiServer) -> None:
    served = {"batch.volcano.sh/v1alpha1": "jobs", "scheduling.volcano.sh/v1beta1": "podgroups"}
    for group, plural in served.items():
        assert plural in {each["name"] for each in volcano_api.client.call("GET", f"/apis/{group}")["resources"]}
    crds = volcano_api.client.call("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")["items"]
    assert {crd["metadata"]["name"] for crd in volcano_crds()} <= {crd["metadata"]["name"] for crd in crds}
