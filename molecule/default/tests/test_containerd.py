"""Role containerd: the program, its configuration as it takes it, and its images."""

from __future__ import annotations

from typing import Any

import pytest
import tomllib
from testinfra.host import Host


@pytest.fixture
def effective(node: Host) -> dict[str, Any]:
    """What containerd makes of its configuration: a drop-in or a wrong version would show here and nowhere else."""
    return tomllib.loads(node.check_output("containerd config dump"))


def test_it_runs_and_will_run_after_a_restart(node: Host) -> None:
    service = node.service("containerd")
    assert service.is_running
    assert service.is_enabled


def test_it_is_the_one_of_the_release(node: Host, release: dict[str, Any]) -> None:
    assert release["components"]["containerd"] in node.check_output("containerd --version")


@pytest.mark.parametrize("path", ["/usr/local/bin/containerd", "/usr/local/sbin/runc", "/opt/cni/bin/bridge"])
def test_programs_are_roots_and_executable(node: Host, path: str) -> None:
    file = node.file(path)
    assert (file.user, file.group, file.mode) == ("root", "root", 0o755)


def test_pods_get_their_cgroups_from_systemd(effective: dict[str, Any]) -> None:
    runtime = effective["plugins"]["io.containerd.cri.v1.runtime"]
    assert runtime["containerd"]["runtimes"]["runc"]["options"]["SystemdCgroup"] is True


def test_the_sandbox_is_the_release_s_and_stays(node: Host, effective: dict[str, Any], release: dict[str, Any]) -> None:
    images = effective["plugins"]["io.containerd.cri.v1.images"]
    assert images["pinned_images"]["sandbox"] == release["images"]["pause"]
    assert "io.cri-containerd.pinned=pinned" in node.check_output(
        f"ctr --namespace k8s.io images ls name=={release['images']['pause']}"
    )


def test_registries_are_read_from_their_own_files(effective: dict[str, Any]) -> None:
    assert effective["plugins"]["io.containerd.cri.v1.images"]["registry"]["config_path"] == "/etc/containerd/certs.d"


def test_a_registry_of_plain_http_is_reached_as_the_site_says(node: Host, site: dict[str, Any]) -> None:
    (registry,) = site["mlstack_registries"]
    hosts = tomllib.loads(node.file(f"/etc/containerd/certs.d/{registry['host']}/hosts.toml").content_string)
    assert hosts["server"] == registry["server"]


def test_other_registries_have_no_setting(node: Host, site: dict[str, Any]) -> None:
    assert node.file("/etc/containerd/certs.d").listdir() == [
        registry["host"] for registry in site["mlstack_registries"]
    ]
