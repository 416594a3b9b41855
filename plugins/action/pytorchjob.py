# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of pytorchjob: shows its steps."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.job import JobAction


class ActionModule(JobAction):
    """Runs the module of the same name."""

    MODULE = "trainyard.mlstack.pytorchjob"
