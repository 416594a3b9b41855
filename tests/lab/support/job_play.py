# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks with the modules for jobs, run against a lab as a user runs them: by a playbook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from tests.lab.support.lab import Lab

Task = tuple[str, dict[str, Any]]


def play(lab: Lab, folder: Path, *tasks: Task, until: str = "") -> list[dict[str, Any]]:
    """Run tasks one after the other, whatever becomes of each; return their results.

    tasks: module and options of each. until: what must hold of the last one's `result`, which is run again until then.
    """
    told = folder / "results.json"
    written: list[dict[str, Any]] = [
        {
            f"trainyard.mlstack.{module}": {**options, "kubeconfig": str(lab.kubeconfig)},
            "register": f"result_{number}",
            "ignore_errors": True,
        }
        for number, (module, options) in enumerate(tasks)
    ]
    if until:
        last = written[-1]["register"]
        written[-1].update({"until": until.replace("result", str(last)), "retries": 30, "delay": 1})
    results = "[" + ", ".join(f"result_{number}" for number in range(len(tasks))) + "]"
    keep = {"ansible.builtin.copy": {"content": "{{ " + results + " | to_json }}", "dest": str(told), "mode": "0600"}}
    playbook = folder / "tasks.yml"
    playbook.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": [*written, keep]}]))
    run = lab.start(str(playbook))
    assert run.wait() == 0, run.output
    found: list[dict[str, Any]] = json.loads(told.read_text())
    return found
