"""Measure site.yml beside the same way typed by hand, in one run on one machine.

Bare lab > by_hand.sh; bare lab > site.yml > site.yml again > cluster.yml again. Writes results/run-<date>.json and the
table in README.md.
The bundle must be there (make bundle); nothing else should run on the machine meanwhile.
"""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from playbook_run import CACHE, HERE, LAB, commit, machine, playbook
from readme import record

CONTROL_PLANE, *WORKERS = NODES = ["cp-1", "node-1", "node-2"]
HEAD = ["date", "commit", "cores, load", "by hand, s", "site.yml, s", "ratio", "second run, s", "changed"]
HEAD += ["ok on a worker", "ok and skipped, all hosts", "cluster.yml again, s"]


def fresh_lab() -> None:
    """Make the lab's nodes anew."""
    playbook("playbooks/lab_down.yml")
    playbook("playbooks/lab_up.yml")


def by_hand(bundle: Path) -> dict[str, float]:
    """Type it by hand on bare nodes; return seconds by milestone, in their order."""
    folder = CACHE / "labs" / LAB
    command = [str(HERE / "by_hand.sh"), str(bundle), str(folder / "ssh_config"), str(folder / "kubeconfig"), *NODES]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"by_hand.sh ended with status {done.returncode}:\n{done.stdout}\n{done.stderr}")
    lines = (line.split(maxsplit=1) for line in done.stdout.splitlines())
    return {name: float(seconds) for seconds, name in lines}


def usable(bundle: Path) -> float:
    """Wait until the system's pods are Ready and the operator answers; return the seconds it took."""
    kubectl = [str(bundle / "bin/kubectl"), "--kubeconfig", str(CACHE / "labs" / LAB / "kubeconfig")]
    begun = time.monotonic()
    for namespace in ("kube-system", "kube-flannel", "kubeflow"):
        wait = ["wait", "-n", namespace, "--for=condition=Ready", "pod", "--all", "--timeout=300s"]
        subprocess.run(kubectl + wait, check=True, stdout=subprocess.DEVNULL)
    dry_run = ["create", "--dry-run=server", "-f", str(HERE / "by_hand/tfjob.yaml")]
    subprocess.run(kubectl + dry_run, check=True, stdout=subprocess.DEVNULL)
    return round(time.monotonic() - begun, 1)


def measure(bundle: Path) -> dict[str, Any]:
    """Return all figures of one run."""
    # Both ways shall find the bundle in the page cache.
    for path in (path for path in bundle.rglob("*") if path.is_file()):
        path.read_bytes()
    load = os.getloadavg()[0]
    fresh_lab()
    hand = by_hand(bundle)
    fresh_lab()
    samples_off = ("-e", '{"mlstack_samples": []}')
    site = playbook("site.yml", *samples_off)
    site["usable_after"] = usable(bundle)
    second = playbook("site.yml", *samples_off)
    cluster = playbook("playbooks/cluster.yml", *samples_off)
    playbook("playbooks/lab_down.yml")
    for run in (site, second, cluster):
        missing = set(NODES) - set(run["recap"])
        if missing:
            sys.exit(f"site.yml did not run on {sorted(missing)}: the figures mean nothing")
    hand_seconds, site_seconds = max(hand.values()), site["seconds"] + site["usable_after"]
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "machine": machine(load),
        "by_hand": {"seconds": hand_seconds, "milestones": hand},
        "site": {"seconds": round(site_seconds, 1), **_summary(site)},
        "second_run": {"seconds": second["seconds"], **_summary(second)},
        "cluster_again": {"seconds": cluster["seconds"], **_summary(cluster)},
        "ratio": round(site_seconds / hand_seconds, 2),
    }


def _summary(run: dict[str, Any]) -> dict[str, Any]:
    """Return of one run what is worth keeping: counts by host, costs by role, the ten dearest tasks."""
    dearest = sorted(run["tasks"], key=lambda task: -task["seconds"])[:10]
    return {"recap": {host: run["recap"][host] for host in NODES}, "roles": run["roles"], "dearest_tasks": dearest}


def rows(result: dict[str, Any]) -> list[list[Any]]:
    """Return the one line of a result."""
    second = result["second_run"]
    changed = sum(host["changed"] for host in second["recap"].values())
    loads = f"{result['machine']['cores']}, {result['machine']['load_before']}"
    line = [result["date"], result["commit"], loads, result["by_hand"]["seconds"], result["site"]["seconds"]]
    line += [result["ratio"], second["seconds"], changed, max(second["recap"][host]["ok"] for host in WORKERS)]
    counts = [sum(host.get(count, 0) for host in second["recap"].values()) for count in ("ok", "skipped")]
    return [[*line, ", ".join(map(str, counts)), result.get("cluster_again", {}).get("seconds", "")]]


def main() -> None:
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "index.json").exists():
        sys.exit("usage: run.py BUNDLE   (the bundle's folder, with its index.json; `make bundle` makes it)")
    print(record("run", measure(Path(sys.argv[1]).resolve()), HEAD, rows))


if __name__ == "__main__":
    main()
