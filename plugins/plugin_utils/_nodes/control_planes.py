# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Control planes of a cluster, by what is known of their hosts. Python 3.8, standard library only."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping


class LeaderError(ValueError):
    """Nobody can say whether there is a cluster already."""


def leader(planes: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the host that starts the cluster, or invites others to the one that is there.

    planes: inventory name -> what node_info read there, empty when the host could not be read; in the order of
        the inventory.
    A control plane that is finished comes before all others, wherever it stands: the first one may have been replaced.
    Raises LeaderError when none is finished and one could not be asked: a second cluster could be made beside its own.
    """
    done = [host for host, node in planes.items() if _is_control_plane(node)]
    unknown = [host for host, node in planes.items() if not node]
    if not done and unknown and len(unknown) < len(planes):
        raise LeaderError(
            f"no control plane that could be read belongs to a cluster yet, and {', '.join(unknown)} could not be read:"
            " a cluster may be there already. Start these hosts, or take them out of kube_control_plane"
        )
    return (done or list(planes))[0]


def servers(planes: Mapping[str, Mapping[str, Any]]) -> List[Dict[str, str]]:
    """Return name and address of the control planes that could be read, in the inventory's order."""
    return [{"name": host, "address": str(node["address"])} for host, node in planes.items() if node]


def _is_control_plane(node: Mapping[str, Any]) -> bool:
    kubernetes = node.get("kubernetes") or {}
    return bool(kubernetes.get("admin_conf")) and kubernetes.get("stage") == "done"
