# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.containerd_images import Held
from ansible_collections.trainyard.mlstack.plugins.modules.container_image import outcome

IMAGE = {"name": "pause", "ref": "registry.k8s.io/pause:3.10.2", "digest": "sha256:aaa", "sha256": "0" * 64}


def test_check_mode_without_containerd_predicts_every_import(run_module: Any) -> None:
    told = run_module("container_image", check=True, bundle="/none", images=[IMAGE])
    assert (told["changed"], told["imported"]) == (True, [IMAGE["ref"]])
    assert told["diff"] == {"before": f"{IMAGE['ref']} absent\n", "after": f"{IMAGE['ref']} sha256:aaa\n"}


def test_without_containerd_it_fails_and_names_the_way_out(run_module: Any) -> None:
    failed = run_module("container_image", bundle="/none", images=[IMAGE])
    assert failed["failed"] is True
    assert "run the role containerd first" in failed["msg"]


def test_pinning_alone_is_a_change_but_no_import() -> None:
    result = outcome([], [IMAGE], {IMAGE["ref"]: Held("sha256:aaa", pinned=False)})
    assert (result["changed"], result["imported"]) == (True, [])
    assert outcome([], [], {})["changed"] is False
