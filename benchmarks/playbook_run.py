"""Run a playbook against a lab of the benchmarks and return what it cost."""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BIN = Path(sys.executable).parent
LAB = "bench"
CACHE = Path.home() / ".cache/trainyard"
LAB_INVENTORY = ROOT / "inventories/lab/hosts.ini"
ENVIRONMENT = {
    **os.environ,
    "MLSTACK_LAB": LAB,
    "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
    "ANSIBLE_CALLBACK_PLUGINS": str(HERE / "callback_plugins"),
    "ANSIBLE_CALLBACKS_ENABLED": "task_costs",
    "LC_ALL": "C.UTF-8",
}


def playbook(
    name: str, *arguments: str, inventory: Path = LAB_INVENTORY, environment: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run a playbook; return what task_costs wrote, with `seconds` and `cpu_seconds` of the whole process.

    cpu_seconds: what the controller's own processes used, in user and system mode; what runs on a node is not in it,
    although the nodes are containers of this machine. Exits with the end of the output when the playbook fails.
    """
    with tempfile.NamedTemporaryFile(suffix=".json") as costs:
        command = [str(BIN / "ansible-playbook"), "-i", str(inventory), name, *arguments]
        whole = {**ENVIRONMENT, **(environment or {}), "TASK_COSTS_FILE": costs.name}
        begun, used = time.monotonic(), _cpu_seconds()
        done = subprocess.run(
            command, cwd=ROOT, env=whole, text=True, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        seconds, cpu_seconds = time.monotonic() - begun, _cpu_seconds() - used
        if done.returncode != 0:
            sys.exit(f"{name} ended with status {done.returncode}:\n{done.stdout[-4000:]}\n{done.stderr[-2000:]}")
        result = json.loads(Path(costs.name).read_text(encoding="utf-8"))
        return {**result, "seconds": round(seconds, 1), "cpu_seconds": round(cpu_seconds, 1)}


def commit() -> str:
    """Return the short name of the commit that is measured."""
    return subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True).strip()


def machine(load_before: float) -> dict[str, Any]:
    """Return what the figures depend on. load_before: the load average before the first measurement."""
    return {"cores": os.cpu_count(), "kernel": platform.release(), "load_before": round(load_before, 2)}


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
