# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fifty jobs of eight pods that take all GPUs of a hundred KWOK nodes; used by a long test and a benchmark."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

from tests.integration.support import gang_scale
from tests.integration.support.gang_scale import NAMESPACE, SIZE
from tests.integration.support.kube_batch import KubeBatch
from tests.integration.support.samples import namespace_object
from tests.support.placements import Placements

NODES, NODE_GPUS = 100, 4
JOBS = NODES * NODE_GPUS // SIZE


@contextmanager
def crowd(folder: Path) -> Iterator[tuple[KubeBatch, Placements]]:
    """Return kube-batch at work on a hundred nodes, and who sees when pods get theirs."""
    with KubeBatch(folder) as kube_batch:
        kube_batch.server.create(namespace_object(NAMESPACE), "/api/v1/namespaces")
        seen = Placements(kube_batch.server.kubeconfig, NAMESPACE)
        with kube_batch.nodes(NODES, NODE_GPUS), kube_batch.running(), seen:
            yield kube_batch, seen


def jobs(gangs: bool) -> list[dict[str, Any]]:
    """Return the options of all jobs, as gangs or with pods that start one by one."""
    gang = {"backend": "kube_batch", "min_available": SIZE if gangs else 1}
    return [{**job, "command": ["train"], "gang": gang} for job in gang_scale.jobs(JOBS, gangs=False)]
