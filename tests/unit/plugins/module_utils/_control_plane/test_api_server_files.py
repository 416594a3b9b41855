# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.api_server_files import (
    AUDIT_POLICY,
    FOLDER,
    api_server_files,
    audit_policy_file,
    authentication_file,
    volumes,
)

OPTIONS: dict[str, Any] = {"audit_log": True, "audit_policy": {}, "anonymous_access": "health"}
LEVELS = ["None", "Metadata", "Request", "RequestResponse"]


def level_of(resource: str, verb: str, user: str, groups: tuple[str, ...] = (), group: str = "") -> str:
    """Return the level at which the role's own policy logs a request, as the API server reads it: first match wins."""
    for rule in AUDIT_POLICY["rules"]:
        if "nonResourceURLs" in rule:
            continue
        resources = rule.get("resources", [{"group": group}])
        if not any(r["group"] == group and resource in r.get("resources", [resource]) for r in resources):
            continue
        if verb not in rule.get("verbs", [verb]) or user not in rule.get("users", [user]):
            continue
        if "userGroups" in rule and not set(rule["userGroups"]) & set(groups):
            continue
        return str(rule["level"])
    return "None"


def test_secrets_are_logged_whoever_touches_them_and_never_with_their_content() -> None:
    for user, groups in (("alice", ()), ("system:kube-controller-manager", ()), ("system:node:n", ("system:nodes",))):
        for verb in ("get", "list", "create", "delete"):
            assert level_of("secrets", verb, user, groups) == "Metadata"
    assert not [rule for rule in AUDIT_POLICY["rules"] if rule["level"] not in ("None", "Metadata")]


def test_the_systems_own_reads_are_left_out_but_not_its_changes() -> None:
    assert level_of("pods", "watch", "system:kube-scheduler") == "None"
    assert level_of("pods", "delete", "system:kube-controller-manager") == "Metadata"
    assert level_of("pods", "get", "system:node:n", ("system:nodes",)) == "None"
    assert level_of("leases", "update", "system:node:n", ("system:nodes",), group="coordination.k8s.io") == "None"


def test_people_are_logged_reading_and_changing() -> None:
    assert level_of("pods", "list", "alice") == level_of("pods", "delete", "alice") == "Metadata"


def test_other_content_is_another_file() -> None:
    own, other = audit_policy_file({}), audit_policy_file({"kind": "Policy"})
    assert own["path"] != other["path"]
    assert own == audit_policy_file(dict(AUDIT_POLICY))
    assert own["path"].startswith(FOLDER + "/audit-policy-")


def test_only_health_may_be_asked_without_a_name() -> None:
    document = json.loads(authentication_file()["content"])
    assert document["anonymous"]["enabled"] is True
    assert [item["path"] for item in document["anonymous"]["conditions"]] == ["/healthz", "/livez", "/readyz"]


def test_what_is_switched_off_leaves_no_file_and_no_mount() -> None:
    def kinds(**changes: Any) -> list[str]:
        return [json.loads(file["content"])["kind"] for file in api_server_files({**OPTIONS, **changes})]

    assert kinds() == ["Policy", "AuthenticationConfiguration"]
    assert kinds(audit_log=False) == ["AuthenticationConfiguration"]
    assert kinds(anonymous_access="all") == ["Policy"]
    assert [item["readOnly"] for item in volumes(OPTIONS)] == [True, False]
    assert [item["hostPath"] for item in volumes({"audit_log": False})] == [FOLDER]
