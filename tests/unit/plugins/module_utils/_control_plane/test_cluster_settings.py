# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster keeps of its settings, against kubeadm and kubectl that are played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Mapping, Sequence, Tuple

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.cluster_settings import (
    ANNOTATION,
    apply,
    blocks,
    make_plan,
    rewrite_secrets,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm import Layout
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_plan import SettingsError


def config_map(name: str, key: str, text: str) -> str:
    body = "".join(f"    {line}\n" for line in text.splitlines())
    metadata = f"metadata:\n  name: {name}\n  namespace: kube-system\n"
    return f"apiVersion: v1\ndata:\n  {key}: |\n{body}kind: ConfigMap\n{metadata}"


class Cluster:
    """stored: name -> key -> text, as the cluster has it. wanted: the same, as kubeadm would store it."""

    def __init__(self, stored: Mapping[str, Mapping[str, str]], wanted: Mapping[str, Mapping[str, str]]) -> None:
        self.items: dict[str, dict[str, Any]] = {
            f"ConfigMap/{name}": {"kind": "ConfigMap", "metadata": {"name": name}, "data": dict(data)}
            for name, data in stored.items()
        }
        pods = {"kind": "DaemonSet", "metadata": {"name": "kube-proxy"}, "spec": {"template": {"metadata": {}}}}
        self.items["DaemonSet/kube-proxy"] = pods
        self.wanted = wanted
        self.calls: list[Sequence[str]] = []

    def run(self, command: Sequence[str], _environment: Mapping[str, str]) -> Tuple[str, str]:
        if "get" in command:
            return json.dumps({"items": list(self.items.values())}), ""
        if "--dry-run" in command:
            parts = [
                config_map(name, *pair) for name in ("kubeadm-config", "kubelet-config") for pair in self._pairs(name)
            ]
            return "[upload-config] something\n---\n" + "---\n".join(parts), ""
        if "--print-manifest" in command:
            return "---\n".join(config_map("kube-proxy", *pair) for pair in self._pairs("kube-proxy")), ""
        self.calls.append(command)
        if "patch" in command:
            kind = {"configmap": "ConfigMap", "daemonset": "DaemonSet"}[command[command.index("patch") + 1]]
            merge(self.items[f"{kind}/kube-proxy"], json.loads(command[-1]))
        else:
            name = f"{command[4]}-config"
            self.items[f"ConfigMap/{name}"]["data"] = dict(self.wanted[name])
        return "", ""

    def _pairs(self, name: str) -> list[tuple[str, str]]:
        return list(self.wanted[name].items())


def merge(target: dict[str, Any], patch: Mapping[str, Any]) -> None:
    for key, value in patch.items():
        if isinstance(value, dict):
            target[key] = target.get(key) or {}
            merge(target[key], value)
        else:
            target[key] = value


def settings(pods: int = 110, mode: str = "iptables") -> dict[str, dict[str, str]]:
    return {
        "kubeadm-config": {"ClusterConfiguration": "kind: ClusterConfiguration\n"},
        "kubelet-config": {"kubelet": f"maxPods: {pods}\n"},
        "kube-proxy": {"config.conf": f"mode: {mode}\n"},
    }


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    (tmp_path / "kubernetes/mlstack").mkdir(parents=True)
    (tmp_path / "kubernetes/mlstack/cluster.json").write_text('{"secrets": "secretbox"}', encoding="utf-8")
    return Layout(kubernetes=str(tmp_path / "kubernetes"))


def scratch(tmp_path: Path, name: str) -> str:
    (tmp_path / name).mkdir()
    return str(tmp_path / name)


def test_what_is_stored_already_is_left_alone(layout: Layout, tmp_path: Path) -> None:
    cluster = Cluster(settings(), settings())
    assert not make_plan(layout, [], "secretbox", scratch(tmp_path, "a"), cluster.run).changed


def test_only_what_differs_is_stored_and_the_proxy_stays(layout: Layout, tmp_path: Path) -> None:
    cluster = Cluster(settings(), settings(pods=77))
    plan = make_plan(layout, [], "secretbox", scratch(tmp_path, "a"), cluster.run)
    assert set(plan.stored) == {"kubelet-config"}
    assert not plan.restart_proxy
    assert plan.steps() == ["stored: kubelet-config"]
    apply(layout, plan, [], scratch(tmp_path, "b"), cluster.run)
    assert len(cluster.calls) == 1
    assert not make_plan(layout, [], "secretbox", scratch(tmp_path, "c"), cluster.run).changed


def test_the_proxys_pods_start_again_with_another_configuration(layout: Layout, tmp_path: Path) -> None:
    cluster = Cluster(settings(), settings(mode="nftables"))
    plan = make_plan(layout, [], "secretbox", scratch(tmp_path, "a"), cluster.run)
    apply(layout, plan, [], scratch(tmp_path, "b"), cluster.run)
    template = cluster.items["DaemonSet/kube-proxy"]["spec"]["template"]["metadata"]
    assert template["annotations"][ANNOTATION]
    assert not make_plan(layout, [], "secretbox", scratch(tmp_path, "c"), cluster.run).changed


def test_a_run_that_was_killed_between_configuration_and_pods_is_ended(layout: Layout, tmp_path: Path) -> None:
    cluster = Cluster(settings(), settings())
    merge(cluster.items["ConfigMap/kube-proxy"], {"metadata": {"annotations": {ANNOTATION: "new"}}})
    plan = make_plan(layout, [], "secretbox", scratch(tmp_path, "a"), cluster.run)
    assert plan.restart_proxy
    apply(layout, plan, [], scratch(tmp_path, "b"), cluster.run)
    assert cluster.items["DaemonSet/kube-proxy"]["spec"]["template"]["metadata"]["annotations"] == {ANNOTATION: "new"}


@pytest.mark.parametrize("annotations", [None, {}, {"of": "others"}])
def test_a_configuration_that_somebody_has_replaced_is_marked_again(
    layout: Layout, tmp_path: Path, annotations: dict[str, str] | None
) -> None:
    cluster = Cluster(settings(), settings())
    cluster.items["ConfigMap/kube-proxy"]["metadata"]["annotations"] = annotations
    template = cluster.items["DaemonSet/kube-proxy"]["spec"]["template"]["metadata"]
    template["annotations"] = {ANNOTATION: "old"}
    plan = make_plan(layout, [], "secretbox", scratch(tmp_path, "a"), cluster.run)
    assert plan.steps() == ["pods of kube-proxy: started again"]
    apply(layout, plan, [], scratch(tmp_path, "b"), cluster.run)
    assert template["annotations"][ANNOTATION] not in ("old", "", None)
    again = make_plan(layout, [], "secretbox", scratch(tmp_path, "c"), cluster.run)
    assert (again.changed, again.steps()) == (False, [])


def test_a_cluster_without_a_proxy_is_given_none(layout: Layout, tmp_path: Path) -> None:
    cluster = Cluster(settings(), settings())
    del cluster.items["ConfigMap/kube-proxy"]
    assert not make_plan(layout, [], "secretbox", scratch(tmp_path, "a"), cluster.run).changed


def test_secrets_are_written_again_once_for_each_switch(layout: Layout, tmp_path: Path) -> None:
    cluster = Cluster(settings(), settings())
    assert make_plan(layout, [], "none", scratch(tmp_path, "a"), cluster.run).rewrite
    rewrite_secrets(layout, "none", lambda: None)
    assert not make_plan(layout, [], "none", scratch(tmp_path, "b"), cluster.run).rewrite


def test_a_secret_that_changes_meanwhile_is_tried_again(layout: Layout) -> None:
    answers = iter(["conflict", None])
    rewrite_secrets(layout, "none", lambda: next(answers))
    with pytest.raises(SettingsError, match="run the playbook once more: conflict"):
        rewrite_secrets(layout, "secretbox", lambda: "conflict")


def test_texts_are_read_as_kubeadm_writes_them() -> None:
    text = "data:\n  a: |\n    x: 1\n    y:\n      - 2\n\n    z: 3\n  b: |-\n    no line break\nkind: ConfigMap\n"
    assert blocks(text) == {"a": "x: 1\ny:\n  - 2\n\nz: 3\n", "b": "no line break"}


def test_a_kubeadm_that_shows_nothing_is_told(layout: Layout, tmp_path: Path) -> None:
    cluster = Cluster(settings(), {**settings(), "kube-proxy": {}})
    with pytest.raises(SettingsError, match="kube-proxy"):
        make_plan(layout, [], "secretbox", scratch(tmp_path, "a"), cluster.run)
