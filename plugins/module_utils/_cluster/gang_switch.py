# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a gang scheduler that is to go, or another version of Kubernetes, would leave without one. Pure."""

from __future__ import annotations

from typing import Dict, List, Mapping, Sequence, Tuple

from .._common.problem import Problem, Rule
from .._gangs.gang import BACKENDS
from .._job_kinds.registry import job_title
from .._kube.resource import Manifest, ref_of
from .gang_jobs import ENDED, GangJob

Version = Tuple[int, int]
GROUP = "scheduling.k8s.io"
# What each version of Kubernetes serves of its own gangs. What is stored in a version that the next one does not serve
# can then be neither read nor removed.
SHAPES: Mapping[Version, Mapping[str, Sequence[str]]] = {
    (1, 35): {"v1alpha1": ("Workload",)},
    (1, 36): {"v1alpha2": ("Workload", "PodGroup")},
    (1, 37): {"v1alpha3": ("Workload", "PodGroup", "CompositePodGroup"), "v1beta1": ("Workload", "PodGroup")},
}
_FEW = 5

IN_USE = Rule(
    "gang scheduler {backend}",
    "is to go, and {count} still under it ({state})",
    "{way_out}",
)
DROPPED = Rule(
    "{kind} in {version}",
    "Kubernetes {following} does not serve this shape any more: nobody can then read or remove what is left of it",
    "Let the jobs end or remove them before the upgrade (jobs with state absent), and submit them again afterwards",
)


def switch_problems(jobs: Sequence[GangJob], removes: Sequence[str]) -> List[Problem]:
    """Return which jobs stand in the way of taking gang schedulers away. removes: backends."""
    problems: List[Problem] = []
    for name in removes:
        for state in ("running", "waiting"):
            found = [job for job in jobs if job.backend == name and job.state == state and job.state != ENDED]
            if found:
                noun = "1 job is" if len(found) == 1 else f"{len(found)} jobs are"
                details = {"backend": BACKENDS[name].title, "count": noun, "state": state, "way_out": _WAYS_OUT[state]}
                problems.append(IN_USE.broken(_few([job_title(job.ref) for job in found]), **details))
    return problems


_WAYS_OUT = {
    "running": "Wait until they have ended, or remove them; keep the scheduler until then, new jobs can use another "
    "one at once",
    "waiting": "Remove them (jobs with state absent) and submit them again with another gang.backend; or wait until "
    "they have ended",
}


def dropped_kinds(now: Version, following: Version) -> List[Tuple[str, str]]:
    """Return (API version, kind) of what a version of Kubernetes serves and a later one does not.

    A version that is not known yet is taken to serve all but the alpha shapes of those before it.
    """
    known = [version for version in SHAPES if version <= now]
    if not known or following <= now:
        return []
    kept = set()
    for version, kinds in SHAPES[max(known)].items():
        stays = version in SHAPES[following] if following in SHAPES else "alpha" not in version
        kept |= {(version, kind) for kind in kinds} if stays else set()
    every = [(version, kind) for version, kinds in SHAPES[max(known)].items() for kind in kinds]
    return [(f"{GROUP}/{version}", kind) for version, kind in every if (version, kind) not in kept]


def dropped_problems(lives: Mapping[Tuple[str, str], Sequence[Manifest]], following: str) -> List[Problem]:
    """Return a problem for each kind of which there is something. lives: by API version and kind."""
    problems: List[Problem] = []
    for (version, kind), items in lives.items():
        if items:
            names = [_of(item) for item in items]
            problems.append(DROPPED.broken(_few(names), kind=kind, version=version, following=following))
    return problems


def _of(item: Manifest) -> str:
    """Return an object with the job whose it is."""
    ref = ref_of(item)
    owners: List[Dict[str, str]] = item["metadata"].get("ownerReferences") or []
    whose = f" of {owners[0].get('kind')} {owners[0].get('name')}" if owners else ""
    return f"{ref.namespace}/{ref.name}{whose}"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more
