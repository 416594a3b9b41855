# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the collection knows of its own variables."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.known_variables import (
    known_variables,
    mistyped,
    types,
)
from tests.support.paths import ROOT


def test_all_that_is_documented_is_known() -> None:
    page = (ROOT / "docs" / "variables.md").read_text()
    documented = set(re.findall(r"^\| `(mlstack_\w+)`", page, re.MULTILINE))
    assert len(documented) > 20
    assert documented - known_variables() == set()


def test_the_inventories_of_the_checkout_use_no_unknown_name() -> None:
    texts = "".join(path.read_text() for path in (ROOT / "inventories").rglob("*") if path.is_file())
    assert set(re.findall(r"^\s*(mlstack_\w+):", texts, re.MULTILINE)) - known_variables() == set()


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("mlstack_pod_cidr", "10.244.0.0/16", ""),
        ("mlstack_pod_cidr", ["10.244.0.0/16"], "str"),
        ("mlstack_pod_cidr", {"a": 1}, "str"),
        ("mlstack_cluster_name", 5, ""),
        ("mlstack_cluster_name", True, "str"),
        ("mlstack_samples", ["a"], ""),
        ("mlstack_samples", "a,b", ""),
        ("mlstack_samples", {"a": True}, "list"),
        ("mlstack_ca_certificates", [{"path": "x"}], "list"),
        ("mlstack_registries", ["registry.example.org"], "list"),
        ("mlstack_release", 2026.11, ""),
        ("mlstack_unknown", ["x"], ""),
    ],
)
def test_types(name: str, value: Any, kind: str) -> None:
    found = mistyped({name: value})
    assert {wrong: what["kind"] for wrong, what in found.items()} == ({name: kind} if kind else {})
    assert "registry.example.org" not in str(found), "a value may be a secret"


def test_a_variable_that_roles_read_differently_is_left_to_them(tmp_path: Path) -> None:
    for role, kind in (("a", "str"), ("b", "int")):
        (tmp_path / "roles" / role / "meta").mkdir(parents=True)
        (tmp_path / "roles" / role / "defaults").mkdir()
        options = {f"{role}_x": {"type": kind}, f"{role}_y": {"type": "bool"}}
        spec = {"argument_specs": {"main": {"options": options}}}
        (tmp_path / "roles" / role / "meta" / "argument_specs.yml").write_text(json.dumps(spec))
        defaults = f'{role}_x: "{{{{ mlstack_x | default(1) }}}}"\n{role}_y: "{{{{ mlstack_y | default(1) }}}}"\n'
        (tmp_path / "roles" / role / "defaults" / "main.yml").write_text(defaults)
    assert types(tmp_path) == {"mlstack_y": {"type": "bool"}}
    assert known_variables(tmp_path) == {"mlstack_x", "mlstack_y", "mlstack_node"}
    assert mistyped({"mlstack_y": "perhaps"}, tmp_path) == {
        "mlstack_y": {"kind": "bool", "reason": "it is text that does not fit"}
    }
