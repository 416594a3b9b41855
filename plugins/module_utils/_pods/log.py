# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the log of a pod's container."""

from __future__ import annotations

from typing import Optional

from .._kube.client import Client

# A log is returned as a task's result: more than this belongs in a file.
_LOG_BYTES = 1024 * 1024


def read_log(
    client: Client, namespace: str, pod: str, container: str, lines: Optional[int] = None, previous: bool = False
) -> str:
    """Return the last lines of a log; without `lines` all of it, up to 1 MiB. Raises ApiError.

    previous: of the container before it was started anew.
    """
    query = [("container", container)]
    query += [("previous", "true")] if previous else []
    query += [("tailLines", str(lines)) if lines is not None else ("limitBytes", str(_LOG_BYTES))]
    return client.text(f"/api/v1/namespaces/{namespace}/pods/{pod}/log", query)
