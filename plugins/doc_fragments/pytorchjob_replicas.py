# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the replica types of a PyTorchJob."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._docs.pod import replicas_document

_TYPES = {
    "Master": "Rank 0, one at most. Its end is the job's end.",
    "Worker": "All other ranks, started when the Master has a name. Without a Master the job ends with the last one.",
}


class ModuleDocFragment:
    """The replica types, each with the options of the fragment `pod`."""

    # With its type, because ansible-test's yamllint takes every plain assignment for a literal.
    DOCUMENTATION: str = replicas_document(_TYPES)
