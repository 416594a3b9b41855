# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All checks together: one report, one table."""

from __future__ import annotations

from typing import Any

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem, report
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.judge import (
    ALL_CHECKS,
    Run,
    document,
    judge,
    notes,
    table,
)
from tests.unit.plugins.plugin_utils._preflight.good_facts import GOOD_GROUPS, GOOD_NODE

OPTIONS: dict[str, Any] = {
    "versions": {"mlstack_release": "2026.11"},
    "choices": {},
    "bootstrap": False,
    "check_mode": False,
    "ca_certificates": [],
    "pod_cidr": "10.244.0.0/16",
    "service_cidr": "10.96.0.0/12",
    "min_cpus": 2,
    "min_memory_mb": 1700,
    "min_worker_memory_mb": 900,
    "min_disk_mb": 4096,
    "min_inodes": 100000,
    "api_endpoint": "",
    "api_load_balancer": "none",
}
WORKER = {**GOOD_NODE, "name": "gpu-1", "address": "192.0.2.11", "addresses": ["192.0.2.11"]}


def run(hosts: dict[str, Any], **change: Any) -> Run:
    """Return a run that is right but for what is changed."""
    values: dict[str, Any] = {
        "groups": GOOD_GROUPS,
        "sources": ["hosts.ini"],
        "hosts": hosts,
        "options": OPTIONS,
        "releases": ["2026.11"],
        "arch": "amd64",
    }
    return Run(**{**values, **change})


WITH_GHOST = {**GOOD_GROUPS, "k8s_cluster": ["cp-1", "gpu-1", "ghost"], "kube_node": ["gpu-1", "ghost"]}
GOOD_HOSTS = {"cp-1": {"node": GOOD_NODE}, "gpu-1": {"node": WORKER}}


def test_a_new_host_is_judged_with_those_that_the_run_leaves_out() -> None:
    """As in a run with --limit: what concerns several hosts is found, and nothing is said about the old ones alone."""
    old = {**GOOD_NODE, "cluster_networks": ["192.0.2.0/24"], "clock_offset": {"low": 0.0, "high": 0.1}}
    new = {**WORKER, "cluster_networks": ["192.0.2.0/24"], "clock_offset": {"low": 0.0, "high": 0.1}}
    options = {**OPTIONS, "choices": {"mlstack_pod_network": "routes"}}

    def fields(node: dict[str, Any], **of_old: Any) -> list[tuple[str, str]]:
        neighbours = {"cp-1": {**old, **of_old}}
        found = judge(run({"gpu-1": {"node": node}}, neighbours=neighbours, options=options))
        return [(problem.host, problem.field) for problem in found]

    there = {"address": "198.51.100.7", "addresses": ["198.51.100.7"]}
    elsewhere = {**new, **there, "cluster_networks": ["198.51.100.0/24"]}
    doubled = {**new, "address": old["address"], "addresses": [old["address"]]}
    early, late = {"low": 2.9, "high": 3.0}, {"low": -3.0, "high": -2.9}
    assert fields(new) == []
    assert fields(elsewhere) == [("gpu-1", "mlstack_node_ip")]
    assert fields({**new, "name": old["name"]}) == [("", "mlstack_node_name")]
    assert fields(doubled) == [("", "mlstack_node_ip")]
    assert fields({**new, "clock_offset": early}, clock_offset=late) == [("", "clock")]
    assert fields(new, name="Not_Legal", address="no address") == []


def test_a_good_run_has_no_problem() -> None:
    assert judge(run(GOOD_HOSTS)) == []


def test_eight_problems_come_in_one_report() -> None:
    hosts = {
        "cp-1": {"node": {**GOOD_NODE, "cpus": 1, "systemd": False}},
        "gpu-1": {"node": {**WORKER, "name": "cp-1", "arch": "arm64"}, "versions": {"mlstack_release": 2026.11}},
        "ghost": {"node": {}, "error": "no route\nto host", "versions": {}},
    }
    options = {**OPTIONS, "choices": {"mlstack_gang_scheduler": "kueue"}}
    altered = Problem("/bundle/bin/kubelet", "sha256 1", "was altered", "Make it again")
    problems = judge(run(hosts, options=options, found=[altered], groups=WITH_GHOST))
    assert [(problem.host, problem.field) for problem in problems] == [
        ("", "mlstack_gang_scheduler"),
        ("", "mlstack_node_name"),
        ("", "/bundle/bin/kubelet"),
        ("cp-1", "systemd"),
        ("cp-1", "cpus"),
        ("gpu-1", "mlstack_release"),
        ("gpu-1", "architecture"),
        ("ghost", "connection"),
    ]
    text = report(problems)
    assert text.startswith("8 problems, nothing was changed:")
    assert len(text.splitlines()) == 9
    assert all(problem.way_out for problem in problems)


def test_a_value_that_all_hosts_share_is_told_once() -> None:
    versions = {"mlstack_release": 2026.11}
    hosts = {name: {**host, "versions": versions} for name, host in GOOD_HOSTS.items()}
    assert len(judge(run(hosts, options={**OPTIONS, "versions": versions}))) == 1


def test_a_host_without_python_is_one_problem_unless_it_gets_it_in_this_run() -> None:
    hosts = {**GOOD_HOSTS, "bare": {"node": {}, "error": "/usr/bin/python3 was not found", "python_missing": True}}
    groups = {**GOOD_GROUPS, "k8s_cluster": ["cp-1", "gpu-1", "bare"], "kube_node": ["gpu-1", "bare"]}
    (problem,) = judge(run(hosts, groups=groups))
    assert (problem.host, problem.field) == ("bare", "python3")
    assert "trainyard.mlstack.bootstrap --limit bare" in problem.way_out
    assert judge(run(hosts)) == [], "no play works on a host outside of all groups"
    later = {**OPTIONS, "bootstrap": True}
    for check_mode in (False, True):
        assert judge(run(hosts, groups=groups, options={**later, "check_mode": check_mode})) == []


def test_check_mode_needs_python_on_the_first_control_plane() -> None:
    hosts = {**GOOD_HOSTS, "cp-1": {"node": {}, "error": "/usr/bin/python3 was not found", "python_missing": True}}
    later = {**OPTIONS, "bootstrap": True}
    assert judge(run(hosts, options=later)) == []
    (problem,) = judge(run(hosts, options={**later, "check_mode": True}))
    assert (problem.host, problem.field) == ("cp-1", "python3")
    assert "check mode" in problem.rule


def test_a_host_outside_the_cluster_is_reached_but_not_judged() -> None:
    hosts = {**GOOD_HOSTS, "nas": {"node": {**GOOD_NODE, "distribution": "fedora"}, "error": ""}}
    assert judge(run(hosts)) == []


def test_a_bastion_that_cannot_be_read_is_no_problem() -> None:
    hosts = {**GOOD_HOSTS, "bastion": {"node": {}, "error": "sudo: a password is required"}}
    assert judge(run(hosts)) == []
    groups = {**GOOD_GROUPS, "nfs_server": ["bastion"]}
    assert [problem.host for problem in judge(run(hosts, groups=groups))] == ["bastion"]


def test_what_a_host_was_given_wins_over_the_defaults() -> None:
    old = {"node": {**GOOD_NODE, "cgroup_version": 1}}
    assert [problem.field for problem in judge(run({**GOOD_HOSTS, "cp-1": old}))] == ["cgroups"]
    old["options"] = {"fail_cgroup_v1": False}
    assert judge(run({**GOOD_HOSTS, "cp-1": old})) == []


def test_an_argument_that_another_option_sets_is_refused_on_control_planes() -> None:
    given = {"options": {"component_arguments": {"apiserver": {"etcd-servers": "https://192.0.2.9:2379"}}}}
    hosts = {name: {**host, **given} for name, host in GOOD_HOSTS.items()}
    (problem,) = judge(run(hosts))
    assert (problem.host, problem.field) == ("cp-1", "kubernetes_apiserver_arguments.etcd-servers")


def test_a_node_of_another_version_is_refused() -> None:
    state = {"ours": True, "kubelet_conf": True, "admin_conf": False, "stage": "done", "version": "1.36.3"}
    live = {**WORKER, "kubernetes": state}
    hosts = {**GOOD_HOSTS, "gpu-1": {"node": live}}
    (problem,) = judge(run(hosts, kubernetes_version="1.37.2"))
    assert (problem.host, problem.field) == ("gpu-1", "mlstack_release")


def test_warnings_are_no_problems_and_both_are_in_the_document() -> None:
    hosts = {**GOOD_HOSTS, "ghost": {"error": "no route to host"}}
    this = run(hosts, groups={**GOOD_GROUPS, "kube_node": ["gpu-1", "ghost"], "etcd": ["cp-1", "gpu-1"]})
    problems, warnings = judge(this), notes(this)
    made = document(this, problems, warnings)
    assert (made["check"], made["ok"], made["hosts"]) == ("preflight", False, ["cp-1", "gpu-1", "ghost"])
    assert [(problem["host"], problem["field"]) for problem in made["problems"]] == [("ghost", "connection")]
    assert set(made["problems"][0]) == {"host", "field", "value", "rule", "way_out"}
    assert [warning["field"] for warning in made["warnings"]] == ["group etcd"]
    assert document(run(GOOD_HOSTS), [], [])["ok"] is True


def test_variables_of_all_hosts_and_passwords_of_each() -> None:
    hosts = {
        "cp-1": {"node": GOOD_NODE, "variables": ["mlstack_x"]},
        "gpu-1": {"node": WORKER, "variables": ["mlstack_pod_cird"], "number_passwords": ["ansible_password"]},
    }
    this = run(hosts, known_variables=["mlstack_pod_cidr"])
    assert [(p.host, p.field) for p in judge(this)] == [("", "mlstack_pod_cird"), ("gpu-1", "ansible_password")]
    assert [note.field for note in notes(this)] == ["mlstack_x"]


def test_only_the_named_checks_run() -> None:
    bad = {"cp-1": {"node": {**GOOD_NODE, "systemd": False, "cpus": 1}}}
    problems = judge(run(bad, groups={}), ["node"])
    assert [problem.field for problem in problems] == ["systemd"]


def test_every_check_can_be_named() -> None:
    assert len(set(ALL_CHECKS)) == len(ALL_CHECKS) == 15


def test_the_table_shows_each_host_and_its_problems() -> None:
    hosts = {**GOOD_HOSTS, "ghost": {"node": {}, "error": "no route to host"}}
    this = run(hosts, groups=WITH_GHOST)
    head, *rows = table(this, judge(this)).splitlines()
    assert head.split()[0] == "host"
    assert [row.split()[0] for row in rows] == ["cp-1", "gpu-1", "ghost"]
    assert [row.split()[-1] for row in rows] == ["0", "0", "1"]
    assert "1700 MiB" in rows[0]
