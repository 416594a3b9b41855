# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs on a control plane, against a kubeadm that is played."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping, Sequence, Tuple

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm import Layout
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_plan import make_plan
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.static_pod import COMPONENTS

DOCUMENTS = [{"kind": "InitConfiguration"}, {"kind": "ClusterConfiguration"}]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    root = tmp_path / "kubernetes"
    (root / "manifests").mkdir(parents=True)
    for component in COMPONENTS:
        (root / "manifests" / f"{component}.yaml").write_text(f"{component} 1\n", encoding="utf-8")
    return Layout(kubernetes=str(root))


def kubeadm(wanted: Mapping[str, str]) -> Any:
    def run(command: Sequence[str], environment: Mapping[str, str]) -> Tuple[str, str]:
        assert "--dry-run" in command
        for component, text in wanted.items():
            Path(environment["KUBEADM_INIT_DRYRUN_DIR"], f"{component}.yaml").write_text(text, encoding="utf-8")
        return "", ""

    return run


def scratch(tmp_path: Path) -> str:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return str(folder)


def test_what_is_as_kubeadm_would_make_it_is_left_alone(layout: Layout, tmp_path: Path) -> None:
    same = {component: f"{component} 1\n" for component in COMPONENTS}
    plan = make_plan(layout, DOCUMENTS, scratch(tmp_path), kubeadm(same))
    assert plan.manifests == {}
    assert plan.names is None
    assert plan.diff(layout) == []


def test_only_the_component_that_differs_is_in_the_plan(layout: Layout, tmp_path: Path) -> None:
    wanted = {component: f"{component} 1\n" for component in COMPONENTS} | {"kube-scheduler": "kube-scheduler 2\n"}
    plan = make_plan(layout, DOCUMENTS, scratch(tmp_path), kubeadm(wanted))
    assert plan.manifests == {"kube-scheduler": ("kube-scheduler 1\n", "kube-scheduler 2\n")}
    (shown,) = plan.diff(layout)
    assert shown["before"] == "kube-scheduler 1\n"
    assert shown["after_header"].endswith("manifests/kube-scheduler.yaml")


def test_files_of_former_settings_are_told_and_no_other(layout: Layout, tmp_path: Path) -> None:
    folder = Path(layout.own, "apiserver")
    folder.mkdir(parents=True)
    old, new = "audit-policy-0123456789ab.yaml", "audit-policy-ba9876543210.yaml"
    kept = ("encryption-secretbox.yaml", "encryption-none.yaml", "audit-policy-mine.yaml", f".{old}.mlstack-new")
    for name in (old, new, "authentication-0123456789ab.yaml", *kept):
        (folder / name).write_text("kind: Policy\n", encoding="utf-8")
    wanted = {component: f"{component} 1\n" for component in COMPONENTS}
    wanted["kube-apiserver"] += f"    - --audit-policy-file={folder}/{new}\n"
    plan = make_plan(layout, DOCUMENTS, scratch(tmp_path), kubeadm(wanted))
    assert plan.stale == [str(folder / old), str(folder / "authentication-0123456789ab.yaml")]
    assert plan.diff(layout)[-2] == {
        "before_header": str(folder / old),
        "after_header": str(folder / old),
        "before": "kind: Policy\n",
        "after": "",
    }


def test_components_are_changed_in_the_order_in_which_they_need_each_other(layout: Layout, tmp_path: Path) -> None:
    wanted = {component: f"{component} 2\n" for component in reversed(COMPONENTS)}
    assert tuple(make_plan(layout, DOCUMENTS, scratch(tmp_path), kubeadm(wanted)).manifests) == COMPONENTS
