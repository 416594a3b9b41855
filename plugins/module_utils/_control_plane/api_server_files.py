# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that the API server reads: pure functions from options to path and content. Standard library only.

A file's name holds the sum of its content. So other content is another argument, which restarts the process as any
changed argument does, and a manifest that is put back finds the files that it was written for.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
from typing import Any, Dict, List, Mapping

FOLDER = "/etc/kubernetes/mlstack/apiserver"
AUDIT_FOLDER = "/var/log/kubernetes/audit"
AUDIT_LOG = f"{AUDIT_FOLDER}/audit.log"
# What a load balancer and the kubelet's probes ask for without a certificate.
HEALTH_PATHS = ("/healthz", "/livez", "/readyz")
_AUDIT_POLICY, _AUTHENTICATION = _KINDS = ("audit-policy", "authentication")
_DIGITS = 12
_READS = ["get", "list", "watch"]
_SYSTEM = ["system:apiserver", "system:kube-controller-manager", "system:kube-scheduler", "system:kube-proxy"]
# Who did what to which object, without its content, so that no secret gets into the log.
AUDIT_POLICY: Mapping[str, Any] = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "None", "nonResourceURLs": ["/healthz*", "/livez*", "/readyz*", "/version", "/openapi/*"]},
        {"level": "None", "resources": [{"group": "", "resources": ["events"]}, {"group": "events.k8s.io"}]},
        {"level": "None", "resources": [{"group": "coordination.k8s.io", "resources": ["leases"]}]},
        {
            "level": "Metadata",
            "resources": [
                {"group": "", "resources": ["secrets", "configmaps", "serviceaccounts/token"]},
                {"group": "authentication.k8s.io", "resources": ["tokenreviews"]},
            ],
        },
        {"level": "None", "userGroups": ["system:nodes"], "verbs": _READS},
        {"level": "None", "users": _SYSTEM, "verbs": _READS},
        {"level": "Metadata"},
    ],
}


def api_server_files(options: Mapping[str, Any]) -> List[Dict[str, str]]:
    """Return the files whose content the inventory gives, each with path, content and mode.

    options: audit_log (bool), audit_policy (dict, empty for the role's own), anonymous_access (health or all).
    """
    files = []
    if options["audit_log"]:
        files.append(audit_policy_file(options["audit_policy"]))
    if options["anonymous_access"] == "health":
        files.append(authentication_file())
    return files


def audit_policy_file(policy: Mapping[str, Any]) -> Dict[str, str]:
    """Return the audit policy; an empty one stands for the role's own."""
    return _named(_AUDIT_POLICY, policy or AUDIT_POLICY)


def authentication_file() -> Dict[str, str]:
    """Return the configuration that lets nobody in without a name, but to ask for the server's health."""
    return _named(_AUTHENTICATION, {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AuthenticationConfiguration",
        "anonymous": {"enabled": True, "conditions": [{"path": path} for path in HEALTH_PATHS]},
    })


def stale_files(folder: str, manifest: str) -> List[str]:
    """Return the files of former settings: those of our names in a folder that a manifest does not name."""
    found = sorted(path for kind in _KINDS for path in glob.glob(f"{folder}/{kind}-{'?' * _DIGITS}.yaml"))
    return [path for path in found if os.path.basename(path) not in manifest]


def encryption_path(provider: str, folder: str = FOLDER) -> str:
    """Return the file with the key for secrets at rest. Its content is made on a node and is not known elsewhere."""
    return f"{folder}/encryption-{provider}.yaml"


def volumes(options: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """Return what the API server's pod must see of its host, as kubeadm's extraVolumes. options: audit_log (bool)."""
    mounts = [("mlstack-files", FOLDER, True)]
    if options["audit_log"]:
        mounts.append(("mlstack-audit", AUDIT_FOLDER, False))
    return [
        {"name": name, "hostPath": path, "mountPath": path, "readOnly": read_only, "pathType": "DirectoryOrCreate"}
        for name, path, read_only in mounts
    ]


def _named(name: str, document: Mapping[str, Any]) -> Dict[str, str]:
    content = json.dumps(document, indent=1, sort_keys=True) + "\n"
    digest = hashlib.sha256(content.encode()).hexdigest()[:_DIGITS]
    return {"path": f"{FOLDER}/{name}-{digest}.yaml", "content": content, "mode": "0600"}
