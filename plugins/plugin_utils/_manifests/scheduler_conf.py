# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of schedulers of kube-batch's family: what they would refuse, or worse, leave out. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ...module_utils._common.problem import Problem, shown

# What a plugin is told beside its name and arguments: which of its parts are switched on.
_SWITCHES = ("enable", "enabled")


@dataclass(frozen=True)
class Known:
    """What one scheduler has. title: for people. keys: at the top of its configuration."""

    title: str
    actions: Tuple[str, ...]
    plugins: Tuple[str, ...]
    keys: Tuple[str, ...]


VOLCANO = Known(
    "Volcano 1.15",
    ("enqueue", "allocate", "backfill", "preempt", "reclaim", "gangpreempt", "gangreclaim", "shuffle"),
    (
        "binpack",
        "capacity",
        "cdp",
        "conformance",
        "deviceshare",
        "drf",
        "extender",
        "gang",
        "network-topology-aware",
        "nodegroup",
        "nodeorder",
        "numa-aware",
        "overcommit",
        "pdb",
        "predicates",
        "priority",
        "proportion",
        "rescheduling",
        "resource-strategy-fit",
        "resourcequota",
        "sla",
        "task-topology",
        "tdm",
        "usage",
    ),
    ("actions", "tiers", "configurations", "metrics"),
)
KUBE_BATCH = Known(
    "kube-batch 0.5",
    ("allocate", "backfill", "preempt", "reclaim"),
    ("conformance", "drf", "gang", "nodeorder", "predicates", "priority", "proportion"),
    ("actions", "tiers"),
)


def conf_problems(conf: Mapping[str, Any], known: Known, field: str) -> List[Problem]:
    """Return what is wrong with a configuration: `actions` (a list) and `tiers` (lists of plugins), and what it has.

    field: the option that holds it.
    """
    problems = [
        Problem(field, str(name), f"{known.title} reads only {', '.join(known.keys)}", "Take it out")
        for name in conf
        if name not in known.keys
    ]
    actions = conf.get("actions")
    if not isinstance(actions, list) or not actions:
        problems.append(Problem(f"{field}.actions", shown(actions), "must be a list of actions", "Write [allocate]"))
    else:
        problems += [
            _unknown(f"{field}.actions", one, known.title, known.actions) for one in actions if one not in known.actions
        ]
    tiers = conf.get("tiers")
    if not isinstance(tiers, list) or not all(isinstance(tier, Mapping) and _plugins(tier) for tier in tiers):
        rule = "must be a list, each entry with a list `plugins` of names, or of maps with a name"
        return [*problems, Problem(f"{field}.tiers", shown(tiers), rule, "Take the default as an example")]
    return problems + _tier_problems(tiers, known, field)


def _tier_problems(tiers: Sequence[Mapping[str, Any]], known: Known, field: str) -> List[Problem]:
    problems, seen = [], set()
    for index, tier in enumerate(tiers):
        for plugin in _plugins(tier):
            name, place = str(plugin.get("name")), f"{field}.tiers[{index}]"
            if name not in known.plugins:
                problems.append(_unknown(f"{place}.plugins", name, known.title, known.plugins))
            elif name in seen:
                problems.append(Problem(f"{place}.plugins", name, "stands there twice", "Keep one of the two"))
            seen.add(name)
            foreign = [key for key in plugin if key not in ("name", "arguments") and not str(key).startswith(_SWITCHES)]
            problems += [
                Problem(
                    f"{place}.{name}", str(key), "a plugin has name, arguments and enable...", "Put it in arguments"
                )
                for key in foreign
            ]
    if "gang" not in seen:
        way_out = "Add it to the first tier; without it pods start one by one, and jobs wait for each other for ever"
        problems.append(Problem(f"{field}.tiers", "no plugin gang", "the plugin gang must be among them", way_out))
    return problems


def _unknown(field: str, name: Any, title: str, known: Sequence[str]) -> Problem:
    rule = f"{title} has no such one, and would go on without it or without its whole configuration"
    return Problem(field, shown(name), rule, f"There is: {', '.join(known)}")


def _plugins(tier: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """Return the plugins of a tier as maps; none where they are no list of plugins."""
    found = tier.get("plugins")
    if not isinstance(found, list):
        return []
    plugins = [{"name": one} if isinstance(one, str) else one for one in found]
    return [dict(one) for one in plugins] if all(isinstance(one, Mapping) for one in plugins) else []


def conf_document(conf: Mapping[str, Any]) -> Dict[str, Any]:
    """Return a configuration that was found good in the scheduler's own form."""
    return {
        **conf,
        "actions": ", ".join(conf["actions"]),
        "tiers": [{**tier, "plugins": _plugins(tier)} for tier in conf["tiers"]],
    }


def plugin_names(conf: Mapping[str, Any]) -> List[str]:
    """Return the plugins of a configuration that was found good."""
    return [str(plugin["name"]) for tier in conf["tiers"] for plugin in _plugins(tier)]
