# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import yaml

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.files import file_of, write

ROOT = {"kind": "ConfigMap", "metadata": {"name": "j"}, "data": {"program": "import x\nprint('é')\n", "number": "1"}}
JOB = Job(PS_JOB, "j", "n", ROOT, [{"kind": "Service", "apiVersion": "v1"}])


def test_a_file_holds_the_root_and_its_parts_in_their_order(tmp_path: Path) -> None:
    file = file_of(JOB, str(tmp_path / "new" / "folder"))
    assert (file.before, file.changed, file.diff()["before"]) == (None, True, "")
    assert not (tmp_path / "new").exists()
    write(file)
    path = tmp_path / "new" / "folder" / "n-ps_job-j.yml"
    assert list(yaml.safe_load_all(path.read_text(encoding="utf-8"))) == [ROOT, JOB.parts[0]]
    assert path.read_text(encoding="utf-8").startswith("---\nkind: ConfigMap\nmetadata:\n  name: j\n")
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_file_that_is_as_it_should_be_is_left_alone(tmp_path: Path) -> None:
    write(file_of(JOB, str(tmp_path)))
    assert not file_of(JOB, str(tmp_path)).changed
    (tmp_path / "n-ps_job-j.yml").write_text("something else", encoding="utf-8")
    file = file_of(JOB, str(tmp_path))
    assert (file.changed, file.diff()["before"]) == (True, "something else")
