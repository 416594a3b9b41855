# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests of static pods as kubeadm writes them: pure functions of their text. Python 3.8, standard library only."""

from __future__ import annotations

import difflib
import re
from typing import Dict, List, NamedTuple

# In the order in which they are changed: each one needs those before it.
COMPONENTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
# What a member of etcd was started with says nothing about the cluster that it is in by now.
_MEMBERSHIP = ("--initial-cluster=", "--initial-cluster-state=")


class Probe(NamedTuple):
    """Where a program says whether it is ready. tls: whether by HTTPS."""

    tls: bool
    host: str
    port: int
    path: str


def with_membership_of(rendered: str, live: str) -> str:
    """Return the rendered manifest of etcd with the arguments by which the live one came into its cluster."""
    kept = [line for line in live.splitlines() if line.strip().startswith(tuple(f"- {name}" for name in _MEMBERSHIP))]
    if not kept:
        return rendered
    lines = []
    for line in rendered.splitlines():
        if line.strip().startswith(tuple(f"- {name}" for name in _MEMBERSHIP)):
            lines += kept
            kept = []
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def probe_of(manifest: str) -> Probe:
    """Return how the manifest's only container is asked whether it is ready, else whether it lives.

    Raises ValueError when it cannot be asked over HTTP.
    """
    fields: Dict[str, str] = {}
    for kind in ("readinessProbe", "livenessProbe"):
        block = re.search(rf"^ +{kind}:\n((?: {{6,}}.*\n)+)", manifest, re.MULTILINE)
        if block:
            fields = dict(re.findall(r"^ +(host|path|port|scheme): (.+)$", block.group(1), re.MULTILINE))
            break
    port = fields.get("port", "")
    if port and not port.isdigit():
        named = re.search(rf"containerPort: (\d+)\n +name: {re.escape(port)}\n", manifest)
        port = named.group(1) if named else ""
    if not port:
        raise ValueError("the manifest has no probe over HTTP")
    host = fields.get("host", "127.0.0.1").strip("\"'")
    return Probe(fields.get("scheme") == "HTTPS", host, int(port), fields.get("path", "/"))


def changed_lines(before: str, after: str) -> List[str]:
    """Return the lines that differ, old ones with a minus and new ones with a plus, without what surrounds them."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line[0] + " " + line[1:].strip() for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
