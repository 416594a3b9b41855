# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.discovery import Discovery


class Client:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def call(self, _verb: str, path: str) -> dict[str, Any]:
        self.asked.append(path)
        versions = [{"groupVersion": "scheduling.k8s.io/v1"}, {"groupVersion": "scheduling.k8s.io/v1beta1"}]
        return {"groups": [{"name": "scheduling.k8s.io", "versions": versions}, {"name": "empty"}]}


def test_any_number_of_group_versions_costs_one_request() -> None:
    client: Any = Client()
    discovery = Discovery(client)
    wanted = ("scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha2", "scheduling.volcano.sh/v1beta1")
    assert [discovery.offers(version) for version in wanted] == [True, False, False]
    assert client.asked == ["/apis"]
