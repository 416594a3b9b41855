# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report for programs: one JSON file on the controller, whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleActionFail


def write_report(path: str, report: Mapping[str, Any]) -> None:
    """Write the report to the path, whose folder is made. Raises AnsibleActionFail, with the path and the reason."""
    temporary = f"{path}.mlstack-new"
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(temporary, "w", encoding="utf-8") as handle:
            json.dump(report, handle, indent=2, default=str)
            handle.write("\n")
        os.rename(temporary, path)
    except OSError as error:
        raise AnsibleActionFail(f"mlstack_report_file = {path}: it cannot be written ({error.strerror})") from error
