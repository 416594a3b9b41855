# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role's tables as Ansible reads them: each sample is a job that its module takes, Volcano's as guides do it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.paths import ROOT

ROLE = ROOT / "roles" / "samples"
SAMPLES = yaml.safe_load((ROLE / "meta/argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
RENDER = """
- hosts: localhost
  gather_facts: false
  vars_files: [{role}/defaults/main.yml, {role}/vars/main.yml]
  tasks:
    - name: Render the jobs
      trainyard.mlstack.jobs:
        state: rendered
        jobs: ["{{{{ __samples_options }}}}"]
      vars: {{__samples_item: "{{{{ item }}}}"}}
      loop: "{{{{ samples_run }}}}"
      register: made
    - ansible.builtin.copy:
        dest: "{folder}/made.json"
        content: "{{{{ made.results | map(attribute='jobs') | flatten }}}}"
        mode: "0600"
"""


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return what the module makes of each sample, by the job's name."""
    folder = tmp_path_factory.mktemp("samples")
    (folder / "data").mkdir()
    (folder / "data" / "digits.csv").write_text("0,1\n", encoding="utf-8")
    (folder / "files").symlink_to(ROLE / "files")
    playbook = folder / "render.yml"
    playbook.write_text(RENDER.format(role=ROLE, folder=folder), encoding="utf-8")
    given = {
        "samples_bundle_dir": str(folder),
        "samples_run": SAMPLES["samples_run"]["choices"],
        "samples_image": "t:1",
    }
    given.update(samples_pytorch_image="p:1", ansible_python_interpreter=sys.executable)
    program = str(Path(sys.executable).with_name("ansible-playbook"))
    command = [program, "-i", "localhost,", "-c", "local", str(playbook), "-e", json.dumps(given)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {job["name"]: job for job in json.loads((folder / "made.json").read_text())}


def test_every_sample_is_a_job(jobs: dict[str, dict[str, Any]]) -> None:
    assert [name.replace("-", "_") for name in jobs] == SAMPLES["samples_run"]["choices"]
    assert {name: job["kind"] for name, job in jobs.items() if not name.startswith(job["kind"].replace("_", "-"))} == {}


def test_that_of_volcano_is_the_guides(jobs: dict[str, dict[str, Any]]) -> None:
    (root,) = jobs["volcano-job-parameter-server"]["manifests"]
    spec = root["spec"]
    assert (spec["minAvailable"], spec["plugins"]) == (3, {"env": [], "svc": []})
    assert spec["policies"] == [{"action": "RestartJob", "events": ["PodEvicted", "PodFailed"]}]
    servers, workers = spec["tasks"]
    assert (servers["name"], servers["replicas"], workers["name"], workers["replicas"]) == ("ps", 1, "worker", 2)
    assert workers["policies"] == [{"action": "CompleteJob", "event": "TaskCompleted"}]
    for task in (servers, workers):
        pod = task["template"]["spec"]
        (container,) = pod["containers"]
        assert container["command"][:2] == ["sh", "-c"]
        assert '"task":{"type":"' + task["name"] in container["command"][2]
        assert container["args"] == ["python3", "/sample/ps_job_digits.py", "--data=/volume/data/digits.csv"]
        assert pod["restartPolicy"] == "Never"
        (spread,) = pod["topologySpreadConstraints"]
        assert spread["labelSelector"] == {"matchLabels": {"volcano.sh/job-name": "volcano-job-parameter-server"}}
    assert jobs["volcano-job-parameter-server"]["notes"] == []
