# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A sample's program as an object, and its last words."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.sample import (
    MOST_BYTES,
    names,
    program,
    summary,
)

LOG = """step 100 of 600: loss 0.8, test accuracy 0.9
where the pods ran:
  chief-0    first-attempt on node-1
step 600 of 600: loss 0.1, test accuracy 0.96
RESULT {"test_accuracy": 0.96, "steps": 600}
where the pods ran:
  chief-0    job-chief-0 on node-1
test accuracy 0.9600, loss 0.1000
"""


def test_equal_files_have_one_name_and_others_another() -> None:
    first = program({"a.py": "1", "b.csv": "2"}, "train", "ns")
    again = program({"b.csv": "2", "a.py": "1"}, "train", "ns")
    other = program({"a.py": "1", "b.csv": "3"}, "train", "ns")
    assert first == again
    assert first["metadata"]["name"].startswith("train-")
    assert first["metadata"]["name"] != other["metadata"]["name"]


def test_files_that_change_places_have_another_name() -> None:
    assert (
        program({"a": "1", "b": "2"}, "x", "ns")["metadata"]["name"]
        != program({"a": "2", "b": "1"}, "x", "ns")["metadata"]["name"]
    )


def test_the_program_is_immutable_complete_and_found_by_its_sample() -> None:
    made = program({"a.py": "print()\n"}, "train", "ns")
    assert made["immutable"] is True
    assert made["data"] == {"a.py": "print()\n"}
    assert made["metadata"]["namespace"] == "ns"
    assert made["metadata"]["labels"] == {
        "app.kubernetes.io/managed-by": "trainyard.mlstack",
        "app.kubernetes.io/component": "sample",
        "app.kubernetes.io/name": "train",
    }


def test_files_larger_than_a_config_map_are_refused_by_their_size() -> None:
    assert program({"a": "x" * MOST_BYTES}, "train", "ns")
    with pytest.raises(ValueError, match=f"train are {MOST_BYTES + 1} bytes: a ConfigMap holds at most {MOST_BYTES}"):
        program({"a": "x" * MOST_BYTES, "b": "y"}, "train", "ns")


def test_what_a_sample_applies_bears_the_names_that_it_will_have() -> None:
    files = {"tfjob_one": {"a.py": "1"}}
    kinds = {"tfjob_one": "tfjob", "pytorchjob_other": "pytorchjob"}
    found = names(["tfjob_one", "pytorchjob_other"], "ns", kinds, files)
    assert [(item["kind"], item["metadata"]["name"]) for item in found] == [
        ("ConfigMap", program(files["tfjob_one"], "tfjob-one", "ns")["metadata"]["name"]),
        ("TFJob", "tfjob-one"),
        # Its files are not there, so the hash is not known.
        ("ConfigMap", "pytorchjob-other"),
        ("PyTorchJob", "pytorchjob-other"),
    ]
    assert {item["metadata"]["namespace"] for item in found} == {"ns"}
    assert not any("data" in item for item in found)


def test_the_summary_is_the_last_one_to_the_end() -> None:
    assert summary(LOG) == [
        "where the pods ran:",
        "  chief-0    job-chief-0 on node-1",
        "test accuracy 0.9600, loss 0.1000",
    ]


def test_a_program_without_a_table_says_its_result() -> None:
    assert summary('step 1\nRESULT {"a": 1}\nend\n') == ['{"a": 1}']


@pytest.mark.parametrize("log", ["", "step 1 of 600: loss 2.3, test accuracy 0.1\nKilled\n"])
def test_a_job_that_did_not_come_so_far_says_nothing(log: str) -> None:
    assert summary(log) == []
