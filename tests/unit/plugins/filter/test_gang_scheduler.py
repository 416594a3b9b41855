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
        FILTERS["volcano_objects"]("", scheduler_conf=CONF, queues=[], images={})


def test_an_unknown_setting_is_a_filter_error_that_names_it() -> None:
    for name in ("volcano_objects", "kube_batch_objects"):
        with pytest.raises(AnsibleFilterError, match="colour"):
            FILTERS[name]("", scheduler_conf=CONF, queues=[], colour="red")


def test_kube_batch_with_its_queues_last() -> None:
    objects = FILTERS["kube_batch_objects"]("kube-batch:v0.5", scheduler_conf=CONF, queues=[{"name": "a"}])
    assert [item["metadata"]["name"] for item in objects[-2:]] == ["default", "a"]
    (conf,) = (item["data"]["kube-batch.conf"] for item in objects if item["kind"] == "ConfigMap")
    assert yaml.safe_load(conf) == {
        "actions": "allocate, backfill",
        "tiers": [{"plugins": [{"name": "gang"}, {"name": "proportion"}]}],
    }
