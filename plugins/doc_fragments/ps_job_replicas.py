# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the replica types of a parameter-server job."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._docs.pod import replicas_document

_TYPES = {
    "PS": "Parameter servers. They never end by themselves, and are removed when the job has ended.",
    "Worker": "Workers. Their end is the job's end.",
}

_MORE = """
nodes:
  description:
    - Names of nodes to which the tasks of this type are pinned, in turn. It wins over the common O(ignore:nodes), as
      O(ignore:node) of the type does.
  type: list
  elements: str
"""


class ModuleDocFragment:
    """The replica types, each with the options of the fragment `pod`."""

    # With its type, because ansible-test's yamllint takes every plain assignment for a literal.
    DOCUMENTATION: str = replicas_document(_TYPES, _MORE.strip("\n") + "\n")
