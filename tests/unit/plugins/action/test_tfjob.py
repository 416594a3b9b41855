# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One plugin serves the modules for all kinds of jobs, by whatever name a task calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT

JOBS = {"state": "rendered", "image": "a:1", "replicas": {"Master": {}}, "jobs": [{"name": "one"}, {"name": "two"}]}


def test_a_routed_module_is_the_one_that_the_task_names(tmp_path: Path) -> None:
    play = {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "vars": {"ansible_python_interpreter": sys.executable},
        "collections": ["trainyard.mlstack"],
        "module_defaults": {
            "trainyard.mlstack.pytorchjob": {"namespace": "own-default"},
            # An option that only tfjob has.
            "trainyard.mlstack.tfjob": {"success_policy": "AllWorkers"},
        },
        "tasks": [{"pytorchjob": JOBS}, {"trainyard.mlstack.pytorchjob": JOBS}],
    }
    playbook = tmp_path / "play.yml"
    playbook.write_text(json.dumps([play]), encoding="utf-8")
    argv = [str(Path(sys.executable).with_name("ansible-playbook")), "-i", "localhost,", str(playbook)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout
    rows = [line.split()[:2] for line in done.stdout.splitlines() if line.startswith("own-default/")]
    assert rows == [["own-default/one", "pytorchjob"], ["own-default/two", "pytorchjob"]] * 2
