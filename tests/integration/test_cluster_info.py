# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_info: several lists at once, and nothing where there is nothing."""

from __future__ import annotations

from typing import Any

from tests.integration.conftest import Run
from tests.integration.samples import config_map


def names(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["kind"], item["metadata"]["name"]) for item in result["objects"]]


def test_lists_come_in_their_order_and_name_their_kinds(run: Run, namespace: str) -> None:
    run("objects", objects=[config_map("first", namespace), config_map("second", namespace)])
    lists = [
        {"api_version": "v1", "kind": "ConfigMap", "namespaces": [namespace]},
        {"api_version": "v1", "kind": "Namespace"},
    ]
    found = run("cluster_info", lists=lists)
    assert found["changed"] is False
    assert names(found)[:2] == [("ConfigMap", "first"), ("ConfigMap", "second")]
    assert ("Namespace", namespace) in names(found)


def test_without_namespaces_all_are_read(run: Run, namespace: str) -> None:
    run("objects", objects=[config_map("mine", namespace)])
    found = run("cluster_info", lists=[{"api_version": "v1", "kind": "ConfigMap"}])
    assert namespace in {item["metadata"]["namespace"] for item in found["objects"]}


def test_an_unknown_kind_and_an_unknown_namespace_are_empty(run: Run) -> None:
    lists = [
        {"api_version": "example.org/v1", "kind": "Nothing"},
        {"api_version": "v1", "kind": "Pod", "namespaces": ["not-there"]},
    ]
    assert run("cluster_info", lists=lists)["objects"] == []
