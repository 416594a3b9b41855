# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why its queue, or the scheduler that has the queue, holds back a gang. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import Iterator, List, Mapping, Optional

from .._job_model.cause import WAITS, Cause, Finding, ago
from .._kube.quantity import readable
from .._kube.resource import Manifest
from .._pods.demand import Amounts, amounts
from .backend import Backend
from .queue import ROOT, below, queue_of
from .queue_taking import SHUT

SILENT = Cause(
    "the scheduler of gangs does not run",
    "{title} does not seem to run: nobody has looked at PodGroup {group} in {ago}",
    "See whether its scheduler runs, under the name {scheduler}: that is what the pods ask for",
)
QUEUE_MISSING = Cause(
    "a queue that does not exist",
    "Queue {queue}, in which the gang waits, does not exist, so {title} leaves the gang alone",
    "Make the queue (module queue); the gang starts by itself then",
)
QUEUE_SHUT = Cause(
    "a closed queue",
    "Queue {queue}, in which the gang waits, is {state}: {title} starts nothing in it",
    "Have it opened: vcctl queue operate --action open --name {queue}",
)
QUEUE_ABOVE = Cause(
    "a queue with others below it",
    "Queue {queue} has others below it, and {title} starts gangs only in queues that have none",
    "Remove the job and send it to one of {below}",
)
QUEUE_SMALL = Cause(
    "a queue that is too small for the gang",
    "The gang can never start in queue {queue}: its {least} pods ask for at least {asked} {resource} together, and"
    " the queue's capability is {limit}",
    "Raise the capability of the queue (module queue), or ask for less",
)
QUEUE_FULL = Cause(
    "a queue that is full",
    "Queue {queue} has no room for the gang: it uses {used} of {limit} {resource}, and the gang asks for at least"
    " {asked}",
    "Wait until other jobs of the queue end, or raise its capability (module queue)",
    rank=WAITS,
)
QUEUE_TURN = Cause(
    "a gang whose queue has had its share",
    "The nodes have room for the gang, and {title} has not given it: queue {queue} has had its share, or others come"
    " first",
    "Wait; job_status shows what each queue is due and uses, and weights (module queue) say what it is due",
    rank=WAITS,
)
# A scheduler that runs looks at a new PodGroup within a second or two; a busy one within this.
_PATIENCE_S = 20.0


def why_held(
    backend: Backend, group: Manifest, queues: Optional[Mapping[str, Manifest]], least: int, asked: Amounts
) -> Iterator[Finding]:
    """Yield why a gang cannot start in its queue, whatever room the nodes have.

    queues: all there are, None when that is not known. asked: what its minimum asks for at the very least.
    """
    name = queue_of(group)
    if "queue" not in backend.extras or queues is None:
        return
    if name not in queues:
        yield QUEUE_MISSING.found(_others(queues), queue=name, title=backend.title)
        return
    spec, status = (queues[name].get(key) or {} for key in ("spec", "status"))
    if status.get("state") in SHUT:
        yield QUEUE_SHUT.found(queue=name, state=status["state"], title=backend.title)
    lower = below(queues, name)
    if lower:
        yield QUEUE_ABOVE.found(queue=name, title=backend.title, below=", ".join(lower))
    used = amounts(status.get("allocated"))
    for resource, limit in sorted(amounts(spec.get("capability")).items()):
        details = {"queue": name, "resource": resource, "limit": readable(limit)}
        wanted = asked.get(resource, Decimal(0))
        if wanted > limit:
            yield QUEUE_SMALL.found(least=least, asked=readable(wanted), **details)
        elif wanted and used.get(resource, Decimal(0)) + wanted > limit:
            yield QUEUE_FULL.found(asked=readable(wanted), used=readable(used.get(resource, Decimal(0))), **details)


def why_silent(backend: Backend, group: Manifest, scheduler: str, waited: float) -> Iterator[Finding]:
    """Yield that nobody takes up gangs; Kubernetes' own scheduler is judged by its pods. waited: seconds."""
    if backend.scheduler and waited >= _PATIENCE_S and not (group.get("status") or {}).get("phase"):
        name = str(group["metadata"]["name"])
        yield SILENT.found(title=backend.title, group=name, ago=ago(waited), scheduler=scheduler or backend.scheduler)


def _others(queues: Mapping[str, Manifest]) -> List[str]:
    names = sorted(set(queues) - {ROOT})
    return [f"queues there are: {', '.join(names)}"] if names else ["there is no queue at all"]
