# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom CoreDNS will ask on this host for names outside the cluster."""

from __future__ import annotations

from typing import Any, List, Mapping

from ...module_utils._common.problem import Problem, Rule
from ...module_utils._host.info_resolver import is_loopback

LOOP = Rule(
    "nameserver in {file}",
    "in a pod this address is the pod itself: CoreDNS would ask itself without end",
    "Name a server that pods can reach there, or in a file of its own: kubernetes_kubelet_settings:"
    " {{resolvConf: <file>}}",
)
NONE = Rule(
    "nameserver in {file}",
    "CoreDNS does not start without a server to ask for names outside the cluster",
    "Add a line: nameserver <address>; without any DNS server, an address of the network that answers nothing will do",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the resolver; a file that the user has chosen for the kubelet is not judged.

    facts: what node_info read there.
    options: `kubelet_settings` and `resolv_conf`, the user's own choice or empty.
    """
    if options["resolv_conf"] or "resolvConf" in options["kubelet_settings"]:
        return []
    servers, file = facts["resolver"]["pods_nameservers"], facts["resolver"]["file"]
    if not servers:
        return [NONE.broken("none", file=file)]
    loops = [server for server in servers if is_loopback(server)]
    return [LOOP.broken(", ".join(loops), file=file)] if loops else []
