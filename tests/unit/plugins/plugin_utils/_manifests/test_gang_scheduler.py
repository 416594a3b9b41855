# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a scheduler's configuration and queues, and the form in which they are used."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.gang_scheduler import (
    complete_queues,
    conf_text,
    scheduler_problems,
)

CONF = {"actions": ["allocate", "backfill"], "tiers": [{"plugins": ["gang", "proportion"]}]}


def test_all_that_is_wrong_in_one_text() -> None:
    (text,) = scheduler_problems("volcano", {"actions": ["x"], "tiers": CONF["tiers"]}, [{"name": "a", "weight": 0}])
    assert text.startswith("2 problems, nothing was changed:")
    assert scheduler_problems("volcano", CONF, []) == scheduler_problems("native", {}, []) == []


def test_there_is_always_a_queue_for_jobs_that_name_none() -> None:
    assert complete_queues([{"name": "a"}]) == [{"name": "default"}, {"name": "a"}]
    assert complete_queues([{"name": "default", "weight": 3}]) == [{"name": "default", "weight": 3}]


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ({"name": "a", "weight": "many"}, "gang_scheduler_queues[0] = a map: "),
        ({"weight": 1}, "missing required arguments: name"),
        ({"name": "a", "colour": "red"}, "colour"),
        ({"name": "a", "parent": "b"}, "parent = a: only the plugin capacity knows queues below queues"),
        ({"name": "A"}, "name = A"),
    ],
)
def test_queues_are_judged_as_the_module_would(queue: dict[str, object], expected: str) -> None:
    (text,) = scheduler_problems("volcano", CONF, [queue])
    assert expected in text


def test_a_parent_where_somebody_looks_at_it() -> None:
    conf = {"actions": ["allocate"], "tiers": [{"plugins": ["gang", "capacity"]}]}
    assert scheduler_problems("volcano", conf, [{"name": "b"}, {"name": "a", "parent": "b"}]) == []


def test_a_configuration_is_text() -> None:
    assert yaml.safe_load(conf_text(CONF)) == {
        "actions": "allocate, backfill",
        "tiers": [{"plugins": [{"name": "gang"}, {"name": "proportion"}]}],
    }


def test_a_configuration_with_numbers_as_ansible_hands_them_in() -> None:
    class Tagged(int):
        """A number with a mark that YAML's writer does not know."""

    plugins = [{"name": "gang"}, {"name": "nodeorder", "arguments": {"leastrequested.weight": Tagged(2)}}]
    conf = {"actions": ["allocate"], "tiers": [{"plugins": plugins}]}
    assert yaml.safe_load(conf_text(conf))["tiers"] == [{"plugins": plugins}]
