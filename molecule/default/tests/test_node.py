"""Role node: what the host itself has."""

from __future__ import annotations

import pytest
from testinfra.host import Host


def test_everything_that_boots_came_up(node: Host) -> None:
    assert node.check_output("systemctl --failed --plain --no-legend") == ""


@pytest.mark.parametrize("package", ["conntrack", "ethtool", "iptables", "socat"])
def test_packages_are_installed(node: Host, package: str) -> None:
    assert node.package(package).is_installed


@pytest.mark.parametrize("key", ["net.ipv4.ip_forward", "net.bridge.bridge-nf-call-iptables"])
def test_the_network_is_set_for_pods_now_and_after_a_restart(node: Host, key: str) -> None:
    assert node.sysctl(key) == 1
    assert node.run(f"grep -rqE '^{key} *= *1' /etc/sysctl.d").succeeded


def test_the_proxies_which_may_hold_a_password_are_roots_alone(node: Host) -> None:
    file = node.file("/etc/mlstack/proxy.env")
    assert (file.user, file.mode) == ("root", 0o600)
