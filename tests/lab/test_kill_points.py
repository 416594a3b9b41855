"""A run is killed in the middle of its work; the next one ends well, the one after it changes nothing."""

from __future__ import annotations

import random
import subprocess
import time
from dataclasses import dataclass
from typing import Callable

import pytest

from tests.lab.conftest import WITHOUT_SAMPLES
from tests.lab.support.lab import KUBECTL, Lab, changes
from tests.support.seed import SEED, TOLD

pytestmark = pytest.mark.lab

# Every unit that reads the proxies is restarted with other ones.
OTHER_SETTING = ("-e", '{"mlstack_http_proxy": "http://192.0.2.1:3128"}')


@dataclass(frozen=True)
class Point:
    """A moment of a run. group: on whose first host it is seen. condition: what is then true in a shell there."""

    group: str
    condition: str

    def host(self, lab: Lab) -> str:
        """Return the host on which it is waited for."""
        return lab.groups[self.group][0]

    def reached(self, lab: Lab) -> bool:
        """Tell whether the run is in the midst of it."""
        return lab.ssh(self.host(lab), self.condition).returncode == 0


@dataclass(frozen=True)
class Process(Point):
    """Long work on a node. process: what its command line looks like there."""

    process: str

    @classmethod
    def of(cls, group: str, process: str) -> Process:
        """Return the point at which this process runs."""
        # The brackets keep the shell that carries the pattern from matching it.
        return cls(group, f"pgrep -f '[{process[0]}]{process[1:]}'", process)


APT = Process.of("kube_node", "apt-get install")
IMPORT = Process.of("kube_node", "ctr --namespace k8s.io images import")
INIT = Process.of("kube_control_plane", "kubeadm init")
JOIN = Process.of("kube_node", "kubeadm join")
# A large file has come half of its way: the smallest program of this size has more than twice as much.
TRANSFER = Point("kube_node", "find ~/.cache/trainyard-incoming -size +20M | grep -q .")
CRDS = Point("kube_control_plane", f"{KUBECTL} get crd -o name | grep -q kubeflow.org")


def kill_inside(lab: Lab, point: Point, *arguments: str) -> None:
    """Start site.yml and kill it when the node has reached the point."""
    lab.start("site.yml", *WITHOUT_SAMPLES, *arguments).kill_when(lambda: point.reached(lab))


def assert_recovers(lab: Lab, *arguments: str) -> None:
    """Assert that one run ends well and the next changes nothing on any host."""
    lab.converge(*WITHOUT_SAMPLES, *arguments)
    counts = lab.converge(*WITHOUT_SAMPLES, *arguments)
    assert changes(counts) == {}


def test_killed_in_image_import_and_again_in_kubeadm_init(fresh_lab: Lab) -> None:
    """Both points in one life of a lab: the run after the first kill has to come as far as the second."""
    kill_inside(fresh_lab, IMPORT)
    kill_inside(fresh_lab, INIT)
    assert_recovers(fresh_lab)


def spare_the_node(lab: Lab, point: Process) -> None:
    """Let the node go on by itself."""


def kill_the_work(lab: Lab, point: Process) -> None:
    """Kill what runs on the node, and whoever waits for it there."""
    group = lab.process_group(point.host(lab), point.process)
    assert group, "the work ended before it could be killed"
    assert lab.ssh(point.host(lab), f"kill -9 -- -{group}").returncode == 0


def restart_the_node(lab: Lab, point: Process) -> None:
    """Cut the node's power, so to say, and wait until it is back."""
    container = f"{lab.name}-{point.host(lab)}"
    subprocess.run(["podman", "restart", "--time", "0", container], check=True, capture_output=True)
    lab.await_ssh(point.host(lab))


@pytest.mark.long
@pytest.mark.parametrize("then", [spare_the_node, kill_the_work, restart_the_node])
@pytest.mark.parametrize("point", [IMPORT, INIT], ids=["image import", "kubeadm init"])
def test_killed_once(fresh_lab: Lab, point: Process, then: Callable[[Lab, Process], None]) -> None:
    kill_inside(fresh_lab, point)
    then(fresh_lab, point)
    assert_recovers(fresh_lab)


@pytest.mark.long
@pytest.mark.parametrize(
    "point", [APT, TRANSFER, JOIN, CRDS], ids=["apt", "bundle transfer", "kubeadm join", "CRD apply"]
)
def test_killed_in_shorter_work(fresh_lab: Lab, point: Point) -> None:
    kill_inside(fresh_lab, point)
    assert_recovers(fresh_lab)


@pytest.mark.long
def test_killed_in_the_restart_of_containerd(converged_lab: Lab) -> None:
    """On a cluster that works: the restart is seen by another main process, and the kubelet's is still to come."""
    pid = "systemctl show --property MainPID --value containerd"
    node = converged_lab.groups["kube_node"][0]
    assert converged_lab.ssh(node, f"{pid} > /run/containerd-before").returncode == 0
    restart = Point("kube_node", f'test "$({pid})" != "$(cat /run/containerd-before)"')
    kill_inside(converged_lab, restart, *OTHER_SETTING)
    assert_recovers(converged_lab, *OTHER_SETTING)
    assert_recovers(converged_lab)


@pytest.fixture(scope="module")
def seconds(bare_lab: Lab) -> float:
    """How long a run takes here, from bare nodes to its end."""
    bare_lab.renew()
    begun = time.monotonic()
    bare_lab.converge(*WITHOUT_SAMPLES)
    return time.monotonic() - begun


@pytest.mark.long
@pytest.mark.parametrize("number", [1, 2, 3], ids=lambda number: f"seed {SEED} moment {number}")
def test_killed_at_random(seconds: float, fresh_lab: Lab, number: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Repeat it with TRAINYARD_SEED. The last fifth is left out: no run takes quite as long as another."""
    share = random.Random(f"{SEED} {number}").uniform(0.03, 0.8)
    with capsys.disabled():
        print(f"\n{TOLD} moment {number}: killed at {share:.0%} of {seconds:.0f} s")
    end = time.monotonic() + share * seconds
    fresh_lab.start("site.yml", *WITHOUT_SAMPLES).kill_when(lambda: time.monotonic() > end, 2 * seconds)
    assert_recovers(fresh_lab)
