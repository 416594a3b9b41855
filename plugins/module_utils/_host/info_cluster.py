# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read from a control plane what its cluster was made with and keeps for life. Python 3.8, standard library only."""

from __future__ import annotations

import re
from typing import Dict

from .._common.host import Host

MANIFEST = "/etc/kubernetes/manifests/kube-controller-manager.yaml"
KUBELET = "/var/lib/kubelet/config.yaml"
# What it is called here -> how the controller manager's command line says it.
_ARGUMENTS = {"pod_cidr": "cluster-cidr", "service_cidr": "service-cluster-ip-range", "cluster_name": "cluster-name"}


def cluster(host: Host) -> Dict[str, str]:
    """Return `pod_cidr`, `service_cidr`, `cluster_name` and `dns_domain`, as far as they are told.

    Raises OSError on a host that is no control plane.
    """
    text = host.text(MANIFEST)
    patterns = {name: rf"^\s*- --{argument}=(\S+)$" for name, argument in _ARGUMENTS.items()}
    found = {name: re.search(pattern, text, re.MULTILINE) for name, pattern in patterns.items()}
    found["dns_domain"] = re.search(r"^clusterDomain: (\S+)$", host.text_or_none(KUBELET) or "", re.MULTILINE)
    return {name: match.group(1).strip("\"'") for name, match in found.items() if match}
