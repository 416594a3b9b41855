"""The callback in a real run: ansible-playbook as a process, two local hosts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT

PLAYBOOK = """
- name: Greet
  hosts: all
  gather_facts: false
  tasks:
    - name: Say it
      ansible.builtin.debug:
        msg: hello
      changed_when: inventory_hostname == 'one'
- name: Part
  hosts: two
  gather_facts: false
  tasks:
    - name: Fail
      ansible.builtin.fail:
        msg: no
"""


def run(tmp_path: Path, callbacks: str) -> str:
    """Run the playbook with only these callbacks enabled; return what it printed."""
    playbook = tmp_path / "play.yml"
    playbook.write_text(PLAYBOOK, encoding="utf-8")
    config = tmp_path / "ansible.cfg"
    config.write_text(f"[defaults]\ncollections_path = {ROOT}/.ansible/collections\n{callbacks}\n", encoding="utf-8")
    environment = {**os.environ, "ANSIBLE_CONFIG": str(config), "LC_ALL": "C.UTF-8"}
    command = [Path(sys.executable).with_name("ansible-playbook"), "-i", "one,two,", playbook]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return done.stdout


def test_phases_are_shown_as_they_begin_and_summed_up_at_the_end(tmp_path: Path) -> None:
    out = run(tmp_path, "callbacks_enabled = trainyard.mlstack.timeline")
    assert "==> 00:00 Greet\n" in out
    assert re.search(r"==> 00:0\d Part, after Greet: \d\.\d s, 1 task, 1 changed", out)
    table = out[out.index("TIMELINE"):]
    assert re.search(r"00:00 +\d\.\d +1 +1  Greet ", table)
    assert re.search(r"00:0\d +\d\.\d +1 +0  Part .* 1 failed", table)


def test_it_is_silent_unless_enabled(tmp_path: Path) -> None:
    out = run(tmp_path, "")
    assert "PLAY RECAP" in out
    assert "TIMELINE" not in out
