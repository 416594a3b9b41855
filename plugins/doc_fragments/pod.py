# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options that shape the pods of a job."""

from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._docs.pod import pod_document


class ModuleDocFragment:
    """The options of `_pods.template.pod_options`."""

    # With its type, because ansible-test's yamllint takes every plain assignment for a literal.
    DOCUMENTATION: str = pod_document()
