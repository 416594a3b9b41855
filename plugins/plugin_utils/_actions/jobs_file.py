# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of jobs on the controller."""

from __future__ import annotations

import os
from typing import Any

import yaml
from ansible.errors import AnsibleActionFail

from ...module_utils._common.problem import Problem

_EXAMPLE = "Write a list of jobs, or a mapping with `jobs` and `defaults`"


def read_jobs(path: str) -> tuple[Any, dict[str, Any]]:
    """Return the jobs of a file and its defaults for them. Raises AnsibleActionFail with what is wrong.

    A relative path begins at the folder in which the playbook was started.
    """
    full = os.path.abspath(os.path.expanduser(path))
    try:
        with open(full, encoding="utf-8") as handle:
            content = yaml.safe_load(handle)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise _failure(full, f"cannot be read ({reason})", "Name a YAML file on the controller") from error
    if isinstance(content, list):
        return content, {}
    if not isinstance(content, dict):
        raise _failure(full, "holds no jobs", _EXAMPLE)
    unknown = [str(key) for key in content if key not in ("jobs", "defaults")]
    if unknown:
        raise _failure(full, f"has {', '.join(unknown)} at its top", _EXAMPLE)
    defaults = content.get("defaults") or {}
    if not isinstance(content.get("jobs"), list) or not isinstance(defaults, dict):
        raise _failure(full, "needs a list as `jobs`, and a mapping as `defaults` if there are any", _EXAMPLE)
    return content["jobs"], defaults


def _failure(path: str, rule: str, way_out: str) -> AnsibleActionFail:
    return AnsibleActionFail(Problem("file", path, rule, way_out).line())
