"""Role node: what the host itself has."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from testinfra.host import Host


def test_everything_that_boots_came_up(node: Host) -> None:
    assert node.check_output("systemctl --failed --plain --no-legend") == ""


@pytest.mark.parametrize("package", ["conntrack", "ethtool", "iptables", "socat"])
def test_packages_are_installed(node: Host, package: str) -> None:
    assert node.package(package).is_installed


def test_packages_are_held(node: Host, site: dict[str, Any]) -> None:
    assert set(site["node_held_packages"]) <= set(node.check_output("apt-mark showhold").split())


def test_nothing_is_swapped_now_or_after_a_restart(node: Host) -> None:
    assert node.check_output("systemctl list-units --type swap --state active --plain --no-legend") == ""
    assert node.run(r"grep -E '^[^#]+\sswap\s' /etc/fstab").stdout == ""


@pytest.mark.parametrize("module", ["overlay", "br_netfilter", "nf_conntrack"])
def test_kernel_modules_are_there_after_a_restart(node: Host, module: str) -> None:
    assert module in node.file("/etc/modules-load.d/mlstack.conf").content_string.split()


def test_the_kernel_has_what_pods_need_now(node: Host) -> None:
    assert "overlay" in node.file("/proc/filesystems").content_string
    assert node.file("/proc/sys/net/bridge/bridge-nf-call-iptables").exists
    assert node.file("/proc/sys/net/netfilter/nf_conntrack_max").exists


def test_the_time_is_the_controllers_and_nobody_else_sets_it(node: Host) -> None:
    """A container has its machine's clock: a service of its own would set that one."""
    before = time.time()
    there = float(node.check_output("date +%s.%N"))
    assert before - 5 < there < time.time() + 5
    for service in ("chrony", "systemd-timesyncd", "ntpsec"):
        assert not node.service(service).is_running


@pytest.mark.parametrize("key", ["net.ipv4.ip_forward", "net.bridge.bridge-nf-call-iptables"])
def test_the_network_is_set_for_pods_now_and_after_a_restart(node: Host, key: str) -> None:
    assert node.sysctl(key) == 1
    assert node.run(f"grep -rqE '^{key} *= *1' /etc/sysctl.d").succeeded


def test_other_kernel_settings_hold_now_and_after_a_restart(node: Host, site: dict[str, Any]) -> None:
    written = node.file("/etc/sysctl.d/99-zz-mlstack.conf").content_string
    for key, value in site["node_sysctls_extra"].items():
        assert str(node.sysctl(key)) == value
        assert f"{key} = {value}" in written


@pytest.mark.parametrize("service", ["containerd", "kubelet"])
def test_the_proxies_are_those_of_the_site_and_leave_all_networks_out(
    node: Host, site: dict[str, Any], service: str
) -> None:
    """As the running process has them: a service that was not restarted would show here."""
    pid = node.check_output(f"systemctl show --property MainPID --value {service}")
    lines = node.check_output(f"tr '\\0' '\\n' < /proc/{pid}/environ").splitlines()
    environment = dict(line.split("=", 1) for line in lines if "=" in line)
    assert environment["HTTP_PROXY"] == site["mlstack_http_proxy"]
    assert "HTTPS_PROXY" not in environment
    own = node.check_output("ip -4 route show scope link dev eth0 | head -n1").split()[0]
    wanted = {
        "localhost",
        "127.0.0.1",
        ".svc",
        "10.244.0.0/16",
        "10.96.0.0/12",
        own,
        "example.org",
        "198.51.100.0/24",
    }
    assert wanted <= set(environment["NO_PROXY"].split(","))


def test_the_sites_certificate_is_trusted(node: Host, site: dict[str, Any]) -> None:
    home = str(Path.home())
    (path,) = (
        entry.replace("{{ lookup('ansible.builtin.env', 'HOME') }}", home) for entry in site["mlstack_ca_certificates"]
    )
    body = Path(path).read_text(encoding="utf-8").splitlines()[1]
    assert node.check_output(f"grep -c '{body}' /etc/ssl/certs/ca-certificates.crt") == "1"


def test_the_proxies_which_may_hold_a_password_are_roots_alone(node: Host) -> None:
    file = node.file("/etc/mlstack/proxy.env")
    assert (file.user, file.mode) == ("root", 0o600)
