# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter's own part: its name, and errors in the shape that Ansible prints."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.filter.training_operator import FilterModule

SETTINGS = {
    "image": "example.org/operator:v1",
    "replicas": 1,
    "controller_threads": 1,
    "api_qps": 20,
    "api_burst": 30,
    "resources": {},
    "tolerations": [],
    "init_template": "- {name: wait, image: '{{.InitContainerImage}}'}",
    "init_image": "example.org/busybox:1",
    "init_tries": 1,
}


def test_a_foreign_manifest_is_a_filter_error() -> None:
    operator_objects = FilterModule().filters()["training_operator_objects"]
    with pytest.raises(AnsibleFilterError, match="must hold one Deployment"):
        operator_objects("", **SETTINGS)


def test_an_unknown_setting_is_a_filter_error_that_names_it() -> None:
    operator_objects = FilterModule().filters()["training_operator_objects"]
    with pytest.raises(AnsibleFilterError, match="gang_scheduler"):
        operator_objects("", gang_scheduler="volcano", **SETTINGS)


def test_what_is_not_yaml_is_a_filter_error() -> None:
    operator_objects = FilterModule().filters()["training_operator_objects"]
    with pytest.raises(AnsibleFilterError, match="mapping values are not allowed"):
        operator_objects("a: b: c", **SETTINGS)


def test_a_template_of_no_use_is_a_filter_error() -> None:
    operator_objects = FilterModule().filters()["training_operator_objects"]
    with pytest.raises(AnsibleFilterError, match="must be a list of containers"):
        operator_objects("", **{**SETTINGS, "init_template": "name: wait"})
