# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of other distributions and their leftovers."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._host import info_rivals as node_info_rivals
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import rivals as checks_rivals
from tests.unit.plugins.plugin_utils._preflight.good_facts import GOOD_NODE, lines


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
