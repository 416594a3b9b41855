"""Measure site.yml beside the same way typed by hand, in one run on one machine.

Bare lab > by_hand.sh; bare lab > site.yml > site.yml again. Writes results/<date>.json and the table in README.md.
The bundle must be there (make bundle); nothing else should run on the machine meanwhile.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BIN = Path(sys.executable).parent
LAB = "bench"
CACHE = Path.home() / ".cache/trainyard"
INVENTORY = "inventories/lab/hosts.ini"
CONTROL_PLANE, *WORKERS = NODES = ["cp-1", "node-1", "node-2"]
ENVIRONMENT = {
    **os.environ,
    "MLSTACK_LAB": LAB,
    "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
    "ANSIBLE_CALLBACK_PLUGINS": str(HERE / "callback_plugins"),
    "ANSIBLE_CALLBACKS_ENABLED": "task_costs",
    "LC_ALL": "C.UTF-8",
}
RESULTS = HERE / "results"
README = HERE / "README.md"
BEGIN, END = "<!-- results: written by run.py -->", "<!-- end of results -->"


def playbook(name: str, *arguments: str) -> dict[str, Any]:
    """Run a playbook; return what task_costs wrote, with `seconds` as the whole process took. Raises when it fails."""
    with tempfile.NamedTemporaryFile(suffix=".json") as costs:
        command = [str(BIN / "ansible-playbook"), "-i", INVENTORY, name, *arguments]
        begun = time.monotonic()
        environment = {**ENVIRONMENT, "TASK_COSTS_FILE": costs.name}
        done = subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True, check=False)
        seconds = time.monotonic() - begun
        if done.returncode != 0:
            sys.exit(f"{name} ended with status {done.returncode}:\n{done.stdout[-4000:]}\n{done.stderr[-2000:]}")
        return {**json.loads(Path(costs.name).read_text(encoding="utf-8")), "seconds": round(seconds, 1)}


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
    playbook("playbooks/lab_down.yml")
    for run in (site, second):
        missing = set(NODES) - set(run["recap"])
        if missing:
            sys.exit(f"site.yml did not run on {sorted(missing)}: the figures mean nothing")
    hand_seconds, site_seconds = max(hand.values()), site["seconds"] + site["usable_after"]
    return {
        "date": datetime.date.today().isoformat(),
        "commit": subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True).strip(),
        "machine": {"cores": os.cpu_count(), "kernel": platform.release(), "load_before": round(load, 2)},
        "by_hand": {"seconds": hand_seconds, "milestones": hand},
        "site": {"seconds": round(site_seconds, 1), **_summary(site)},
        "second_run": {"seconds": second["seconds"], **_summary(second)},
        "ratio": round(site_seconds / hand_seconds, 2),
    }


def _summary(run: dict[str, Any]) -> dict[str, Any]:
    """Return of one run what is worth keeping: counts by host, costs by role, the ten dearest tasks."""
    dearest = sorted(run["tasks"], key=lambda task: -task["seconds"])[:10]
    return {"recap": {host: run["recap"][host] for host in NODES}, "roles": run["roles"], "dearest_tasks": dearest}


def table(results: list[dict[str, Any]]) -> str:
    """Return one line for each result."""
    lines = [
        "| date | commit | cores, load | by hand, s | site.yml, s | ratio | second run, s | changed | ok on a worker |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for result in results:
        second = result["second_run"]
        changed = sum(host["changed"] for host in second["recap"].values())
        machine = f"{result['machine']['cores']}, {result['machine']['load_before']}"
        cells = [result["date"], result["commit"], machine, result["by_hand"]["seconds"], result["site"]["seconds"]]
        cells += [result["ratio"], second["seconds"], changed, max(second["recap"][host]["ok"] for host in WORKERS)]
        lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")
    return "\n".join(lines)


def main() -> None:
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "index.json").exists():
        sys.exit("usage: run.py BUNDLE   (the bundle's folder, with its index.json; `make bundle` makes it)")
    result = measure(Path(sys.argv[1]).resolve())
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{result['date']}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]
    before, rest = README.read_text(encoding="utf-8").split(BEGIN)
    README.write_text(f"{before}{BEGIN}\n{table(results)}\n{END}{rest.split(END)[1]}", encoding="utf-8")
    print(table([result]))


if __name__ == "__main__":
    main()
