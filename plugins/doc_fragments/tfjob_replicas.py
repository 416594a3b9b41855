# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the replica types of a TFJob."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._docs.pod import replicas_document

_TYPES = {
    "Chief": "The replica that leads. Its end is the job's end.",
    "Master": "The same as Chief, by its old name.",
    "PS": "Parameter servers. They never end by themselves.",
    "Worker": "Workers. Without a Chief the first one leads.",
    "Evaluator": "Evaluates checkpoints beside the training.",
}


class ModuleDocFragment:
    """The replica types, each with the options of the fragment `pod`."""

    # With its type, because ansible-test's yamllint takes every plain assignment for a literal.
    DOCUMENTATION: str = replicas_document(_TYPES)
