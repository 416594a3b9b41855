# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A PodGroup that stands alone, for pods that no module of this collection makes. Pure."""

from __future__ import annotations

from typing import Any, List, Mapping, Tuple

from .._common.problem import Problem
from .._kube import names as kube_names
from .._kube.quantity import parse
from .._kube.resource import Manifest
from .backend import Backend, Group
from .gang import BACKENDS, SYSTEM, check_extras, check_name, marked_template, refused_priority, scheduler_of

Options = Mapping[str, Any]


def check(options: Options) -> List[Problem]:
    """Return all that is wrong with a PodGroup, before any request is made."""
    backend, name = BACKENDS[options["backend"]], str(options["name"])
    problems = check_extras(options, backend) + check_name(name, backend)
    broken = kube_names.subdomain(name)
    if broken:
        problems.append(Problem("name", name or "''", broken, "Correct it"))
    least = options.get("min_available")
    if least is not None and least < 1:
        rule = "must be at least 1: so many pods start together"
        problems.append(Problem("min_available", str(least), rule, "Give the number of pods that need each other"))
    priority = options.get("priority_class") or ""
    if priority.startswith(SYSTEM):
        problems.append(refused_priority(priority))
    for resource, value in (options.get("min_resources") or {}).items():
        rule = kube_names.qualified(str(resource)) or _amount_rule(value)
        if rule:
            field = f"min_resources.{resource}"
            problems.append(
                Problem(field, str(value), rule, "Write a resource and its amount, such as nvidia.com/gpu: 8")
            )
    return problems


def _amount_rule(value: Any) -> str:
    try:
        return "" if parse(value) >= 0 else "must not be below 0"
    except ValueError:
        return "must be a quantity"


def render(options: Options, shape: Backend) -> Manifest:
    """Return the PodGroup. shape: the backend as the cluster has it."""
    resources = {str(name): parse(value) for name, value in (options.get("min_resources") or {}).items()}
    group = Group(
        options["min_available"],
        options.get("priority_class") or "",
        options.get("timeout"),
        options.get("queue") or "",
        resources,
    )
    return shape.manifest(options["name"], options["namespace"], group)


def template(options: Options, shape: Backend) -> Manifest:
    """Return what the templates of its pods must say."""
    return marked_template(shape, options["name"], scheduler_of(options, shape), {})


def owner_problem(live: Manifest) -> Tuple[Problem, ...]:
    """Return why a live PodGroup is not ours to change: it goes with a job, whose task says what it holds."""
    owners = live["metadata"].get("ownerReferences") or []
    if not owners:
        return ()
    owner = f"{owners[0].get('kind')} {owners[0].get('name')}"
    rule = f"is there already and belongs to {owner}, which sets and removes it"
    return (Problem("name", str(live["metadata"]["name"]), rule, "Change that job's gang, or give another name"),)
