"""Hosts that somebody used before: all that is in the way, ordinary users with sudo, firewalls."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.lab.support.lab import ROLE_ALONE, Lab, inventory_of, recap, write_inventory

pytestmark = pytest.mark.lab

NODE = "node-1"
# What each of these leaves is one problem; its second half takes it away again.
USED: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "k3s": (
        "touch /usr/local/bin/k3s",
        "rm /usr/local/bin/k3s",
        ("k3s = /usr/local/bin/k3s", "k3s-uninstall.sh"),
    ),
    "leftovers": (
        "mkdir -p /etc/kubernetes/manifests /var/lib/etcd/member/snap; touch /etc/kubernetes/manifests/etcd.yaml",
        "rm -rf /etc/kubernetes /var/lib/etcd/member",
        ("leftovers of a cluster = /etc/kubernetes/manifests, /var/lib/etcd/member", "kubeadm reset --force"),
    ),
    "cni": (
        "mkdir -p /etc/cni/net.d; echo '{}' >/etc/cni/net.d/10-calico.conflist",
        "rm -r /etc/cni",
        ("CNI configuration = /etc/cni/net.d/10-calico.conflist", "mv /etc/cni/net.d/10-calico.conflist /root/"),
    ),
    "interface": (
        "ip link add cni0 type bridge",
        "ip link delete cni0",
        ("network interfaces = cni0", "ip link delete"),
    ),
    "containerd": (
        "systemd-run --unit containerd sleep 3600",
        "systemctl stop containerd",
        ("containerd = running", "systemctl disable --now containerd"),
    ),
    "docker": (
        "systemd-run --unit docker sleep 3600",
        "systemctl stop docker",
        ("container runtime = docker", "apt-get remove docker.io"),
    ),
    "resolver": (
        "cp /etc/resolv.conf /root/; echo nameserver 127.0.0.53 >/etc/resolv.conf",
        "cat /root/resolv.conf >/etc/resolv.conf",
        ("nameserver in /etc/resolv.conf = 127.0.0.53", "ask itself without end"),
    ),
    "route": (
        "ip route add 10.244.7.0/24 dev lo",
        "ip route delete 10.244.7.0/24 dev lo",
        ("mlstack_pod_cidr = 10.244.0.0/16", "10.244.7.0/24", "lo"),
    ),
    "small disk": (
        "mount -t tmpfs -o size=64m,nr_inodes=900 none /var/lib/containerd",
        "umount /var/lib/containerd",
        ("free disk at /var/lib/containerd", "evictionHard"),
    ),
    "few inodes": ("true", "true", ("free inodes at /var/lib/containerd", "mkfs -i")),
}


@pytest.fixture(scope="module")
def lab(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Two bare nodes of a lab of their own."""
    with Lab("used", write_inventory(tmp_path_factory.mktemp("used"), inventory_of(planes=1)), logs).bare() as lab:
        yield lab


def install(lab: Lab, *packages: str) -> None:
    """Install packages on the node."""
    command = "apt-get install -y --no-install-recommends " + " ".join(packages)
    lab.told(NODE, f"export DEBIAN_FRONTEND=noninteractive; apt-get update >/dev/null && {command} >/dev/null")


def problems(lab: Lab, *arguments: str, **variables: Any) -> list[str]:
    """Run preflight alone; return the problems, one a line, none when all is well. Nothing may be changed."""
    run = lab.start("playbooks/preflight.yml", *arguments, "-e", json.dumps(variables))
    status = run.wait()
    assert [count.changed for count in recap(run.output).values() if count.changed] == [], run.output
    found = re.findall(r"^\s+\d+\. (.*)$", run.output[run.output.rfind("nothing was changed:") :], re.MULTILINE)
    assert (status == 0) == (not found), run.output
    return found


def matching(found: list[str], *words: str) -> list[str]:
    """Return the problems that hold all the words."""
    return [problem for problem in found if all(word in problem for word in words)]


def test_all_that_others_have_left_is_told_at_once(lab: Lab) -> None:
    lab.told(NODE, " && ".join(make for make, _undo, _words in USED.values()))
    found = problems(lab)
    undone = lab.ssh(NODE, "; ".join(undo for _make, undo, _words in USED.values()))
    missing = [name for name, (_make, _undo, words) in USED.items() if not matching(found, f"{NODE}: ", *words)]
    assert missing == [], found
    assert len(found) == len(USED), found
    assert undone.returncode == 0, undone
    assert problems(lab) == []


def test_a_node_of_another_cluster_is_pointed_to_the_stack_alone(lab: Lab) -> None:
    lab.told(NODE, "mkdir -p /etc/kubernetes && touch /etc/kubernetes/kubelet.conf")
    (problem,) = problems(lab)
    lab.told(NODE, "rm -r /etc/kubernetes")
    assert f"{NODE}: cluster = /etc/kubernetes/kubelet.conf" in problem
    assert "trainyard.mlstack.stack" in problem
    assert "kubeadm reset" in problem


def test_a_role_that_is_used_alone_judges_the_host_too(lab: Lab) -> None:
    make, undo, words = USED["docker"]
    lab.told(NODE, make)
    run = lab.start(ROLE_ALONE, "--limit", NODE, "-e", "role=containerd")
    status = run.wait()
    lab.told(NODE, undo)
    assert status != 0
    assert recap(run.output)[NODE].changed == 0, run.output
    assert "1 problem, nothing was changed:" in run.output
    for word in words:
        assert word in run.output


@pytest.fixture(scope="module")
def tom(lab: Lab) -> None:
    """A user with root's key and no rights, and sudo."""
    install(lab, "sudo")
    lab.told(NODE, "useradd --create-home --shell /bin/bash tom && echo 'tom:s3cr#t' | chpasswd")
    lab.told(NODE, "cp -r ~/.ssh ~tom/ && chown -R tom: ~tom/.ssh")


@pytest.mark.usefixtures("tom")
class TestOrdinaryUser:
    """SSH as somebody who is not root."""

    def as_tom(self, lab: Lab, **variables: Any) -> list[str]:
        """Return what preflight says of the node to which tom connects."""
        return problems(lab, "--limit", NODE, ansible_user="tom", ansible_ssh_timeout=20, **variables)

    def test_may_not_use_sudo(self, lab: Lab) -> None:
        (problem,) = self.as_tom(lab, ansible_become_password="s3cr#t")
        assert f"{NODE}: sudo = " in problem
        assert "usermod" in problem
        assert "s3cr" not in problem

    def test_with_a_password(self, lab: Lab) -> None:
        lab.told(NODE, "echo 'tom ALL=(ALL) ALL' >/etc/sudoers.d/tom")
        assert self.as_tom(lab, ansible_become_password="s3cr#t") == []
        (problem,) = self.as_tom(lab)
        assert f"{NODE}: sudo = " in problem
        assert "--ask-become-pass" in problem
        (problem,) = self.as_tom(lab, ansible_become_password="wrong")
        assert f"{NODE}: sudo = " in problem
        assert "the password that was given for sudo is not the user's" in problem

    def test_without_a_password(self, lab: Lab) -> None:
        lab.told(NODE, "echo 'tom ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/tom")
        assert self.as_tom(lab) == []

    def test_no_sudo_at_all(self, lab: Lab) -> None:
        lab.told(NODE, "mv /usr/bin/sudo /usr/bin/sudo.away")
        (problem,) = self.as_tom(lab)
        lab.told(NODE, "mv /usr/bin/sudo.away /usr/bin/sudo")
        assert "sudo is not installed" in problem


class TestFirewall:
    """A firewall that lets in SSH alone."""

    def is_open(self, lab: Lab, port: int) -> bool:
        """Say whether the other node's packets arrive: a port on which nobody listens answers at once, a drop never."""
        address = lab.told(NODE, "hostname -I").split()[0]
        done = lab.ssh("cp-1", f"timeout 3 bash -c '</dev/tcp/{address}/{port}'")
        return "refused" in done.stderr

    def prepare(self, lab: Lab, *arguments: str, **variables: Any) -> int:
        """Run role node alone on the node, but for its packages; return how many tasks changed it."""
        extra = json.dumps({"role": "node", **variables})
        output = lab.run(ROLE_ALONE, "--limit", NODE, "--tags", "configure", *arguments, "-e", extra)
        return recap(output)[NODE].changed

    def try_out(self, lab: Lab, manager: str) -> None:
        """Refused, opened, opened again without a change, closed again."""
        assert not self.is_open(lab, 10250)
        (problem,) = matching(problems(lab), f"{NODE}: firewall {manager} = blocks")
        for word in ("10250/tcp", "8472/udp", "node_firewall: open"):
            assert word in problem
        assert "6443" not in problem, "a worker has no API server"
        self.prepare(lab)
        assert not self.is_open(lab, 10250)
        assert self.prepare(lab, "--check", "--diff", node_firewall="open") == 1
        assert self.prepare(lab, node_firewall="open") == 1
        assert self.is_open(lab, 10250)
        assert not self.is_open(lab, 6443)
        assert problems(lab) == [], "what is open is no problem, whoever has opened it"
        assert self.prepare(lab, node_firewall="open") == 0
        assert self.prepare(lab, node_firewall="leave") == 1
        assert not self.is_open(lab, 10250)

    def test_ufw(self, lab: Lab) -> None:
        install(lab, "ufw")
        lab.told(NODE, "ufw allow 22/tcp && ufw --force enable")
        self.try_out(lab, "ufw")
        lab.told(NODE, "ufw --force disable")

    @pytest.mark.long
    def test_firewalld(self, lab: Lab) -> None:
        install(lab, "firewalld", "netbase", "nftables")
        lab.told(NODE, "systemctl start firewalld")
        self.try_out(lab, "firewalld")
        lab.told(NODE, "systemctl disable --now firewalld")

    def test_rules_by_hand(self, lab: Lab) -> None:
        install(lab, "iptables")
        lab.told(NODE, "iptables -A INPUT -p tcp --dport 22 -j ACCEPT; iptables -P INPUT DROP")
        found = problems(lab, node_firewall="open")
        lab.told(NODE, "iptables -P INPUT ACCEPT; iptables -F INPUT")
        (problem,) = found
        assert f"{NODE}: firewall iptables = blocks 10250/tcp, 8472/udp" in problem
        assert "knows ufw and firewalld alone" in problem
