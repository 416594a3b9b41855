# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup as a playbook calls it: options come from the user's variables."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT


def debug(expression: str, **variables: object) -> subprocess.CompletedProcess[str]:
    """Show an expression with Ansible's own command, from the root of the checkout."""
    ansible = str(Path(sys.executable).with_name("ansible"))
    module = ["-m", "ansible.builtin.debug", "-a", json.dumps({"msg": expression})]
    argv = [ansible, "localhost", "-i", "localhost,", "-c", "local", *module, "-e", json.dumps(variables)]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)


def test_the_newest_release_is_used_and_a_users_folder_is_looked_into(tmp_path: Path) -> None:
    sections = "components: {}\nprograms: {}\nimages: {pause: x}\nmanifests: {}\ndata: {}\n"
    (tmp_path / "2999.01.yml").write_text('release: "2999.01"\n' + sections)
    done = debug(
        "{{ lookup('trainyard.mlstack.release', 'release', 'images.pause') }}", mlstack_release_dirs=[str(tmp_path)]
    )
    assert done.returncode == 0, done.stdout
    assert "2999.01,x" in done.stdout


def test_a_number_is_refused_with_the_quoted_form() -> None:
    done = debug("{{ lookup('trainyard.mlstack.release', 'release') }}", mlstack_release=2026.11)
    assert done.returncode != 0
    assert 'mlstack_release: "2026.11"' in done.stdout + done.stderr
