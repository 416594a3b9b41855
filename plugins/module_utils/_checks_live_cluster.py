# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of one host that is a node already: what a cluster keeps for life must be what the inventory says."""

from __future__ import annotations

import ipaddress
from typing import Any, List, Mapping

from ansible_collections.trainyard.mlstack.plugins.module_utils._problem import Problem, Rule

FOR_LIFE = Rule(
    "{option}",
    "the cluster that runs was made with {live}, and keeps it for life",
    "Set it to {live}, or make another cluster",
)
OTHER_VERSION = Rule(
    "mlstack_release",
    "the node runs Kubernetes {live}, and this collection cannot upgrade a cluster yet; the release has {wanted}",
    "Name the release that the cluster was made from",
)
# What the fact and the option are called -> the variable that a user sets.
OPTIONS = {
    "pod_cidr": "mlstack_pod_cidr",
    "service_cidr": "mlstack_service_cidr",
    "cluster_name": "mlstack_cluster_name",
    "dns_domain": "kubernetes_dns_domain",
}


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what cannot be changed any more; a host that is no node of ours, or does not tell, is not judged.

    facts: what node_info read there. options: those of OPTIONS, and `kubernetes_version`, of the release (empty: not
        judged).
    """
    there = facts["kubernetes"] or {}
    if not (there.get("ours") and there.get("kubelet_conf")):
        return []
    problems = []
    live, wanted = there.get("version"), options["kubernetes_version"]
    if live and wanted and live != wanted:
        problems.append(OTHER_VERSION.broken(f"Kubernetes {wanted}", live=live, wanted=wanted))
    for name, live in (facts.get("cluster") or {}).items():
        if _parts(live) != _parts(str(options[name])):
            problems.append(FOR_LIFE.broken(options[name], option=OPTIONS[name], live=live))
    return problems


def _parts(text: str) -> List[str]:
    """Return what commas part, networks in the form that all their spellings share. The first is the main one."""
    return [_normal(part.strip()) for part in text.split(",")]


def _normal(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError:
        return text
