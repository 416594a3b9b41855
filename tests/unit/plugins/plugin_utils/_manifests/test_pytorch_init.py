# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The template of PyTorchJob's init containers: what the role brings, and which ones are refused."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.pytorch_init import init_containers
from tests.support.paths import ROOT

TEMPLATE = (ROOT / "roles/training_operator/files/pytorch_init.yaml").read_text()


def filled(tries: int = 3) -> dict[str, Any]:
    """Return the role's container as the operator makes it for job bert."""
    text = init_containers(TEMPLATE, "example.org/busybox:1")
    for name, value in (("MasterAddr", "bert-master-0"), ("InitContainerImage", "b:1"), ("MaxTries", str(tries))):
        text = text.replace("{{." + name + "}}", value)
    container: dict[str, Any]
    (container,) = yaml.safe_load(text)
    return container


def test_the_roles_container_meets_the_restricted_standard_and_has_limits() -> None:
    container = filled()
    assert container["image"] == "b:1"
    assert container["imagePullPolicy"] == "IfNotPresent"
    security = container["securityContext"]
    assert security["runAsNonRoot"] is True
    assert security["runAsUser"] > 0
    assert security["allowPrivilegeEscalation"] is False
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    for part in ("requests", "limits"):
        assert set(container["resources"][part]) == {"cpu", "memory"}


# What nslookup prints where the pod's first search domain knows the name and the others do not, and where none does.
FOUND = "Server:  10.96.0.10\nName:\tbert-master-0.team-a.svc.cluster.local\nAddress: 10.244.1.7\n** NXDOMAIN\n"
MISSING = "Server:  10.96.0.10\n** server can't find bert-master-0.team-a.svc.cluster.local: NXDOMAIN\n"


@pytest.mark.parametrize(("answers", "status", "asked"), [([MISSING, FOUND], 0, 2), ([MISSING], 1, 3)])
def test_it_waits_until_the_name_is_known_whatever_nslookup_says_of_other_names(
    tmp_path: Path, answers: list[str], status: int, asked: int
) -> None:
    for index, answer in enumerate(answers, start=1):
        (tmp_path / f"answer{index}").write_text(answer)
    programs = {
        "nslookup": 'echo "$1" >> asked; n=$(wc -l < asked); cat "answer$n" 2>/dev/null || cat answer1; exit 1',
        "sleep": "exit 0",
    }
    for name, body in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    container = filled(tries=3)
    argv = [*container["command"], *container["args"]]
    done = subprocess.run(argv, cwd=tmp_path, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, timeout=60, check=False)
    assert done.returncode == status
    assert (tmp_path / "asked").read_text().split() == ["bert-master-0"] * asked


def test_without_an_image_there_is_none() -> None:
    assert yaml.safe_load(init_containers(TEMPLATE, "")) == []


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("- {name: a, image: '{{.Image}}'}", r"may hold \{\{\.MasterAddr\}\}, .*; found .\{\{\.Image\}\}"),
        ("- {name: a, image: b", "is not YAML"),
        ("name: a", "must be a list of containers: it is a dict"),
        ("", "it is a NoneType"),
        ("- {name: a, image: b}\n- {name: c}\n- d", "entry 1 has no image, entry 2 has no name, entry 2 has no image"),
    ],
)
def test_a_template_from_which_no_worker_can_be_made_is_refused(template: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        init_containers(template, "example.org/busybox:1")


def test_another_template_is_taken_as_it_is() -> None:
    template = "- name: wait\n  image: {{ .InitContainerImage }}\n"
    assert init_containers(template, "i:1") == template
