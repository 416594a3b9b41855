# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that kubeadm, kubelet and API server read on a node. Pure."""

from __future__ import annotations

from typing import Any

import yaml

from ...module_utils._control_plane.api_server_files import api_server_files
from .._common.plain_data import plain
from .kubeadm_config import init_documents, join_control_plane_documents, join_documents, kubelet_document

KUBEADM_CONFIG = "/etc/kubernetes/mlstack/kubeadm.yaml"
# kubeadm takes only one of the two documents, and which of them a control plane needs may change from run to run.
KUBEADM_JOIN_CONFIG = "/etc/kubernetes/mlstack/kubeadm-join.yaml"
KUBELET_DROP_IN = "/etc/kubernetes/kubelet.conf.d/00-mlstack.conf"


def kubernetes_files(options: dict[str, Any], step: str) -> list[dict[str, str]]:
    """Return the files, each with path, content and mode.

    step: init for a control plane, also for one that joins others; join for a worker.
    """
    options = plain(options)
    files = [_file(KUBEADM_CONFIG, init_documents(options) if step == "init" else join_documents(options))]
    files.append(_file(KUBELET_DROP_IN, [kubelet_document(options)]))
    if step == "join":
        return files
    return [*files, _file(KUBEADM_JOIN_CONFIG, join_control_plane_documents(options)), *api_server_files(options)]


def kubeadm_documents(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return kubeadm's documents of a control plane, whichever way it came to its cluster."""
    return init_documents(plain(options))


def _file(path: str, documents: list[dict[str, Any]]) -> dict[str, str]:
    content = yaml.safe_dump_all(documents, sort_keys=False, explicit_start=True)
    return {"path": path, "content": content, "mode": "0600"}
