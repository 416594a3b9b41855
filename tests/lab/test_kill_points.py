"""A run is killed in the middle of long work on a node; the next one ends well, the one after it changes nothing."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import Callable

import pytest

from tests.lab.conftest import WITHOUT_SAMPLES
from tests.lab.lab import Lab

pytestmark = pytest.mark.lab


@dataclass(frozen=True)
class Point:
    """Long work on a node. group: whose first host does it. process: what its command line looks like there."""

    group: str
    process: str

    def host(self, lab: Lab) -> str:
        """Return the host on which it is waited for."""
        return lab.groups[self.group][0]

    def reached(self, lab: Lab) -> bool:
        """Tell whether the node is in the midst of it."""
        return lab.process_group(self.host(lab), self.process) is not None


IMPORT = Point("kube_node", "ctr --namespace k8s.io images import")
INIT = Point("kube_control_plane", "kubeadm init")


def kill_inside(lab: Lab, point: Point) -> None:
    """Start site.yml and kill it when the node has reached the point."""
    lab.start("site.yml", *WITHOUT_SAMPLES).kill_when(lambda: point.reached(lab))


def assert_recovers(lab: Lab) -> None:
    """Assert that one run ends well and the next changes nothing on any host."""
    lab.converge(*WITHOUT_SAMPLES)
    counts = lab.converge(*WITHOUT_SAMPLES)
    assert {host: count.changed for host, count in counts.items() if count.changed} == {}


def test_killed_in_image_import_and_again_in_kubeadm_init(bare_lab: Lab) -> None:
    """Both points in one life of a lab: the run after the first kill has to come as far as the second."""
    kill_inside(bare_lab, IMPORT)
    kill_inside(bare_lab, INIT)
    assert_recovers(bare_lab)


def spare_the_node(lab: Lab, point: Point) -> None:
    """Let the node go on by itself."""


def kill_the_work(lab: Lab, point: Point) -> None:
    """Kill what runs on the node, and whoever waits for it there."""
    group = lab.process_group(point.host(lab), point.process)
    assert group, "the work ended before it could be killed"
    assert lab.ssh(point.host(lab), f"kill -9 -- -{group}").returncode == 0


def restart_the_node(lab: Lab, point: Point) -> None:
    """Cut the node's power, so to say, and wait until it is back."""
    container = f"{lab.name}-{point.host(lab)}"
    subprocess.run(["podman", "restart", "--time", "0", container], check=True, capture_output=True)
    lab.await_ssh(point.host(lab))


@pytest.mark.long
@pytest.mark.parametrize("then", [spare_the_node, kill_the_work, restart_the_node])
@pytest.mark.parametrize("point", [IMPORT, INIT], ids=["image import", "kubeadm init"])
def test_killed_once(fresh_lab: Lab, point: Point, then: Callable[[Lab, Point], None]) -> None:
    kill_inside(fresh_lab, point)
    then(fresh_lab, point)
    assert_recovers(fresh_lab)
