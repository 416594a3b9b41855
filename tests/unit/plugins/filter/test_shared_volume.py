# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter's own part: its name, and errors in the shape that Ansible prints."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.filter.shared_volume import FilterModule


def test_a_wrong_path_is_a_filter_error_that_shows_it() -> None:
    shared_volume_objects = FilterModule().filters()["shared_volume_objects"]
    with pytest.raises(AnsibleFilterError, match="path = 'data'"):
        shared_volume_objects(["a"], claim="shared", path="data", capacity="1Gi")


def test_the_backend_chooses_what_the_volume_is() -> None:
    shared_volume_objects = FilterModule().filters()["shared_volume_objects"]
    options = {"claim": "shared", "path": "/srv", "capacity": "1Gi"}
    kinds = [item["kind"] for item in shared_volume_objects(["a"], **options)]
    assert kinds == ["Namespace", "PersistentVolume", "PersistentVolumeClaim"]
    kinds = [item["kind"] for item in shared_volume_objects(["a"], **options, backend="claim", storage_class="fast")]
    assert kinds == ["Namespace", "PersistentVolumeClaim"]
