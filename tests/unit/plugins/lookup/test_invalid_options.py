# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup as a task uses it: values of the inventory, rendered where they can be."""

from __future__ import annotations

from typing import Any

from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template

from ansible_collections.trainyard.mlstack.plugins.lookup.invalid_options import LookupModule


def invalid(**variables: Any) -> dict[str, str]:
    loader = DataLoader()
    lookup = LookupModule(loader=loader, templar=Templar(loader=loader, variables=variables))
    (found,) = lookup.run([], variables=variables)
    return dict(found)


def test_values_are_rendered_before_they_are_validated() -> None:
    assert invalid(node_swap=trust_as_template("{{ choice }}"), choice="keep") == {}
    assert list(invalid(node_swap=trust_as_template("{{ choice }}"), choice="perhaps")) == ["node_swap"]


def test_all_invalid_options_are_found_and_foreign_names_ignored() -> None:
    found = invalid(node_swap="perhaps", kubernetes_max_pods="many", node_swappiness="perhaps", preflight_min_cpus="x")
    assert list(found) == ["kubernetes_max_pods", "node_swap"]


def test_what_cannot_be_rendered_yet_is_left_to_its_role() -> None:
    assert invalid(node_swap=trust_as_template("{{ defined_by_a_role_only }}")) == {}
