# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations of schedulers: what they would leave out without a word is refused."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.scheduler_conf import (
    KUBE_BATCH,
    VOLCANO,
    Known,
    conf_document,
    conf_problems,
    plugin_names,
)
from tests.unit.contracts import tree

GOOD = {"actions": ["allocate"], "tiers": [{"plugins": ["gang", {"name": "drf", "enablePreemptable": False}]}]}


def said(conf: Any, known: Known = VOLCANO) -> list[str]:
    return [problem.line() for problem in conf_problems(conf, known, "conf")]


def test_a_good_one_in_the_schedulers_own_form() -> None:
    assert said(GOOD) == said(GOOD, KUBE_BATCH) == []
    assert conf_document(GOOD) == {
        "actions": "allocate",
        "tiers": [{"plugins": [{"name": "gang"}, {"name": "drf", "enablePreemptable": False}]}],
    }
    assert plugin_names(GOOD) == ["gang", "drf"]


@pytest.mark.parametrize(("name", "known"), [("volcano", VOLCANO), ("kube_batch", KUBE_BATCH)])
def test_the_roles_own_ones_are_good(name: str, known: Known) -> None:
    confs = tree.load(tree.ROOT / "roles" / "gang_scheduler" / "vars" / "main.yml")["__gang_scheduler_confs"]
    assert said(confs[name], known) == []


def test_what_volcano_has_and_kube_batch_has_not() -> None:
    conf = {"actions": ["enqueue"], "tiers": [{"plugins": ["gang", "binpack"]}], "configurations": []}
    assert said(conf) == []
    found = " ".join(said(conf, KUBE_BATCH))
    for name in ("conf.actions = enqueue", "conf.tiers[0].plugins = binpack", "conf = configurations"):
        assert name in found


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"actions": "allocate, backfill"}, "conf.actions = allocate, backfill: must be a list of actions"),
        ({"actions": []}, "conf.actions = a list: must be a list of actions"),
        ({"actions": ["alocate"]}, "conf.actions = alocate: Volcano 1.15 has no such one"),
        ({"tiers": None}, "conf.tiers = None: must be a list"),
        ({"tiers": [{"plugin": ["gang"]}]}, "must be a list, each entry with a list `plugins`"),
        ({"tiers": [{"plugins": [["gang"]]}]}, "must be a list, each entry with a list `plugins`"),
        ({"tiers": [{"plugins": ["gangs"]}]}, "conf.tiers[0].plugins = gangs: Volcano 1.15 has no such one"),
        ({"tiers": [{"plugins": ["drf"]}]}, "no plugin gang: the plugin gang must be among them"),
        ({"tiers": [{"plugins": ["gang"]}, {"plugins": ["gang"]}]}, "conf.tiers[1].plugins = gang: stands there twice"),
        ({"tiers": [{"plugins": [{"name": "gang", "weight": 5}]}]}, "conf.tiers[0].gang = weight: a plugin has name"),
        ({"plugins": []}, "conf = plugins: Volcano 1.15 reads only actions, tiers, configurations, metrics"),
    ],
)
def test_mistakes(change: dict[str, Any], expected: str) -> None:
    assert expected in " ".join(said({**GOOD, **change}))


def test_all_mistakes_are_told_together() -> None:
    assert len(said({"actions": ["x", "y"], "tiers": [{"plugins": ["z"]}], "a": 1})) == 5
