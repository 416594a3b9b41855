# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters' own part: their names, and errors in the shape that Ansible prints."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.filter.samples import FilterModule


def test_files_that_are_too_large_are_a_filter_error() -> None:
    sample_program = FilterModule().filters()["sample_program"]
    with pytest.raises(AnsibleFilterError, match="sample_program: the files of train are"):
        sample_program({"a": "x" * 2_000_000}, name="train", namespace="ns")


def test_files_that_are_too_large_for_a_plan_are_a_filter_error() -> None:
    sample_names = FilterModule().filters()["sample_names"]
    with pytest.raises(AnsibleFilterError, match="sample_names: the files of train are"):
        sample_names(["train"], namespace="ns", kinds={"train": "tfjob"}, files={"train": {"a": "x" * 2_000_000}})


def test_a_samples_name_need_not_say_its_kind() -> None:
    sample_names = FilterModule().filters()["sample_names"]
    found = sample_names(["train"], namespace="ns", kinds={"train": "pytorchjob"}, files={"train": {"a.py": "1"}})
    assert [item["kind"] for item in found] == ["ConfigMap", "PyTorchJob"]


def test_the_summary_takes_a_log() -> None:
    sample_summary = FilterModule().filters()["sample_summary"]
    assert sample_summary("where the pods ran:\n  here\n") == ["where the pods ran:", "  here"]
