# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters' own part: names, texts, and errors in the shape that Ansible prints."""

from __future__ import annotations

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.filter.gang_scheduler import FilterModule

FILTERS = FilterModule().filters()
CONF = {"actions": ["allocate", "backfill"], "tiers": [{"plugins": ["gang", "proportion"]}]}


def test_all_that_is_wrong_in_one_text() -> None:
    problems = FILTERS["gang_scheduler_problems"]
    (text,) = problems("volcano", {"actions": ["x"], "tiers": CONF["tiers"]}, [{"name": "a", "weight": 0}])
    assert text.startswith("2 problems, nothing was changed:")
    assert problems("volcano", CONF, []) == problems("native", {}, []) == []


def test_a_foreign_manifest_is_a_filter_error() -> None:
    with pytest.raises(AnsibleFilterError, match="must hold volcano-admission"):
        FILTERS["volcano_objects"]("", scheduler_conf=CONF, images={})


def test_an_unknown_setting_is_a_filter_error_that_names_it() -> None:
    for name in ("volcano_objects", "kube_batch_objects"):
        with pytest.raises(AnsibleFilterError, match="colour"):
            FILTERS[name]("", scheduler_conf=CONF, colour="red")


def test_there_is_always_a_queue_for_jobs_that_name_none() -> None:
    queues = FILTERS["gang_scheduler_queues"]
    assert queues([{"name": "a"}]) == [{"name": "default"}, {"name": "a"}]
    assert queues([{"name": "default", "weight": 3}]) == [{"name": "default", "weight": 3}]


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
    (text,) = FILTERS["gang_scheduler_problems"]("volcano", CONF, [queue])
    assert expected in text


def test_a_parent_where_somebody_looks_at_it() -> None:
    conf = {"actions": ["allocate"], "tiers": [{"plugins": ["gang", "capacity"]}]}
    assert FILTERS["gang_scheduler_problems"]("volcano", conf, [{"name": "b"}, {"name": "a", "parent": "b"}]) == []


def test_kube_batchs_configuration() -> None:
    objects = FILTERS["kube_batch_objects"]("kube-batch:v0.5", scheduler_conf=CONF)
    (conf,) = (item["data"]["kube-batch.conf"] for item in objects if item["kind"] == "ConfigMap")
    assert yaml.safe_load(conf) == {
        "actions": "allocate, backfill",
        "tiers": [{"plugins": [{"name": "gang"}, {"name": "proportion"}]}],
    }


def test_a_configuration_with_numbers_as_ansible_hands_them_in() -> None:
    class Tagged(int):
        """A number with a mark that YAML's writer does not know."""

    plugins = [{"name": "gang"}, {"name": "nodeorder", "arguments": {"leastrequested.weight": Tagged(2)}}]
    conf = {"actions": ["allocate"], "tiers": [{"plugins": plugins}]}
    objects = FILTERS["kube_batch_objects"]("kube-batch:v0.5", scheduler_conf=conf)
    (text,) = (item["data"]["kube-batch.conf"] for item in objects if item["kind"] == "ConfigMap")
    assert yaml.safe_load(text)["tiers"] == [{"plugins": plugins}]
