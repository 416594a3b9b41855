# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as files, for a repository or for kubectl: one file a job, written only when it differs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Dict, Optional

from ansible.module_utils.common.yaml import yaml_dump

from .._job_model.job import Job


@dataclass(frozen=True)
class JobFile:
    """The file of one job. before: what it holds now; None when it does not exist."""

    path: str
    before: Optional[str]
    text: str

    @property
    def changed(self) -> bool:
        """Tell whether it is to be written."""
        return self.before != self.text

    def diff(self) -> Dict[str, str]:
        """Return its entry of Ansible's diff."""
        header = {"before_header": self.path, "after_header": self.path}
        return {**header, "before": self.before or "", "after": self.text}


def file_of(job: Job, folder: str) -> JobFile:
    """Return a job's file as it is to be. Raises OSError."""
    path = os.path.join(folder, f"{job.namespace}-{job.kind.name}-{job.name}.yml")
    before = None
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as handle:
            before = handle.read()
    return JobFile(path, before, text_of(job))


def text_of(job: Job) -> str:
    """Return a job's objects as YAML documents, the root first."""
    documents = [yaml_dump(item, sort_keys=False, default_flow_style=False) for item in (job.root, *job.parts)]
    return "".join(f"---\n{document}" for document in documents)


def write(file: JobFile) -> None:
    """Write a file, whole or not at all. Raises OSError."""
    os.makedirs(os.path.dirname(file.path), exist_ok=True)
    temporary = f"{file.path}.new"
    with open(temporary, "w", encoding="utf-8") as handle:
        handle.write(file.text)
    os.replace(temporary, file.path)
