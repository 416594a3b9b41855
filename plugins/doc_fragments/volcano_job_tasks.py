# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the tasks of a Volcano Job."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._docs.volcano import tasks_document


class ModuleDocFragment:
    """The tasks, each with the options of the fragment `pod`."""

    # With its type, because ansible-test's yamllint takes every plain assignment for a literal.
    DOCUMENTATION: str = tasks_document()
