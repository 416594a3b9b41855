# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventory files that Ansible drops, or reads in part, with status 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.inventory_sources import source_problems

GOOD_INI = "[kube_node]\ngpu-1 ansible_host=192.0.2.11\n[k8s_cluster:children]\nkube_node\n[kube_node:vars]\na=1\n"


def judged(folder: Path, name: str, text: str) -> list[Problem]:
    """Return the problems of one file."""
    (folder / name).write_text(text)
    return source_problems([str(folder / name)])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hosts.ini", GOOD_INI),
        ("hosts", GOOD_INI),
        ("empty.ini", ""),
        ("hosts.yml", "kube_node: {hosts: {gpu-1: {a: !vault x}, '101': }}\n"),
        ("hosts", "kube_node: {hosts: {gpu-1: }}\n"),
        ("hosts.yml", "$ANSIBLE_VAULT;1.1;AES256\n3132\n"),
        ("cloud.aws_ec2.yml", "plugin: amazon.aws.aws_ec2\nregions: [eu-west-1]\n"),
        ("hosts.toml", "[["),
        ("quoted.ini", "[kube_node]\ngpu-1 ansible_become_pass='\"ab#cd\"' # a comment\n"),
        ("later.ini", "[kube_node]\ngpu-1 # ansible_become_pass=ab#cd\n; gpu-2 ansible_password=a#b\n"),
        ("vars.ini", "[kube_node]\ngpu-1\n[kube_node:vars]\nansible_become_pass=ab#cd\n"),
    ],
)
def test_what_ansible_takes_is_no_problem(tmp_path: Path, name: str, text: str) -> None:
    assert judged(tmp_path, name, text) == []


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("hosts.ini", "[kube_node]\ngpu-1\nno such line ] at all =\n", ["got: such"]),
        ("hosts.ini", "[all]\na\n[k8s_cluster:children]\nkube_master\n", ["kube_master"]),
        ("hosts.yml", "kube_node:\n  hosts: [gpu-1\n", ["flow sequence"]),
        ("hosts.yml", "- gpu-1\n", ["cannot parse it"]),
        ("hosts", "[kube_node\n= [\n", ["cannot parse it"]),
    ],
)
def test_what_ansible_drops_is_told_with_the_reason(tmp_path: Path, name: str, text: str, words: list[str]) -> None:
    (problem,) = judged(tmp_path, name, text)
    assert (problem.field, problem.value) == ("inventory file", str(tmp_path / name))
    assert "ansible-inventory -i" in problem.way_out
    for word in words:
        assert word in problem.rule


@pytest.mark.parametrize(
    ("text", "name", "where"),
    [
        ("kube_node:\n  hosts:\n    101:\n    gpu-1:\n", "101", "kube_node.hosts"),
        ("all:\n  children:\n    kube_node: {hosts: {7: {ansible_host: 192.0.2.7}}}\n", "7", "kube_node.hosts"),
        ("all:\n  children:\n    42: {hosts: {a: }}\n", "42", "all.children"),
        ("5: {hosts: {a: }}\n", "5", "the top"),
    ],
)
def test_a_number_as_a_name(tmp_path: Path, text: str, name: str, where: str) -> None:
    """FC-30, measured: the file is dropped and the run ends with status 0."""
    (problem,) = judged(tmp_path, "hosts.yml", text)
    assert "number unless it is quoted" in problem.rule
    assert problem.way_out == f"Write it as '{name}': below {where}"


@pytest.mark.parametrize("name", ["ansible_become_pass", "ansible_password", "ansible_ssh_pass"])
def test_a_password_that_is_cut_off(tmp_path: Path, name: str) -> None:
    """FC-33, measured: ab#cd on a host line arrives as ab."""
    (problem,) = judged(tmp_path, "hosts.ini", f"[kube_node]\ngpu-1 x=1 {name}=s3cr#et\ngpu-2 {name}=good\n")
    assert (problem.host, problem.field) == ("gpu-1", name)
    assert "s3cr" not in problem.line()
    assert f"{name}='\"<password>\"'" in problem.way_out


def test_a_folder_is_read_as_ansible_does(tmp_path: Path) -> None:
    for name in ("10-hosts.ini", "group_vars/all.yml", "host_vars/gpu-1.yml", ".hidden", "old.ini.bak", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(GOOD_INI if name == "10-hosts.ini" else "5: [broken")
    script = tmp_path / "script.sh"
    script.write_text("#!/bin/sh\necho {}\n")
    script.chmod(0o755)
    assert source_problems([str(tmp_path)]) == []
    (tmp_path / "20-more.yml").write_text("kube_node: {hosts: {101: }}\n")
    assert [problem.value for problem in source_problems([str(tmp_path), "gpu-1,"])] == [str(tmp_path / "20-more.yml")]
