#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: control_plane_settings
short_description: "Internal: Apply changed settings to the running control plane of a host"
description:
  - Lets kubeadm render what the control plane of this host would be if it were made today, and compares that with what
    is there. Only a component whose manifest differs gets a new one, which makes the kubelet restart that one alone.
  - A component that does not come up with its new manifest gets the old one back, and the module fails with the
    program's own last words.
  - Names of the API server's certificate that are missing, or too many, renew the certificate.
  - Audit policies and other files that the API server read with former settings are removed once it runs with others.
  - Killed at any point, the next run goes on.
  - Run it on one control plane after another, so that the API stays up where there are several.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Renders and compares only.
  diff_mode:
    support: full
    description: Shows the manifests that differ, the names in the certificate, and files that are removed.
options:
  documents:
    description:
      - kubeadm's configuration of this control plane, one dictionary a document, InitConfiguration and
        ClusterConfiguration among them.
    type: list
    elements: dict
    required: true
  timeout:
    description: Seconds within which a component must be ready with its new settings, and again with the old ones.
    type: int
    default: 180
"""

EXAMPLES = r"""
- name: Apply changed settings
  trainyard.mlstack.control_plane_settings:
    documents: "{{ options | trainyard.mlstack.objects('kubeadm_documents') }}"
  throttle: 1
"""

RETURN = r"""
restarted:
  description: Components that got a new manifest, or would in check mode.
  type: list
  elements: str
  returned: success
  sample: [kube-apiserver]
certificate_renewed:
  description: Whether the API server got a new certificate, or would in check mode.
  type: bool
  returned: success
removed:
  description: Files of former settings that were removed, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: [/etc/kubernetes/mlstack/apiserver/audit-policy-0123456789ab.yaml]
"""

import http.client
import os
import socket
import ssl
from typing import Any, Dict, FrozenSet, List

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import Progress, WorkError, start
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.certificate_names import names_of
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm import Layout
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_apply import (
    Tools,
    await_served,
    pending,
    renew_certificate,
    restart,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_plan import (
    Plan,
    SettingsError,
    make_plan,
    read,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_run import run, scratch
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.static_pod import COMPONENTS, Probe

SPEC = {
    "documents": {"type": "list", "elements": "dict", "required": True},
    "timeout": {"type": "int", "default": 180},
}
LAYOUT = Layout()
API_SERVER = "kube-apiserver"
TAKES_OVER_SECONDS = 90
# Only health is asked, and the name in it, at an address of this host.
UNVERIFIED = ssl._create_unverified_context()


def ready(probe: Probe) -> bool:
    """Tell whether a program says that it is ready."""
    kind: Any = http.client.HTTPSConnection if probe.tls else http.client.HTTPConnection
    connection = kind(probe.host, probe.port, timeout=5, **({"context": UNVERIFIED} if probe.tls else {}))
    try:
        connection.request("GET", probe.path)
        return bool(connection.getresponse().status == 200)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def served_names(probe: Probe) -> FrozenSet[str]:
    """Return the names in the certificate that a program shows."""
    try:
        with socket.create_connection((probe.host, probe.port), timeout=5) as raw, UNVERIFIED.wrap_socket(raw) as shown:
            return names_of(shown.getpeercert(binary_form=True) or b"")
    except OSError:
        return frozenset()


def work(progress: Progress, documents: List[Dict[str, Any]], timeout: float) -> Dict[str, Any]:
    """Apply what differs, and what an earlier run has left."""
    tools = Tools(run=run, ready=ready, say=progress.say)
    try:
        with scratch() as folder:
            found = make_plan(LAYOUT, documents, folder, run)
            manifest = read(LAYOUT.manifest(API_SERVER))
            if found.names is not None:
                progress.say("certificate of the API server: renewed")
                renew_certificate(LAYOUT, os.path.join(folder, "pki"))
                await_served(served_names, found.names[1], tools, API_SERVER, manifest, TAKES_OVER_SECONDS)
            left = pending(LAYOUT)
            todo = [name for name in COMPONENTS if name in found.manifests or name == left]
            for component in todo:
                _before, wanted = found.manifests.get(component, ("", read(LAYOUT.manifest(component))))
                restart(LAYOUT, tools, component, wanted, timeout)
            # Not before: the old manifest, which comes back where the new one fails, names them.
            for path in found.stale:
                os.unlink(path)
            return result(found, todo)
    except SettingsError as error:
        raise WorkError(str(error)) from None


def result(found: Plan, restarted: List[str]) -> Dict[str, Any]:
    """Return the module's result."""
    return {
        "changed": bool(restarted or found.stale) or found.names is not None,
        "restarted": restarted,
        "certificate_renewed": found.names is not None,
        "removed": found.stale,
        "diff": found.diff(LAYOUT),
    }


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    documents, timeout = module.params["documents"], module.params["timeout"]
    try:
        with scratch() as folder:
            found = make_plan(LAYOUT, documents, folder, run)
            left = pending(LAYOUT)
            todo = [name for name in COMPONENTS if name in found.manifests or name == left]
            predicted = result(found, todo)
    except SettingsError as error:
        module.fail_json(msg=f"kubeadm cannot render these settings, nothing was changed: {error}")
    if module.check_mode or not predicted["changed"]:
        module.exit_json(**predicted)
    module.exit_json(
        changed=True,
        background=start("control_plane_settings", lambda progress: work(progress, documents, timeout)),
    )


if __name__ == "__main__":
    main()
