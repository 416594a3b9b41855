"""Check mode ran on bare nodes before this: they must be as bare as it found them."""

from __future__ import annotations

from pathlib import Path

import pytest
from testinfra.host import Host


def test_node_runs_a_whole_debian(node: Host) -> None:
    assert node.system_info.distribution == "debian"
    assert node.check_output("systemctl is-system-running") == "running"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/kubernetes",
        "/etc/containerd",
        "/etc/cni",
        "/opt/cni",
        "/usr/local/bin/containerd",
        "/usr/local/bin/kubelet",
    ],
)
def test_check_mode_wrote_nothing(node: Host, path: str) -> None:
    assert not node.file(path).exists


def test_check_mode_set_nothing(node: Host) -> None:
    assert node.check_output("find /etc/sysctl.d /etc/modules-load.d -type f -name '*.conf'") == ""


@pytest.mark.parametrize("package", ["conntrack", "socat", "ethtool"])
def test_check_mode_installed_nothing(node: Host, package: str) -> None:
    assert not node.package(package).is_installed


def test_check_mode_fetched_no_kubeconfig(lab_dir: Path) -> None:
    assert not (lab_dir / "kubeconfig").exists()
