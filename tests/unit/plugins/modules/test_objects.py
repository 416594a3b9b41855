# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any

CONFIG_MAP: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "n"}}


def test_a_kubeconfig_that_does_not_exist(run_module: Any, tmp_path: Path) -> None:
    options = {"kubeconfig": str(tmp_path / "none"), "objects": [CONFIG_MAP]}
    refused = run_module("objects", **options)
    assert refused["failed"]
    assert f"kubeconfig = {tmp_path}/none" in refused["msg"]
    predicted = run_module("objects", check=True, **options)
    assert (predicted["changed"], predicted["objects"][0]["result"]) == (True, "created")
    assert predicted["diff"][0]["after"] == CONFIG_MAP
    for state, result in (("absent", "absent"), ("ready", "unchanged")):
        predicted = run_module("objects", check=True, state=state, **options)
        assert (predicted["changed"], predicted["objects"][0]["result"]) == (False, result)


def test_the_kubeconfig_of_the_environment(run_module: Any, tmp_path: Path) -> None:
    refused = run_module("objects", objects=[CONFIG_MAP], env={"KUBECONFIG": str(tmp_path / "theirs")})
    assert f"kubeconfig = {tmp_path}/theirs" in refused["msg"]


def test_all_problems_of_the_list_at_once(run_module: Any) -> None:
    refused = run_module("objects", objects=[{"kind": "Pod"}, CONFIG_MAP, CONFIG_MAP], kubeconfig="/not/there")
    assert "2 problems, nothing was changed" in refused["msg"]


def test_the_invocation_holds_no_objects(run_module: Any) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s"},
        "stringData": {"password": "a-secret-word"},
    }
    predicted = run_module("objects", check=True, objects=[secret], kubeconfig="/not/there")
    # Newer versions of ansible-core leave the invocation out unless they are asked for it.
    assert predicted.get("invocation", {}).get("module_args", {}).get("objects", "1 objects") == "1 objects"
    assert "a-secret-word" not in str(predicted)
