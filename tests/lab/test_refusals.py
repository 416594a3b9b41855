"""Bad inventories and bundles: refused before any change, all problems together, each with the way out.

No lab is needed: the hosts of these inventories are this machine, and no play that changes anything may begin.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab.support.lab import BIN, recap
from tests.support.paths import ROOT

pytestmark = pytest.mark.lab

GROUPS = """
[kube_control_plane]
cp-1
[kube_node]
gpu-1
[k8s_cluster:children]
kube_control_plane
kube_node
"""
OLD_GROUPS = """
[kube-master]
cp-1
[kube-node]
gpu-1
[k8s-cluster:children]
kube-master
kube-node
"""
# The plays of preflight; any other one in the output has begun to change something.
PLAYS = {"Check the inventory", "Check the hosts"}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of one program that is what its index says."""
    folder = tmp_path / "bundle"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "kubelet").write_bytes(b"program")
    entry = {
        "path": "bin/kubelet",
        "kind": "program",
        "name": "kubelet",
        "sha256": hashlib.sha256(b"program").hexdigest(),
        "size": 7,
        "mode": "0755",
        "source": "build",
    }
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
    index = {"release": "2026.11", "architecture": architecture, "files": [entry]}
    (folder / "index.json").write_text(json.dumps(index))
    return folder


def refusal(
    folder: Path,
    inventory: str,
    variables: dict[str, object],
    *arguments: str,
    playbook: str = "site.yml",
    name: str = "hosts.ini",
    **environment: str,
) -> list[str]:
    """Run a playbook on the inventory, which must be refused with nothing changed; return its problems, one a line."""
    path = folder / name
    path.write_text(inventory)
    extra = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable, **variables}
    command = [BIN / "ansible-playbook", "-i", path, playbook, "-e", json.dumps(extra), *arguments]
    given = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "LC_ALL": "C.UTF-8", "COLUMNS": "400", **environment}
    whole = {**os.environ, **given}
    done = subprocess.run(command, cwd=ROOT, env=whole, capture_output=True, text=True, check=False, timeout=300)
    output = done.stdout + done.stderr
    assert done.returncode != 0, output
    assert set(re.findall(r"^PLAY \[(.*?)\]", output, re.MULTILINE)) <= PLAYS, output
    assert [count.changed for count in recap(output).values() if count.changed] == [], output
    # Ansible shows the text twice, as the error of the task and as the result of the host.
    text = output[output.rindex("nothing was changed:") :]
    problems = re.findall(r"^\s+\d+\. (.*)$", text, re.MULTILINE)
    assert f"{len(problems)} problem" in output, output
    return problems


def matching(problems: list[str], *words: str) -> list[str]:
    """Return the problems that hold all the words."""
    return [problem for problem in problems if all(word in problem for word in words)]


@pytest.mark.parametrize("text", ["", "[kube_control_plane:children]\nno such line ] at all =\n"])
def test_an_inventory_without_hosts(tmp_path: Path, bundle: Path, text: str) -> None:
    problems = refusal(tmp_path, text, {"mlstack_bundle_dir": str(bundle)})
    assert len(problems) == 1 + bool(text)
    assert len(matching(problems, "inventory file", "cannot parse it")) == bool(text)
    assert matching(problems, str(tmp_path / "hosts.ini"), "Ansible found no host", "ansible-inventory -i")


def test_a_needed_group_without_hosts(tmp_path: Path, bundle: Path) -> None:
    inventory = GROUPS.replace("gpu-1\n", "")
    problems = refusal(tmp_path, inventory, {"mlstack_bundle_dir": str(bundle)})
    assert matching(problems, "group kube_node = no host", "Name at least one host below the line [kube_node]")


def test_old_group_names(tmp_path: Path, bundle: Path) -> None:
    """FC-31: never status 0 with nothing done, but the lines to add."""
    problems = refusal(tmp_path, OLD_GROUPS, {"mlstack_bundle_dir": str(bundle)})
    assert matching(problems, "[kube_control_plane:children] and kube-master")
    assert matching(problems, "[kube_node:children] and kube-node")
    assert matching(problems, "k8s-cluster", "k8s_cluster")


def test_old_group_names_that_ansible_transforms(tmp_path: Path) -> None:
    """FC-31, measured: with transformation `always` the file is dropped, as its children name no known group."""
    problems = refusal(tmp_path, OLD_GROUPS, {}, ANSIBLE_TRANSFORM_INVALID_GROUP_CHARS="always")
    assert matching(problems, "inventory = ", "Ansible found no host") or matching(problems, "group kube_node")
    assert matching(problems, "inventory file = ", "kube-master") or matching(problems, "kube_master")


def test_a_number_as_the_name_of_a_host(tmp_path: Path) -> None:
    """FC-30, measured: the file is dropped and the run ends with status 0."""
    inventory = "kube_control_plane: {hosts: {cp-1: }}\nkube_node: {hosts: {101: }}\n"
    problems = refusal(tmp_path, inventory, {}, name="hosts.yml")
    assert matching(problems, "inventory = ", "Ansible found no host")
    assert matching(problems, "inventory file = ", "Write it as '101': below kube_node.hosts")


@pytest.mark.parametrize("release", [2026.11, 2026.1])
def test_a_version_given_as_a_number(tmp_path: Path, bundle: Path, release: float) -> None:
    variables = {"mlstack_bundle_dir": str(bundle), "mlstack_release": release}
    problems = refusal(tmp_path, GROUPS, variables)
    assert len(matching(problems, f"mlstack_release = {release}", "must be text", "Put it in quotes")) == 1


def test_a_version_given_as_a_number_on_one_host_line(tmp_path: Path, bundle: Path) -> None:
    inventory = GROUPS.replace("gpu-1\n", "gpu-1 mlstack_release=2026.11\n")
    problems = refusal(tmp_path, inventory, {"mlstack_bundle_dir": str(bundle)})
    assert matching(problems, "gpu-1: mlstack_release = 2026.11", "mlstack_release='\"2026.11\"'")


def test_an_unknown_release(tmp_path: Path, bundle: Path) -> None:
    problems = refusal(tmp_path, GROUPS, {"mlstack_bundle_dir": str(bundle), "mlstack_release": "1999.01"})
    assert matching(problems, "mlstack_release = 1999.01", "known: ", "2026.11", "mlstack_release_dirs")


def test_a_bundle_that_is_not_there(tmp_path: Path) -> None:
    problems = refusal(tmp_path, GROUPS, {"mlstack_bundle_dir": str(tmp_path / "nothing")})
    assert matching(problems, f"mlstack_bundle_dir = {tmp_path}/nothing", "index.json", "trainyard.mlstack.bundle")


def test_an_altered_bundle_file(tmp_path: Path, bundle: Path) -> None:
    (bundle / "bin" / "kubelet").write_bytes(b"altered")
    problems = refusal(tmp_path, GROUPS, {"mlstack_bundle_dir": str(bundle)})
    listed = hashlib.sha256(b"program").hexdigest()
    assert matching(problems, f"{bundle}/bin/kubelet", "was altered", listed, "trainyard.mlstack.bundle")


def test_two_hosts_with_one_node_name(tmp_path: Path, bundle: Path) -> None:
    inventory = GROUPS.replace("gpu-1\n", "A mlstack_node_name=Same\na mlstack_node_name=same\n")
    problems = refusal(tmp_path, inventory, {"mlstack_bundle_dir": str(bundle)})
    assert matching(problems, "mlstack_node_name = same", "hosts A, a have the same", "Set mlstack_node_name for each")


def test_a_host_that_cannot_be_reached_is_one_problem_among_others(tmp_path: Path, bundle: Path) -> None:
    inventory = GROUPS.replace("gpu-1\n", "gpu-1 mlstack_node_name=under_score\nghost\n")
    # Nothing listens on the discard port of this machine, so ssh is refused at once.
    inventory += "[all:vars]\nansible_port=9\n"
    reach = "{{ 'ssh' if inventory_hostname == 'ghost' else 'local' }}"
    variables = {"mlstack_bundle_dir": str(bundle), "ansible_connection": reach, "ansible_host": "127.0.0.1"}
    problems = refusal(tmp_path, inventory, variables)
    assert matching(problems, "ghost: connection = ", "--limit 'all:!ghost'")
    assert matching(problems, "gpu-1: mlstack_node_name = under_score", "DNS-1123")


@pytest.mark.parametrize("mode", [(), ("--check",)])
def test_the_report_for_programs_holds_the_same_problems(tmp_path: Path, bundle: Path, mode: tuple[str, ...]) -> None:
    report = tmp_path / "reports" / "preflight.json"
    variables = {"mlstack_bundle_dir": str(bundle), "mlstack_report_file": str(report), "mlstack_node_name": "node_1"}
    problems = refusal(tmp_path, GROUPS, variables, *mode, playbook="playbooks/preflight.yml")
    told = json.loads(report.read_text())
    assert (told["check"], told["ok"], told["hosts"]) == ("preflight", False, ["cp-1", "gpu-1"])
    lines = [f"{one['field']} = {one['value']}: {one['rule']}. {one['way_out']}" for one in told["problems"]]
    hosts = [f"{one['host']}: " if one["host"] else "" for one in told["problems"]]
    assert [host + line for host, line in zip(hosts, lines)] == problems


def test_an_inventory_without_hosts_is_in_the_report_too(tmp_path: Path) -> None:
    report = tmp_path / "preflight.json"
    refusal(tmp_path, "", {"mlstack_report_file": str(report)})
    assert [problem["field"] for problem in json.loads(report.read_text())["problems"]] == ["inventory"]


def test_all_problems_are_listed_together_also_under_limit(tmp_path: Path, bundle: Path) -> None:
    (bundle / "bin" / "kubelet").unlink()
    inventory = GROUPS.replace("cp-1\n", "cp-1\ncp-2 mlstack_node_ip=198.51.100.7\n")
    inventory = inventory.replace("gpu-1\n", "gpu_1 ansible_become_pass=123456\ngpu_2 ansible_become_pass=ab#cd\n")
    inventory += "[all:vars]\nmlstack_node_name=node_1\n"
    variables = {
        "mlstack_bundle_dir": str(bundle),
        "mlstack_gang_scheduler": "kueue",
        "mlstack_pod_cidr": "10.96.0.0/16",
        "mlstack_ca_certificates": [str(tmp_path / "none.pem")],
        "mlstack_kubernetes_version": 1.37,
        "mlstack_pod_cird": "10.1.0.0/16",
        "mlstack_api_endpoint": "api.example.org",
        "mlstack_registries": ["registry.example.org"],
    }
    problems = refusal(tmp_path, inventory, variables, "--limit", "cp-2,gpu_1")
    expected = [
        ("group kube_control_plane = cp-1, cp-2", "must be odd"),
        ("mlstack_pod_cird = set", "Did you mean mlstack_pod_cidr?"),
        ("mlstack_registries = set", "it must be a list"),
        ("mlstack_api_endpoint = api.example.org", "host:port"),
        ("gpu_1: ansible_become_pass = a number", "must be text"),
        ("gpu_2: ansible_become_pass = cut off at #",),
        ("mlstack_kubernetes_version = 1.37", '"1.37"'),
        ("mlstack_gang_scheduler = kueue", "native"),
        ("mlstack_ca_certificates", "none.pem"),
        ("mlstack_pod_cidr = 10.96.0.0/16", "overlap"),
        ("cp-2: mlstack_node_name = node_1", "DNS-1123"),
        # The first control plane is left out of the run, and read to judge the others.
        ("mlstack_node_name = node_1", "hosts cp-1, cp-2, gpu_1 have the same"),
        ("bin/kubelet", "missing"),
        ("cp-2: mlstack_node_ip = 198.51.100.7", "must be an address of the host"),
    ]
    assert [words for words in expected if not matching(problems, *words)] == []


def test_a_new_host_alone_is_judged_with_the_cluster_it_comes_to(tmp_path: Path, bundle: Path) -> None:
    """Under --limit too: here both hosts are this very machine, so that they have one name."""
    problems = refusal(tmp_path, GROUPS, {"mlstack_bundle_dir": str(bundle)}, "--limit", "gpu-1")
    assert matching(problems, "mlstack_node_name = ", "hosts cp-1, gpu-1 have the same")
    assert not matching(problems, "cp-1: ")


def test_packages_are_asked_of_hosts_that_have_python(tmp_path: Path) -> None:
    inventory = "build-1\nbuild-2\n"
    interpreter = "{{ '/nowhere/python3' if inventory_hostname == 'build-2' else '" + sys.executable + "' }}"
    variables = {"ansible_python_interpreter": interpreter}
    (problem,) = refusal(tmp_path, inventory, variables, playbook="playbooks/bundle_packages.yml")
    assert matching([problem], "build-2: python3 = absent", "trainyard.mlstack.bootstrap --limit build-2")
