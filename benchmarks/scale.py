"""Measure what a host costs the controller: roles node and containerd on 5, 10 and 20 lab nodes, in one run.

Bare lab of 20 nodes > all at once > again on 5, 10 and 20 of them, with 5 forks, with 20, and with mitogen's strategy.
Writes results/scale-<date>.json and the table in README.md. The bundle must be there (make bundle); nothing else
should run on the machine meanwhile.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import importlib.util
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playbook_run import HERE, LAB_INVENTORY, commit, machine, playbook
from readme import record

HOSTS = [f"n-{number:02d}" for number in range(1, 21)]
COUNTS = (5, 10, len(HOSTS))
NODES_PLAYBOOK = str(HERE / "scale/nodes.yml")
HEAD = ["date", "commit", "cores, load", "run", *(f"{count} hosts, s" for count in COUNTS)]
HEAD += ["each more, s", "each more, CPU s", "changed", "ok on a host"]


def write_inventory(folder: Path) -> Path:
    """Write an inventory of 20 lab nodes, with the lab's own variables, and return it."""
    (folder / "group_vars").symlink_to(LAB_INVENTORY.parent / "group_vars")
    hosts = [f"{host} lab_host={number}" for number, host in enumerate(HOSTS, start=11)]
    lines = ["[kube_node]", *hosts, "[k8s_cluster:children]", "kube_node", "[lab:children]", "k8s_cluster"]
    inventory = folder / "hosts.ini"
    inventory.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return inventory


def ways() -> Mapping[str, Mapping[str, str]]:
    """Return the ways to run Ansible that are compared, each with the environment that makes it so."""
    found = importlib.util.find_spec("ansible_mitogen")
    if found is None or found.origin is None:
        sys.exit("mitogen is not installed here: pip install -r benchmarks/requirements.txt")
    mitogen = {
        "ANSIBLE_STRATEGY": "mitogen_linear",
        "ANSIBLE_STRATEGY_PLUGINS": str(Path(found.origin).parent / "plugins/strategy"),
    }
    return {
        "again, 5 forks": {"ANSIBLE_FORKS": "5"},
        "again, 20 forks": {"ANSIBLE_FORKS": "20"},
        f"again, 20 forks, mitogen {importlib.metadata.version('mitogen')}": {"ANSIBLE_FORKS": "20", **mitogen},
    }


def slope(points: Sequence[tuple[int, float]]) -> float:
    """Return by how much the second number grows for each one of the first."""
    return statistics.linear_regression(*zip(*points)).slope


def measure() -> dict[str, Any]:
    """Return all figures of one run; the lab is there only meanwhile."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        inventory = write_inventory(Path(folder))
        playbook("playbooks/lab_down.yml", inventory=inventory)
        try:
            playbook("playbooks/lab_up.yml", inventory=inventory)
            first = _run(inventory, len(HOSTS), {"ANSIBLE_FORKS": "20"})
            again = {
                way: {count: _run(inventory, count, environment) for count in COUNTS}
                for way, environment in ways().items()
            }
        finally:
            playbook("playbooks/lab_down.yml", inventory=inventory)
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "machine": machine(load),
        "ansible_core": importlib.metadata.version("ansible-core"),
        "ways": {"bare, 20 forks": {len(HOSTS): first}, **again},
    }


def _run(inventory: Path, count: int, environment: Mapping[str, str]) -> dict[str, Any]:
    """Run the playbook on the first hosts; return what it cost. Exits when a host was left out."""
    hosts = HOSTS[:count]
    done = playbook(NODES_PLAYBOOK, "--limit", ",".join(hosts), inventory=inventory, environment=environment)
    if set(done["recap"]) != set(hosts):
        sys.exit(f"the playbook did not run on {sorted(set(hosts) - set(done['recap']))}: the figures mean nothing")
    recap = done["recap"].values()
    figures = f"{done['seconds']:5.1f} s, {done['cpu_seconds']:5.1f} CPU s"
    print(f"{count:2d} hosts: {figures}  {dict(environment)}", flush=True)
    return {
        "seconds": done["seconds"],
        "cpu_seconds": done["cpu_seconds"],
        "changed": sum(host["changed"] for host in recap),
        "ok": max(host["ok"] for host in recap),
        "roles": done["roles"],
    }


def rows(result: dict[str, Any]) -> list[list[Any]]:
    """Return one line for each way."""
    loads = f"{result['machine']['cores']}, {result['machine']['load_before']}"
    lines = []
    for way, runs in result["ways"].items():
        # JSON has no numbers as keys.
        by_count = {int(count): run for count, run in runs.items()}
        line = [result["date"], result["commit"], loads, way]
        line += [by_count[count]["seconds"] if count in by_count else "" for count in COUNTS]
        for figure in ("seconds", "cpu_seconds"):
            points = [(count, run[figure]) for count, run in by_count.items()]
            line.append(round(slope(points), 2) if len(points) > 1 else "")
        line += [sum(run["changed"] for run in by_count.values()), max(run["ok"] for run in by_count.values())]
        lines.append(line)
    return lines


if __name__ == "__main__":
    print(record("scale", measure(), HEAD, rows))
