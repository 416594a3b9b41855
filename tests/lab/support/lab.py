"""A lab under test: run playbooks against it, kill them, look into its nodes."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Callable, Iterator, Sequence

from tests.support.kill_tree import kill_tree
from tests.support.paths import ROOT

BIN = Path(sys.executable).parent
# Ten times what the slowest run takes on an idle machine.
RUN_SECONDS = 1200
# One role of a node by itself: `-e role=node`.
ROLE_ALONE = str(ROOT / "tests/lab/support/role_alone.yml")
KUBECTL = "kubectl --kubeconfig /etc/kubernetes/admin.conf"
_RECAP = re.compile(
    r"^(\S+)\s+: ok=(\d+)\s+changed=(\d+)\s+unreachable=(\d+)\s+failed=(\d+)\s+skipped=(\d+)\s.*\signored=(\d+)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Counts:
    """One host's line of the recap."""

    ok: int
    changed: int
    unreachable: int
    failed: int
    skipped: int
    ignored: int


def recap(output: str) -> dict[str, Counts]:
    """Return the recap by host. Raises AssertionError when the output has none."""
    lines = _RECAP.findall(output[output.find("PLAY RECAP") :])
    assert "PLAY RECAP" in output, f"no recap in:\n{output}"
    return {host: Counts(*(int(count) for count in counts)) for host, *counts in lines}


def changes(counts: dict[str, Counts]) -> dict[str, int]:
    """Return how many tasks have changed something, by host; nothing for hosts that are as before."""
    return {host: count.changed for host, count in counts.items() if count.changed}


def until(happens: Callable[[], bool], what: str, seconds: float = 300) -> None:
    """Return as soon as something happens. Raises AssertionError, with what it is, when it does not."""
    deadline = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.2)


def inventory_of(planes: int, workers: int = 1, **variables: str) -> str:
    """Return the inventory of a lab with so many control planes and workers. variables: of all hosts."""
    cluster = [f"cp-{number} lab_host={10 + number}" for number in range(1, planes + 1)]
    nodes = [f"node-{number} lab_host={20 + number}" for number in range(1, workers + 1)]
    groups = ["[k8s_cluster:children]", "kube_control_plane", "kube_node", "[lab:children]", "k8s_cluster"]
    given = [f"{name}={value}" for name, value in variables.items()]
    return "\n".join(["[kube_control_plane]", *cluster, "[kube_node]", *nodes, *groups, "[all:vars]", *given, ""])


def write_inventory(folder: Path, text: str, name: str = "hosts.ini", **groups: str) -> Path:
    """Write an inventory with the lab's variables beside it; return its path. groups: variables in YAML, by group."""
    variables = folder / "group_vars"
    variables.mkdir(parents=True)
    for file in (ROOT / "inventories/lab/group_vars").iterdir():
        (variables / file.name).symlink_to(file)
    for group, values in groups.items():
        (variables / f"{group}.yml").write_text(values, encoding="utf-8")
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


class Run:
    """An ansible-playbook, its output in a file."""

    def __init__(self, command: list[str], environment: dict[str, str], log: IO[str]) -> None:
        self._log = log
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )

    @property
    def output(self) -> str:
        """Return what was printed so far."""
        return Path(self._log.name).read_text(encoding="utf-8")

    def running(self) -> bool:
        """Tell whether it has not ended."""
        return self._process.poll() is None

    def wait(self) -> int:
        """Return its status; kill it when it does not end."""
        try:
            return self._process.wait(RUN_SECONDS)
        finally:
            self.kill()

    def kill(self) -> None:
        """Send SIGKILL to ansible-playbook and all that it has started, as far as they still run."""
        if self.running():
            kill_tree(self._process.pid)
            self._process.wait()

    def kill_when(self, happens: Callable[[], bool], seconds: float = 600) -> None:
        """Kill it at the moment when something happens. Raises AssertionError when it ends before, or never happens."""
        deadline = time.monotonic() + seconds
        try:
            while not happens():
                assert self.running(), f"the run ended before it could be killed:\n{self.output}"
                assert time.monotonic() < deadline, f"the moment to kill the run never came:\n{self.output}"
                time.sleep(0.1)
            assert self.running(), f"the run ended before it could be killed:\n{self.output}"
        finally:
            self.kill()


class Lab:
    """A lab of one name.

    inventory: the file. logs: where the output of runs goes. arguments: of every playbook, for what its site sets.
    """

    def __init__(self, name: str, inventory: Path, logs: Path, arguments: Sequence[str] = ()) -> None:
        self.name = name
        self.arguments = tuple(arguments)
        self.inventory = inventory
        self._logs = logs
        # Molecule colours what Ansible prints, and gives it paths of its own.
        own = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
        self._environment = {
            **own,
            "MLSTACK_LAB": name,
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            "LC_ALL": "C.UTF-8",
        }
        self.groups = self._groups()

    @property
    def hosts(self) -> set[str]:
        """Return the inventory's hosts."""
        return set(self.groups["kube_control_plane"]) | set(self.groups["kube_node"])

    @property
    def folder(self) -> Path:
        """Return where the lab keeps what this machine needs to reach it."""
        return Path.home() / ".cache/trainyard/labs" / self.name

    @property
    def kubeconfig(self) -> Path:
        """Return the administrator's kubeconfig on this machine."""
        return self.folder / "kubeconfig"

    def renew(self, *arguments: str) -> None:
        """Make its nodes anew. arguments: of the playbook that does it."""
        self.run("playbooks/lab_down.yml")
        self.run("playbooks/lab_up.yml", *arguments)

    @contextlib.contextmanager
    def bare(self, *arguments: str) -> Iterator[Lab]:
        """Give nodes that nothing was done to, and take them down at the end. arguments: as above."""
        try:
            self.renew(*arguments)
            yield self
        finally:
            self.run("playbooks/lab_down.yml")

    def lose(self, host: str) -> None:
        """Take a node away for good."""
        container = f"{self.name}-{host}"
        subprocess.run(["podman", "rm", "--force", "--time", "0", container], check=True, capture_output=True)

    def start(self, playbook: str, *arguments: str) -> Run:
        """Start a playbook and return at once."""
        command = [str(BIN / "ansible-playbook"), "-i", str(self.inventory), playbook, *self.arguments, *arguments]
        number = len(list(self._logs.iterdir()))
        log = (self._logs / f"{number:02d}-{Path(playbook).stem}.log").open("w", encoding="utf-8")
        return Run(command, self._environment, log)

    def run(self, playbook: str, *arguments: str) -> str:
        """Run a playbook to its end and return its output. Raises AssertionError when it does not end well."""
        run = self.start(playbook, *arguments)
        status = run.wait()
        assert status == 0, f"{playbook} ended with status {status}:\n{run.output}"
        return run.output

    def converge(self, *arguments: str) -> dict[str, Counts]:
        """Run site.yml and return the recap of the lab's hosts, every one of which took part without a fault."""
        counts = recap(self.run("site.yml", *arguments))
        assert self.hosts <= set(counts), f"hosts that no play ran on: {sorted(self.hosts - set(counts))}"
        for host, count in counts.items():
            # An error that is passed over frightens whoever reads it, so a good run has none.
            assert count.failed == count.unreachable == count.ignored == 0, f"{host}: {count}"
        return counts

    def ssh(self, host: str, command: str) -> subprocess.CompletedProcess[str]:
        """Run a shell command on a node, over a connection that stays open."""
        options = ["-F", str(self.folder / "ssh_config"), "-o", "ControlMaster=auto", "-o", "ControlPersist=60"]
        options += ["-o", f"ControlPath={self.folder}/ssh/test-%C"]
        argv = ["ssh", *options, host, command]
        # ssh makes its input non-blocking for all who share it, and Ansible refuses to start with such an input.
        return subprocess.run(argv, stdin=subprocess.DEVNULL, text=True, capture_output=True, check=False, timeout=60)

    def told(self, host: str, command: str) -> str:
        """Return what a shell command prints on a node. Raises AssertionError when it fails."""
        done = self.ssh(host, command)
        assert done.returncode == 0, f"{host}: {command}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def kubectl(self, command: str) -> str:
        """Run kubectl on the first control plane and return its output. Raises AssertionError when it fails."""
        return self.told(self.groups["kube_control_plane"][0], f"{KUBECTL} {command}")

    def await_ssh(self, host: str, seconds: float = 60) -> None:
        """Wait until a node lets us in again. Raises AssertionError when it does not."""
        command = "systemctl is-system-running | grep -qE 'running|degraded'"
        until(lambda: self.ssh(host, command).returncode == 0, f"{host} back again", seconds)

    def process_group(self, host: str, pattern: str) -> int | None:
        """Return the process group of a node's process whose command line matches, if there is one."""
        # The brackets keep the shell that carries the pattern from matching it.
        found = self.ssh(host, f"ps -o pgid= -p $(pgrep -o -f '[{pattern[0]}]{pattern[1:]}')").stdout.split()
        return int(found[0]) if found else None

    def _groups(self) -> dict[str, list[str]]:
        command = [str(BIN / "ansible-inventory"), "-i", str(self.inventory), "--list"]
        done = subprocess.run(command, cwd=ROOT, env=self._environment, text=True, capture_output=True, check=True)
        groups: dict[str, Any] = json.loads(done.stdout)
        named = {name: list(groups.get(name, {}).get("hosts", [])) for name in ("kube_control_plane", "kube_node")}
        assert all(named.values()), f"{self.inventory} has a group without hosts: {named}"
        return named
