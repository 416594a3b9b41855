"""Changed settings reach the running processes, only those start again, and a bad one gives way to the old one."""

from __future__ import annotations

import json

import pytest

from tests.lab.support.lab import Lab, changes, recap

pytestmark = [pytest.mark.lab, pytest.mark.long]

PLAYBOOK = "playbooks/cluster.yml"
NAME = "api.example.test"
POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "rules": [
        {"level": "Request", "resources": [{"group": "", "resources": ["namespaces"]}]},
        {"level": "None"},
    ],
}
CHANGED = {
    "kubernetes_apiserver_arguments": {"max-requests-inflight": "311"},
    "kubernetes_audit_policy": POLICY,
    "kubernetes_max_pods": 77,
    "kubernetes_certificate_names": [NAME],
}


def extra(values: dict[str, object]) -> tuple[str, str]:
    return "-e", json.dumps(values)


def said(lab: Lab, command: str) -> str:
    return lab.told(lab.groups["kube_control_plane"][0], command)


def untouched(lab: Lab) -> str:
    """Return what shows that the other programs were not touched: etcd's process and all manifests but one."""
    others = "/etc/kubernetes/manifests/{etcd,kube-controller-manager,kube-scheduler}.yaml"
    return said(lab, f"pgrep --exact etcd; bash -c 'stat --format \"%n %y\" {others}'")


def served_names(lab: Lab) -> str:
    command = (
        "openssl s_client -connect 127.0.0.1:6443 </dev/null 2>/dev/null | openssl x509 -noout -ext subjectAltName"
    )
    return said(lab, command)


@pytest.fixture(scope="module")
def changed_lab(converged_lab: Lab) -> Lab:
    """A cluster in which four settings were changed at once."""
    before = untouched(converged_lab)
    foreseen = recap(converged_lab.run(PLAYBOOK, "--check", *extra(CHANGED)))
    counts = recap(converged_lab.run(PLAYBOOK, *extra(CHANGED)))
    assert {host for host in converged_lab.hosts if counts[host].changed} == converged_lab.hosts
    assert untouched(converged_lab) == before
    # Check mode has told what would be done, the restart of each kubelet too.
    assert {host: foreseen[host].changed for host in counts} == {host: counts[host].changed for host in counts}
    return converged_lab


def test_an_argument_is_that_of_the_running_process(changed_lab: Lab) -> None:
    assert "--max-requests-inflight=311" in said(
        changed_lab, "tr '\\0' '\\n' < /proc/$(pgrep --exact kube-apiserver)/cmdline"
    )


def test_the_certificate_that_is_shown_has_the_further_name(changed_lab: Lab) -> None:
    assert NAME in served_names(changed_lab)


def test_each_node_takes_as_many_pods_as_it_now_may(changed_lab: Lab) -> None:
    numbers = changed_lab.kubectl("get nodes --output 'jsonpath={.items[*].status.allocatable.pods}'")
    assert numbers.split() == ["77"] * len(changed_lab.hosts)


def test_the_audit_log_follows_the_new_policy(changed_lab: Lab) -> None:
    changed_lab.kubectl("create namespace audited")
    last = said(changed_lab, 'grep audited /var/log/kubernetes/audit/audit.log | grep \'"verb":"create"\' | tail -1')
    assert json.loads(last)["level"] == "Request"
    changed_lab.kubectl("delete namespace audited")


def test_files_of_former_settings_are_gone(changed_lab: Lab) -> None:
    manifest = said(changed_lab, "cat /etc/kubernetes/manifests/kube-apiserver.yaml")
    there = said(changed_lab, "cd /etc/kubernetes/mlstack; ls apiserver/a*").split()
    assert len(there) == 2
    assert [name for name in there if name not in manifest] == []


def test_the_run_after_changes_nothing(changed_lab: Lab) -> None:
    counts = recap(changed_lab.run(PLAYBOOK, *extra(CHANGED)))
    assert changes(counts) == {}


def test_what_a_cluster_keeps_for_life_is_refused_before_anything_changes(changed_lab: Lab) -> None:
    values = {
        **CHANGED,
        "mlstack_pod_cidr": "10.245.0.0/16",
        "mlstack_cluster_name": "other",
        "kubernetes_apiserver_arguments": {"max-requests-inflight": "311", "etcd-servers": "https://192.0.2.9:2379"},
    }
    run = changed_lab.start(PLAYBOOK, *extra(values))
    assert run.wait() != 0
    assert "3 problems, nothing was changed" in run.output
    for word in ("mlstack_pod_cidr = 10.245.0.0/16", "mlstack_cluster_name = other", "arguments.etcd-servers"):
        assert word in run.output
    counts = recap(changed_lab.run(PLAYBOOK, *extra(CHANGED)))
    assert changes(counts) == {}


def test_a_bad_argument_gives_way_to_the_old_settings_and_the_api_stays_up(changed_lab: Lab) -> None:
    run = changed_lab.start(PLAYBOOK, *extra({**CHANGED, "kubernetes_apiserver_arguments": {"no-such-flag": "1"}}))
    assert run.wait() != 0
    assert "unknown flag: --no-such-flag" in run.output
    assert "runs with those before again" in run.output
    assert "Correct it in the inventory" in run.output
    changed_lab.kubectl("get --raw /readyz")
    assert "--max-requests-inflight=311" in said(
        changed_lab, "tr '\\0' '\\n' < /proc/$(pgrep --exact kube-apiserver)/cmdline"
    )


def test_settings_that_are_taken_away_again_leave_nothing(changed_lab: Lab) -> None:
    changed_lab.run(PLAYBOOK)
    assert NAME not in served_names(changed_lab)
    counts = recap(changed_lab.run(PLAYBOOK))
    assert changes(counts) == {}
