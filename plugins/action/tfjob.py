# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of the modules for one kind of job, see plugin_routing in meta/runtime.yml."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.job import JobAction


class ActionModule(JobAction):
    """Run the module that the task names."""
