"""The lab as a thing that is made, broken, mended and taken away: on two nodes, with another lab beside it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from tests.lab.support.lab import Lab, inventory_of, recap, write_inventory
from tests.support.paths import CACHE

pytestmark = pytest.mark.lab
LABEL = "trainyard.mlstack.lab"


@pytest.fixture(scope="module")
def labs(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[tuple[Lab, Lab]]:
    """Two labs, of which nothing is there yet."""
    folder = tmp_path_factory.mktemp("inventories")
    two_nodes = inventory_of(planes=1)
    mend, beside = (Lab(name, write_inventory(folder / name, two_nodes), logs) for name in ("mend", "beside"))
    pair = mend, beside
    for lab in pair:
        lab.run("playbooks/lab_down.yml")
    yield pair
    for lab in pair:
        lab.run("playbooks/lab_down.yml")


def changed(lab: Lab, playbook: str, *arguments: str) -> int:
    counts = recap(lab.run(f"playbooks/{playbook}.yml", *arguments)).values()
    assert any(count.ok for count in counts)
    return sum(count.changed for count in counts)


def answers(lab: Lab) -> dict[str, str]:
    """Return what each host calls itself over SSH, its host key checked."""
    return {host: lab.ssh(host, "uname -n").stdout.strip() for host in sorted(lab.hosts)}


def podman(*arguments: str) -> str:
    return subprocess.run(["podman", *arguments], text=True, capture_output=True, check=True).stdout


def left(name: str) -> list[str]:
    """Return all that podman has of this lab, and the lab's folder."""
    rows = [
        *json.loads(podman("ps", "--all", "--filter", f"label={LABEL}={name}", "--format", "json")),
        *json.loads(podman("volume", "ls", "--filter", f"label={LABEL}={name}", "--format", "json")),
        *json.loads(podman("network", "ls", "--filter", f"label={LABEL}={name}", "--format", "json")),
    ]
    folder = CACHE / "labs" / name
    return [str(row) for row in rows] + ([str(folder)] if folder.exists() else [])


def test_check_mode_on_nothing_makes_nothing(labs: tuple[Lab, Lab]) -> None:
    assert changed(labs[0], "lab_up", "--check", "--diff") > 0
    assert left("mend") == []


def test_a_lab_comes_up_and_stays_as_it_is(labs: tuple[Lab, Lab]) -> None:
    assert changed(labs[0], "lab_up") > 0
    assert answers(labs[0]) == {"cp-1": "cp-1", "node-1": "node-1"}
    assert changed(labs[0], "lab_up") == 0
    assert changed(labs[0], "lab_up", "--check", "--limit", "node-1") == 0


def test_another_lab_comes_up_beside_it(labs: tuple[Lab, Lab]) -> None:
    assert changed(labs[1], "lab_up") > 0
    assert answers(labs[0]) == answers(labs[1])


def test_a_node_sees_no_cgroups_of_others(labs: tuple[Lab, Lab]) -> None:
    """Else its systemd and its kubelet take those for leftovers, and remove them."""
    labs[0].told("cp-1", "systemd-run --unit only-here sleep 60")
    command = "find /sys/fs/cgroup -name only-here.service"
    assert labs[0].told("cp-1", command)
    others = [(labs[0], "node-1"), *((labs[1], host) for host in ("cp-1", "node-1"))]
    assert [lab.told(host, command) for lab, host in others] == ["", "", ""]


def test_apt_works_in_a_node(labs: tuple[Lab, Lab]) -> None:
    assert labs[0].ssh("cp-1", "apt-get update && apt-get install --yes --download-only socat").returncode == 0


def test_all_nodes_share_one_folder(labs: tuple[Lab, Lab]) -> None:
    assert labs[0].ssh("cp-1", "echo shared > /srv/mlstack/file").returncode == 0
    assert labs[0].ssh("node-1", "cat /srv/mlstack/file").stdout == "shared\n"
    assert labs[1].ssh("node-1", "cat /srv/mlstack/file").returncode != 0


def test_a_broken_lab_is_mended(labs: tuple[Lab, Lab]) -> None:
    labs[0].ssh("cp-1", "touch /root/survives")
    labs[0].ssh("node-1", "touch /root/goes /var/lib/etcd/goes")
    podman("stop", "--time", "0", "mend-cp-1")
    podman("rm", "--force", "--time", "0", "mend-node-1")
    known_hosts = labs[0].folder / "known_hosts"
    known_hosts.write_text("")
    assert changed(labs[0], "lab_up") > 0
    assert answers(labs[0]) == {"cp-1": "cp-1", "node-1": "node-1"}
    assert labs[0].ssh("cp-1", "ls /root").stdout == "survives\n"
    assert labs[0].ssh("node-1", "ls /root /var/lib/etcd").stdout.split() == ["/root:", "/var/lib/etcd:"]
    assert changed(labs[0], "lab_up") == 0


def test_a_key_that_is_lost_is_made_anew(labs: tuple[Lab, Lab]) -> None:
    (labs[0].folder / "id_ed25519.pub").unlink()
    assert changed(labs[0], "lab_up") > 0
    assert answers(labs[0])["cp-1"] == "cp-1"


def test_the_network_of_another_lab_is_refused(labs: tuple[Lab, Lab]) -> None:
    taken = json.loads(podman("network", "inspect", "beside"))[0]["subnets"][0]["subnet"]
    run = labs[0].start("playbooks/lab_up.yml", "-e", "lab_name=third", "-e", f"lab_subnet={taken}")
    assert run.wait() != 0
    assert "is in use on this machine by podman's network beside" in " ".join(run.output.split())
    assert left("third") == []


def test_nothing_is_left_even_of_hosts_that_the_inventory_has_lost(labs: tuple[Lab, Lab]) -> None:
    labs[0].inventory.write_text("[lab]\ncp-1 lab_host=11\n")
    assert left("mend")
    assert changed(labs[0], "lab_down", "--check") > 0
    assert left("mend")
    assert changed(labs[0], "lab_down") > 0
    assert left("mend") == []
    assert changed(labs[0], "lab_down") == 0
    assert answers(labs[1])["node-1"] == "node-1"
    masters = subprocess.run(["pgrep", "-f", "labs/mend/ssh"], text=True, capture_output=True, check=False).stdout
    assert masters == ""
