# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter tf_config, as templates use it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.filter.tf_config import FilterModule

CLUSTER = {"ps": ["ps-0:2222"], "worker": ["worker-0:2222", "worker-1:2222"]}
TF_CONFIG = FilterModule().filters()["tf_config"]


def test_the_text_is_what_tensorflow_reads() -> None:
    assert json.loads(TF_CONFIG(CLUSTER, "worker", "1")) == {
        "cluster": CLUSTER,
        "task": {"type": "worker", "index": 1},
        "environment": "cloud",
    }


@pytest.mark.parametrize(
    ("cluster", "index", "told"),
    [
        (CLUSTER, 2, "there is no task worker 2 in the cluster; it has ps 0 to 0, worker 0 to 1"),
        (CLUSTER, "many", "invalid literal"),
        (["ps-0:2222"], 0, "does not map task types to lists of addresses"),
        ({"worker": "worker-0:2222"}, 0, "does not map task types to lists of addresses"),
        ({"worker": 3}, 0, "does not map task types to lists of addresses"),
    ],
)
def test_refusals(cluster: Any, index: Any, told: str) -> None:
    with pytest.raises(AnsibleFilterError, match=told):
        TF_CONFIG(cluster, "worker", index)
