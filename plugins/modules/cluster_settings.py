#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_settings
short_description: "Internal: Update the configuration that kubeadm stores in the cluster"
description:
  - Compares kubeadm's and the kubelets' configuration that joining nodes take over, and kube-proxy's, with what kubeadm
    would store today, and has what differs stored. kube-proxy's pods are started again only when theirs differs.
  - Has every secret written again, once, after their encryption was switched over.
  - Run it on one control plane, after all of them have their settings.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Renders and compares only.
  diff_mode:
    support: full
    description: Shows the stored texts that differ. No secret is shown.
options:
  documents:
    description:
      - kubeadm's configuration, one dictionary a document, with InitConfiguration, ClusterConfiguration,
        KubeletConfiguration and KubeProxyConfiguration among them.
    type: list
    elements: dict
    required: true
  secrets_encryption:
    description: What the API servers encrypt secrets with by now.
    type: str
    choices: [secretbox, none]
    required: true
"""

EXAMPLES = r"""
- name: Store changed settings
  trainyard.mlstack.cluster_settings:
    documents: "{{ options | trainyard.mlstack.objects('kubeadm_documents') }}"
    secrets_encryption: secretbox
"""

RETURN = r"""
stored:
  description: ConfigMaps of namespace kube-system that were changed, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [kubeadm-config]
kube_proxy_restarted:
  description: Whether kube-proxy's pods are started again, or would be in check mode.
  type: bool
  returned: success
secrets_rewritten:
  description: Whether all secrets were written again, or would be in check mode.
  type: bool
  returned: success
"""

import json
from typing import Any, Dict, List, Optional

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import Progress, WorkError, start
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.cluster_settings import (
    Plan,
    apply,
    make_plan,
    rewrite_secrets,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm import KUBECTL, Layout
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_plan import SettingsError
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_run import run, scratch

SPEC = {
    "documents": {"type": "list", "elements": "dict", "required": True},
    "secrets_encryption": {"type": "str", "choices": ["secretbox", "none"], "required": True},
}
LAYOUT = Layout()


def replace_secrets() -> Optional[str]:
    """Write each secret as it is; return why some were left, None when none was."""
    kubectl = [KUBECTL, "--kubeconfig", LAYOUT.admin]
    listed, _warnings = run([*kubectl, "get", "secrets", "--all-namespaces", "--output", "json"], {})
    if not json.loads(listed)["items"]:
        return None
    try:
        run([*kubectl, "replace", "--filename", "-"], {}, listed)
    except SettingsError as error:
        return str(error)
    return None


def work(progress: Progress, documents: List[Dict[str, Any]], provider: str) -> Dict[str, Any]:
    """Store what differs."""
    try:
        with scratch() as folder:
            found = make_plan(LAYOUT, documents, provider, folder, run)
            if found.stored or found.restart_proxy:
                for step in found.steps():
                    progress.say(step)
                apply(LAYOUT, found, documents, folder, run)
            if found.rewrite:
                progress.say("all secrets: written again")
                rewrite_secrets(LAYOUT, provider, replace_secrets)
            return result(found, provider)
    except SettingsError as error:
        raise WorkError(str(error)) from None


def result(found: Plan, provider: str) -> Dict[str, Any]:
    """Return the module's result."""
    return {
        "changed": found.changed,
        "stored": sorted(found.stored),
        "kube_proxy_restarted": found.restart_proxy,
        "secrets_rewritten": found.rewrite,
        "diff": found.diff(provider),
    }


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    documents, provider = module.params["documents"], module.params["secrets_encryption"]
    try:
        with scratch() as folder:
            found = make_plan(LAYOUT, documents, provider, folder, run)
    except SettingsError as error:
        module.fail_json(msg=f"the cluster's settings cannot be read or rendered, nothing was changed: {error}")
    if module.check_mode or not found.changed:
        module.exit_json(**result(found, provider))
    module.exit_json(
        changed=True, background=start("cluster_settings", lambda progress: work(progress, documents, provider))
    )


if __name__ == "__main__":
    main()
