# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every check: a table of what is right and what is wrong, and the way out that is named."""

from __future__ import annotations

import ipaddress
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem
from ansible_collections.trainyard.mlstack.plugins.module_utils._host import info_rivals as node_info_rivals
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import containerd as checks_containerd
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import inventory as checks_inventory
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import kubernetes as checks_kubernetes
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import names as checks_names
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import networks as checks_networks
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import node as checks_node
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import options as checks_options
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import resolver as checks_resolver
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import rivals as checks_rivals
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import swap as checks_swap

GOOD_GROUPS = {
    "all": ["cp-1", "gpu-1"],
    "kube_control_plane": ["cp-1"],
    "kube_node": ["gpu-1"],
    "k8s_cluster": ["cp-1", "gpu-1"],
}
GOOD_NODE: dict[str, Any] = {
    "name": "cp-1",
    "address": "192.0.2.10",
    "addresses": ["192.0.2.10", "2001:db8::1"],
    "architecture": "x86_64",
    "arch": "amd64",
    "distribution": "debian",
    "distribution_version": "12",
    "kernel": "6.1.0-18-amd64",
    "python": "3.11.2",
    "systemd": True,
    "clock": 1000.0,
    "clock_offset": {"low": -0.2, "high": 0.3},
    "cgroup_version": 2,
    "routes": [{"network": "192.0.2.0/24", "interface": "eth0", "gateway": ""}],
    "modules": {"overlay": "loaded", "br_netfilter": "available"},
    "packages": {},
    "cpus": 2,
    "memory_mb": 1700,
    "disks": {"/": {"size_mb": 50000, "free_mb": 30000, "inodes": 3000000, "inodes_free": 2000000, "device": 1}},
    "kubernetes": {"kubelet_conf": False, "ours": False},
    "containerd": {"running": False, "ours": False, "version": None},
    "runtimes": [],
    "firewall": {"manager": "", "tables": []},
    "rivals": {"distributions": {}, "leftovers": [], "cni": [], "interfaces": []},
    "resolver": {"nameservers": ["192.0.2.1"], "file": "/etc/resolv.conf", "pods_nameservers": ["192.0.2.1"]},
    "swaps": [],
    "swap_makers": [],
    "memory_available_mb": 1000,
    "container": "",
}


ONE_PLANE = {"api_endpoint": "", "api_load_balancer": "none"}


def lines(problems: list[Problem]) -> str:
    """Return all problems as one text."""
    return "\n".join(problem.line() for problem in problems)


class TestInventory:
    """Hosts and groups."""

    def test_hosts_are_there(self) -> None:
        assert checks_inventory.inventory_checks({"groups": GOOD_GROUPS, "sources": []}, {}) == []

    def test_no_host_names_the_sources(self) -> None:
        facts = {"groups": {"all": [], "ungrouped": []}, "sources": ["/tmp/empty.ini"]}
        text = lines(checks_inventory.inventory_checks(facts, {}))
        assert "/tmp/empty.ini" in text
        assert "ansible-inventory -i" in text

    def test_good_groups(self) -> None:
        assert checks_inventory.group_checks({"groups": GOOD_GROUPS}, ONE_PLANE) == []

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"kube_node": []}, ["group kube_node", "[kube_node]"]),
            ({"kube_control_plane": []}, ["group kube_control_plane", "[kube_control_plane]"]),
            (
                {"kube_control_plane": [], "kube-master": ["cp-1"]},
                ["kube-master", "[kube_control_plane:children] and kube-master"],
            ),
            ({"kube_node": [], "kube-node": ["gpu-1"]}, ["[kube_node:children] and kube-node"]),
            (
                {"k8s_cluster": [], "k8s-cluster": ["x"]},
                ["group k8s-cluster", "x would be left out", "[k8s_cluster:children] and k8s-cluster"],
            ),
            (
                {"kube-node": ["gpu-2"]},
                ["group kube-node", "gpu-2 would be left out", "[kube_node:children] and kube-node"],
            ),
            ({"kube-deploy": ["admin"]}, ["group kube-deploy", "admin would be left out", "[kube_node:children]"]),
            ({"etcd": ["db-1", "cp-1"]}, ["group etcd = db-1:", "kube_control_plane"]),
        ],
    )
    def test_bad_groups(self, change: dict[str, list[str]], words: list[str]) -> None:
        groups = checks_inventory.completed({**GOOD_GROUPS, **change})
        problems = checks_inventory.group_checks({"groups": groups}, ONE_PLANE)
        assert len(problems) == 1
        for word in words:
            assert word in lines(problems)

    @pytest.mark.parametrize(
        "change",
        [
            {
                "kube-master": ["cp-1"],
                "kube-node": ["gpu-1"],
                "k8s-cluster": ["cp-1", "gpu-1"],
                "kube-deploy": ["cp-1"],
            },
            {"etcd": ["cp-1"]},
            {"etcd": ["cp-1", "gpu-1"]},
            {"bastion": ["b"], "all": ["b", "cp-1", "gpu-1"]},
        ],
    )
    def test_old_groups_that_the_new_ones_hold_and_other_groups_are_no_problem(self, change: dict[str, Any]) -> None:
        assert checks_inventory.group_checks({"groups": {**GOOD_GROUPS, **change}}, ONE_PLANE) == []

    def test_an_inventory_of_old_names_alone_is_told_all_lines(self) -> None:
        groups = {"all": ["a", "b"], "kube-master": ["a"], "kube-node": ["b"], "k8s-cluster": ["a", "b"]}
        text = lines(checks_inventory.group_checks({"groups": groups}, ONE_PLANE))
        for new, old in (
            ("kube_control_plane", "kube-master"),
            ("kube_node", "kube-node"),
            ("k8s_cluster", "k8s-cluster"),
        ):
            assert f"[{new}:children] and {old}" in text

    def test_etcd_on_a_worker_is_worth_a_warning(self) -> None:
        groups = {**GOOD_GROUPS, "etcd": ["cp-1", "gpu-1"]}
        notes = checks_inventory.group_notes({"groups": groups}, ONE_PLANE)
        assert [note.value for note in notes] == ["gpu-1"]
        assert checks_inventory.group_notes({"groups": GOOD_GROUPS}, ONE_PLANE) == []

    @pytest.mark.parametrize(
        ("planes", "endpoint", "balancer", "words"),
        [
            (1, "", "none", []),
            (3, "api.example.org:6443", "none", []),
            (3, "", "local", []),
            (3, "", "none", ["mlstack_api_load_balancer: local"]),
            (2, "api:6443", "none", ["must be odd: etcd", "2 hosts bear the loss of no more than 1 would"]),
            (4, "", "none", ["must be odd", "mlstack_api_endpoint"]),
            (1, "api:6443", "local", ["Leave out one of the two"]),
        ],
    )
    def test_control_planes(self, planes: int, endpoint: str, balancer: str, words: list[str]) -> None:
        hosts = [f"cp-{number}" for number in range(planes)]
        groups = {**GOOD_GROUPS, "kube_control_plane": hosts, "k8s_cluster": [*hosts, "gpu-1"]}
        options = {"api_endpoint": endpoint, "api_load_balancer": balancer}
        problems = checks_inventory.group_checks({"groups": groups}, options)
        assert bool(problems) == bool(words)
        for word in words:
            assert word in lines(problems)

    def test_a_host_in_both_groups_counts_once(self) -> None:
        groups = {"kube_control_plane": ["a"], "kube_node": ["b", "a"]}
        assert checks_inventory.cluster_hosts(groups) == ["a", "b"]


class TestOptions:
    """Values of the run as a whole."""

    GOOD = {"versions": {"mlstack_release": "2026.11"}, "choices": {}, "ca_certificates": []}
    FACTS = {"releases": ["2026.10", "2026.11"], "files": {}}

    def test_good(self) -> None:
        assert checks_options.checks(self.FACTS, self.GOOD) == []

    @pytest.mark.parametrize(
        ("name", "value", "quoted"),
        [
            ("mlstack_release", 2026.11, '"2026.11"'),
            ("mlstack_release", 2026.1, '"2026.10"'),
            ("mlstack_kubernetes_version", 1.37, '"1.37"'),
            ("mlstack_x_version", 2, '"2"'),
        ],
    )
    def test_a_number_is_refused_with_its_quoted_form(self, name: str, value: object, quoted: str) -> None:
        problems = checks_options.checks(self.FACTS, {**self.GOOD, "versions": {name: value}})
        assert [problem.field for problem in problems] == [name]
        assert f"{name}: {quoted}" in problems[0].way_out
        assert f"{name}='{quoted}'" in problems[0].way_out

    @pytest.mark.parametrize(
        ("name", "value", "known"),
        [
            ("mlstack_gang_scheduler", "kueue", "native, volcano, none"),
            ("mlstack_bundle_source", "mirror", "upstream, build, auto"),
            ("mlstack_shared_volume_backend", "nfs", "hostpath"),
            ("mlstack_samples", ["tfjob_parameter_server", "mnist"], "tfjob_parameter_server"),
        ],
    )
    def test_unknown_choice(self, name: str, value: object, known: str) -> None:
        problems = checks_options.checks(self.FACTS, {**self.GOOD, "choices": {name: value}})
        assert len(problems) == 1
        assert problems[0].field == name
        assert known in problems[0].rule

    @pytest.mark.parametrize("value", ["native", "volcano", "none"])
    def test_known_choice(self, value: str) -> None:
        assert checks_options.checks(self.FACTS, {**self.GOOD, "choices": {"mlstack_gang_scheduler": value}}) == []

    @pytest.mark.parametrize(
        ("text", "word"),
        [
            (None, "no such file"),
            ("-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----", "private key"),
            ("binary", "PEM"),
            ("-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n", ""),
        ],
    )
    def test_certificates(self, text: str | None, word: str) -> None:
        facts = {**self.FACTS, "files": {"/ca.pem": text}}
        problems = checks_options.checks(facts, {**self.GOOD, "ca_certificates": ["/ca.pem"]})
        assert len(problems) == bool(word)
        assert word in lines(problems)
        assert "BEGIN" not in lines(problems)


class TestNetworks:
    """Pod and service network."""

    NODE = {**GOOD_NODE, "address_secondary": "2001:db8::1"}
    FACTS: dict[str, Any] = {"hosts": {"cp-1": NODE, "ghost": {}}, "groups": GOOD_GROUPS}

    @pytest.mark.parametrize(
        ("pod", "service", "field", "word"),
        [
            ("10.244.0.0/16", "10.96.0.0/12", None, ""),
            ("10.244.0.1/16", "10.96.0.0/12", "mlstack_pod_cidr", "host bits"),
            ("x", "10.96.0.0/12", "mlstack_pod_cidr", "10.244.0.0/16"),
            ("10.100.0.0/16", "10.96.0.0/12", "mlstack_pod_cidr", "overlap"),
            ("10.0.0.0/8", "10.96.0.0/12", "mlstack_pod_cidr", "overlap"),
            ("10.244.0.0/24", "10.96.0.0/12", "mlstack_pod_cidr", "2 nodes"),
            ("10.244.0.0/26", "10.96.0.0/12", "mlstack_pod_cidr", "2 nodes"),
            ("10.244.0.0/23", "10.96.0.0/12", None, ""),
            ("10.0.0.0/7", "172.16.0.0/16", "mlstack_pod_cidr", "at most /8"),
            ("10.244.0.0/16", "10.96.0.0/29", "mlstack_service_cidr", "at least /28"),
            ("10.244.0.0/16,10.245.0.0/16", "10.96.0.0/12", "mlstack_pod_cidr", "one of IPv4 and one of IPv6"),
            ("10.244.0.0/16,fd00:1::/56", "10.96.0.0/12", "mlstack_service_cidr", "same IP versions"),
            ("10.244.0.0/16, fd00:1::/56", "10.96.0.0/12,fd00:2::/108", None, ""),
            ("fd00:1::/56,10.244.0.0/16", "10.96.0.0/12,fd00:2::/108", "mlstack_service_cidr", "same order"),
            ("10.244.0.0/16,fd00:1::/64", "10.96.0.0/12,fd00:2::/108", "mlstack_pod_cidr", "enough for 1 of the 2"),
            ("10.244.0.0/16,fd00:1::/112", "10.96.0.0/12,fd00:2::/108", "mlstack_pod_cidr", "enough for 0 of the 2"),
            ("10.244.0.0/16,fd00::/47", "10.96.0.0/12,fd01::/108", "mlstack_pod_cidr", "at most /48"),
            ("10.244.0.0/16,fd00:1::/56", "10.96.0.0/12,fd00:2::/107", "mlstack_service_cidr", "/108"),
            ("10.244.0.0/16,fd00:1::/56", "10.96.0.0/12,fd00:1::/108", "mlstack_pod_cidr", "overlap"),
            ("fd00:1::/56", "fd00:2::/108", "mlstack_node_ip", "must be of IPv6"),
            ("172.16.0.0/16", "10.0.0.0/8", "mlstack_service_cidr", "/12"),
            ("192.0.2.0/23", "10.96.0.0/12", "mlstack_pod_cidr", "192.0.2.10"),
            ("10.244.0.0/16", "192.0.2.0/24", "mlstack_service_cidr", "192.0.2.10"),
        ],
    )
    def test_networks(self, pod: str, service: str, field: str | None, word: str) -> None:
        problems = checks_networks.checks(self.FACTS, {"pod_cidr": pod, "service_cidr": service})
        assert [problem.field for problem in problems] == ([field] if field else [])
        assert word in lines(problems)

    @pytest.mark.parametrize(
        ("network", "interface", "gateway", "ours", "refused", "noted"),
        [
            ("10.244.7.0/24", "eth1", "", False, True, False),
            ("10.0.0.0/8", "eth1", "", False, True, False),
            ("10.244.7.0/24", "eth0", "192.0.2.1", False, True, False),
            ("10.0.0.0/8", "eth0", "192.0.2.1", False, False, True),
            ("172.17.0.0/16", "docker0", "", False, False, False),
            ("10.244.1.0/24", "cni0", "", False, False, False),
            ("10.244.2.0/24", "flannel.1", "10.244.2.0", False, False, False),
            ("10.244.2.0/24", "eth0", "192.0.2.11", True, False, False),
        ],
    )
    def test_routes(self, network: str, interface: str, gateway: str, ours: bool, refused: bool, noted: bool) -> None:
        route = {"network": network, "interface": interface, "gateway": gateway}
        node = {**self.NODE, "routes": [route], "kubernetes": {"ours": ours}}
        facts = {"hosts": {"cp-1": node}, "groups": GOOD_GROUPS}
        options = {"pod_cidr": "10.244.0.0/16", "service_cidr": "192.168.0.0/16"}
        problems, notes = checks_networks.checks(facts, options), checks_networks.notes(facts, options)
        assert (len(problems), len(notes)) == (refused, noted)
        assert all(problem.host == "cp-1" and network in problem.rule for problem in problems + notes)

    def test_a_dual_stack_node_needs_both_addresses(self) -> None:
        facts = {"hosts": {"cp-1": {**GOOD_NODE, "address_secondary": None}}, "groups": GOOD_GROUPS}
        options = {"pod_cidr": "10.244.0.0/16,fd00:1::/56", "service_cidr": "10.96.0.0/12,fd00:2::/108"}
        problems = checks_networks.checks(facts, options)
        assert [(problem.host, problem.field) for problem in problems] == [("cp-1", "mlstack_node_ip")]
        assert "none of IPv6" in problems[0].rule

    @given(
        st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 32)),
        st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 32)),
    )
    def test_overlap_is_what_python_says(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        pod, service = (ipaddress.IPv4Network(pair, strict=False) for pair in (one, other))
        facts = {"hosts": {}, "groups": GOOD_GROUPS}
        problems = checks_networks.checks(facts, {"pod_cidr": str(pod), "service_cidr": str(service)})
        assert any("overlap" in problem.rule for problem in problems) == pod.overlaps(service)

    @given(st.text(max_size=40), st.text(max_size=40))
    def test_any_text_is_judged_and_none_breaks_the_check(self, pod: str, service: str) -> None:
        assert checks_networks.checks(self.FACTS, {"pod_cidr": pod, "service_cidr": service})

    def test_an_address_that_is_none_is_no_error_here(self) -> None:
        facts = {"hosts": {"cp-1": {**GOOD_NODE, "address": "banana"}}, "groups": GOOD_GROUPS}
        assert checks_networks.checks(facts, {"pod_cidr": "10.244.0.0/16", "service_cidr": "10.96.0.0/12"}) == []


class TestNames:
    """Node names and addresses."""

    @pytest.mark.parametrize("name", ["gpu-node01.example.org", "a", "101", "a" * 63, ".".join(["a" * 61] * 4)])
    def test_legal(self, name: str) -> None:
        assert checks_names.checks({"hosts": {"h": {"name": name, "address": None}}}, {}) == []

    @pytest.mark.parametrize(
        "name",
        [
            "gpu_2",
            "-a",
            "a-",
            "a..b",
            "a" * 64,
            ".".join(["a" * 50] * 5),
            ".".join(["a" * 62] * 4) + ".aa",
            "A",
            "",
            "ä",
            "a\n",
        ],
    )
    def test_illegal(self, name: str) -> None:
        """FC-30: an underscore, too long, capitals; the kubelet's lower case is node_info's work."""
        problems = checks_names.checks({"hosts": {"h": {"name": name, "address": None}}}, {})
        assert [(problem.host, problem.field) for problem in problems] == [("h", "mlstack_node_name")]

    @pytest.mark.parametrize(
        ("key", "values", "field"),
        [
            ("name", ("a", "a"), "mlstack_node_name"),
            ("name", ("A", "a"), "mlstack_node_name"),
            ("address", ("192.0.2.1", "192.0.2.1"), "mlstack_node_ip"),
            ("address_secondary", ("fd00::1", "FD00::1"), "mlstack_node_ip"),
        ],
    )
    def test_doubles(self, key: str, values: tuple[str, str], field: str) -> None:
        hosts = {"A": {key: values[0]}, "a": {key: values[1]}, "b": {key: "c"}, "ghost": {}}
        problems = [p for p in checks_names.checks({"hosts": hosts}, {}) if not p.host]
        assert [problem.field for problem in problems] == [field]
        assert "hosts A, a" in problems[0].rule

    @given(st.from_regex(checks_names.LEGAL, fullmatch=True))
    def test_what_is_legal_is_what_kubernetes_takes(self, name: str) -> None:
        problems = checks_names.checks({"hosts": {"h": {"name": name}}}, {})
        assert bool(problems) == (len(name) > 253)


class TestNode:
    """One host."""

    OPTIONS = {"arch": "amd64"}

    def test_good(self) -> None:
        assert checks_node.checks(GOOD_NODE, self.OPTIONS) == []

    @pytest.mark.parametrize(
        ("change", "field", "word"),
        [
            ({"distribution": "fedora", "distribution_version": "42"}, "distribution", "ubuntu 22.04"),
            ({"distribution_version": "11"}, "distribution", "debian 12, 13"),
            ({"arch": "arm64", "architecture": "aarch64"}, "architecture", "amd64"),
            ({"arch": None, "architecture": "riscv64"}, "architecture", "riscv64"),
            ({"kernel": "4.18.0-80"}, "kernel", "4.19"),
            ({"python": "3.7.3"}, "python", "3.8"),
            ({"systemd": False}, "systemd", "process 1"),
            ({"address": None}, "mlstack_node_ip", "default route"),
            ({"address": "198.51.100.1"}, "mlstack_node_ip", "192.0.2.10"),
            ({"address_secondary": "fd00::9"}, "mlstack_node_ip", "2001:db8::1"),
            ({"modules": {"br_netfilter": "absent"}}, "kernel module br_netfilter", "absent"),
        ],
    )
    def test_bad(self, change: dict[str, Any], field: str, word: str) -> None:
        problems = checks_node.checks({**GOOD_NODE, **change}, self.OPTIONS)
        assert [problem.field for problem in problems] == [field]
        assert word in lines(problems)

    @pytest.mark.parametrize(
        "change",
        [
            {"kernel": "4.19.0"},
            {"kernel": None, "distribution": None, "distribution_version": None, "addresses": None},
            {"distribution": "ubuntu", "distribution_version": "26.04"},
            {"address_secondary": "2001:db8::1"},
        ],
    )
    def test_at_the_limit_or_unknown(self, change: dict[str, Any]) -> None:
        assert checks_node.checks({**GOOD_NODE, **change}, self.OPTIONS) == []

    def test_without_a_bundle_the_architecture_is_not_judged(self) -> None:
        assert checks_node.checks({**GOOD_NODE, "arch": "arm64"}, {**self.OPTIONS, "arch": ""}) == []


class TestContainerd:
    """Rivals of the bundle's containerd."""

    @pytest.mark.parametrize(
        ("packages", "names"),
        [
            (None, []),
            ({}, []),
            ({"socat": {"version": "1"}}, []),
            ({"containerd.io": {"version": "1.7"}}, ["containerd.io 1.7"]),
        ],
    )
    def test_packages(self, packages: dict[str, Any] | None, names: list[str]) -> None:
        problems = checks_containerd.checks({**GOOD_NODE, "packages": packages}, {})
        assert [problem.value for problem in problems] == names

    @pytest.mark.parametrize(
        ("change", "fields", "word"),
        [
            ({"containerd": {"running": True, "ours": True, "version": "2.4.2"}}, [], ""),
            ({"containerd": {"running": None, "ours": False, "version": None}, "runtimes": None}, [], ""),
            (
                {"containerd": {"running": True, "ours": False, "version": "1.7.1"}},
                ["containerd"],
                "running, version 1.7.1",
            ),
            (
                {
                    "containerd": {"running": True, "ours": False, "version": "1.7.1"},
                    "packages": {"containerd.io": {"version": "1.7.1"}},
                },
                ["package"],
                "apt-get remove containerd.io",
            ),
            ({"runtimes": ["docker"]}, ["container runtime"], "apt-get remove docker.io"),
            ({"runtimes": ["cri-o"]}, ["container runtime"], "crio"),
        ],
    )
    def test_others_that_run(self, change: dict[str, Any], fields: list[str], word: str) -> None:
        problems = checks_containerd.checks({**GOOD_NODE, **change}, {})
        assert [problem.field for problem in problems] == fields
        assert word in lines(problems)


class TestRivals:
    """Another Kubernetes."""

    @pytest.mark.parametrize(
        ("change", "fields", "words"),
        [
            ({}, [], []),
            ({"distributions": {"k3s": ["k3s.service"]}}, ["k3s"], ["k3s.service", "k3s-uninstall.sh", "stack alone"]),
            (
                {"leftovers": ["/etc/kubernetes/kubelet.conf", "/var/lib/kubelet/pki"], "interfaces": ["cni0"]},
                ["cluster"],
                ["kubeadm or kubespray", "mlstack_kubeconfig", "kubeadm reset"],
            ),
            (
                {"leftovers": ["/var/lib/etcd/member", "/var/lib/kubelet/pki"]},
                ["leftovers of a cluster"],
                ["rm -rf /var/lib/etcd/member /var/lib/kubelet/pki"],
            ),
            (
                {"cni": ["/etc/cni/net.d/87-podman.conflist"], "interfaces": ["flannel.1", "cni0"]},
                ["CNI configuration", "network interfaces"],
                ["mv /etc/cni/net.d/87-podman.conflist", "flannel.1, cni0", "ip link delete"],
            ),
        ],
    )
    def test_rivals(self, change: dict[str, Any], fields: list[str], words: list[str]) -> None:
        problems = checks_rivals.checks({**GOOD_NODE, "rivals": {**GOOD_NODE["rivals"], **change}}, {"choices": {}})
        assert [problem.field for problem in problems] == fields
        for word in words:
            assert word in lines(problems)

    def test_a_user_who_brings_the_network_may_have_put_its_configuration_there(self) -> None:
        node = {**GOOD_NODE, "rivals": {**GOOD_NODE["rivals"], "cni": ["/etc/cni/net.d/05-mine.conflist"]}}
        assert checks_rivals.checks(node, {"choices": {"mlstack_pod_network": "none"}}) == []
        assert len(checks_rivals.checks(node, {"choices": {"mlstack_pod_network": "flannel"}})) == 1

    def test_every_distribution_has_a_way_out(self) -> None:
        assert set(checks_rivals.REMOVALS) == set(node_info_rivals.DISTRIBUTIONS)

    def test_what_could_not_be_read_is_not_judged(self) -> None:
        assert checks_rivals.checks({**GOOD_NODE, "rivals": None}, {}) == []


class TestResolver:
    """Names outside the cluster."""

    @pytest.mark.parametrize(
        ("servers", "word"),
        [
            (["192.0.2.1", "2001:db8::53"], ""),
            (["127.0.0.53"], "ask itself without end"),
            (["192.0.2.1", "127.0.0.1"], "ask itself without end"),
            (["::1"], "ask itself without end"),
            ([], "does not start without a server"),
        ],
    )
    def test_nameservers(self, servers: list[str], word: str) -> None:
        node = {**GOOD_NODE, "resolver": {"file": "/etc/resolv.conf", "pods_nameservers": servers}}
        problems = checks_resolver.checks(node, {"kubelet_settings": {}, "resolv_conf": ""})
        assert [problem.field for problem in problems] == ["nameserver in /etc/resolv.conf"] * bool(word)
        assert word in lines(problems)
        assert checks_resolver.checks(node, {"kubelet_settings": {"resolvConf": "/x"}, "resolv_conf": ""}) == []
        assert checks_resolver.checks(node, {"kubelet_settings": {}, "resolv_conf": "/x"}) == []


class TestSwap:
    """What turns swap off is role node's; what it cannot is a problem."""

    SWAP: ClassVar = [{"path": "/dev/sda2", "size_mb": 1024, "used_mb": 100}]

    @pytest.mark.parametrize(
        ("change", "options", "word"),
        [
            ({"swaps": SWAP}, {}, ""),
            ({"swaps": None, "swap_makers": None}, {}, ""),
            ({"swaps": SWAP, "memory_available_mb": 99}, {}, "into the 99 MiB of memory"),
            ({"swaps": SWAP, "memory_available_mb": None}, {}, ""),
            ({"swaps": SWAP, "container": "podman"}, {}, "machine below"),
            ({"swaps": SWAP, "container": "podman"}, {"fail_swap_on": False}, ""),
            ({"swaps": SWAP}, {"swap": "keep"}, 'node_swap: "off"'),
            ({"swaps": SWAP}, {"swap": "keep", "fail_swap_on": False}, ""),
            ({}, {"swap": "keep"}, ""),
            ({"swap_makers": ["zramswap.service"]}, {}, "systemctl disable --now zramswap.service"),
            ({"swap_makers": ["zramswap.service"]}, {"fail_swap_on": False}, ""),
        ],
    )
    def test_swap(self, change: dict[str, Any], options: dict[str, Any], word: str) -> None:
        problems = checks_swap.checks({**GOOD_NODE, **change}, {"swap": "off", "fail_swap_on": True, **options})
        assert [problem.field for problem in problems] == ["swap"] * bool(word)
        assert word in lines(problems)


class TestKubernetes:
    """What kubeadm asks of a host."""

    OPTIONS = {
        "control_plane": True,
        "min_cpus": 2,
        "min_memory_mb": 1700,
        "min_worker_memory_mb": 900,
        "fail_cgroup_v1": True,
    }

    def test_good(self) -> None:
        assert checks_kubernetes.checks(GOOD_NODE, self.OPTIONS) == []

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"cpus": 1}, "cpus"),
            ({"memory_mb": 1699}, "memory"),
            ({"cgroup_version": 1}, "cgroups"),
            ({"packages": {"kubelet": {"version": "1.36.0"}}}, "package"),
        ],
    )
    def test_bad(self, change: dict[str, Any], field: str) -> None:
        problems = checks_kubernetes.checks({**GOOD_NODE, **change}, self.OPTIONS)
        assert [problem.field for problem in problems] == [field]

    def test_a_worker_may_be_small(self) -> None:
        options = {**self.OPTIONS, "control_plane": False}
        assert checks_kubernetes.checks({**GOOD_NODE, "cpus": 1, "memory_mb": 900}, options) == []
        problems = checks_kubernetes.checks({**GOOD_NODE, "cpus": 1, "memory_mb": 899}, options)
        assert [problem.rule for problem in problems] == ["a worker needs at least 900 MiB"]

    def test_the_old_hierarchy_can_be_accepted_by_name(self) -> None:
        options = {**self.OPTIONS, "fail_cgroup_v1": False}
        assert checks_kubernetes.checks({**GOOD_NODE, "cgroup_version": 1}, options) == []

    def test_what_cannot_be_read_is_not_judged(self) -> None:
        unknown = {"cpus": None, "memory_mb": None, "packages": None, "cgroup_version": None, "kubernetes": None}
        assert checks_kubernetes.checks({**GOOD_NODE, **unknown}, self.OPTIONS) == []
