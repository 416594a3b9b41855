# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The web server of `mlstack_bundle_url`, as the hosts see it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Mapping, Optional

from ...module_utils._common.problem import Problem, Rule

NO_ANSWER = Rule(
    "mlstack_bundle_url",
    "hosts must be able to fetch index.json there ({error})",
    "Put the address, the server or the way to it right; without the variable files come through the controller",
)
OTHER_RELEASE = Rule(
    "mlstack_bundle_url",
    "it must serve release {wanted}, and serves {found}",
    "Copy {bundle} to the server, or correct the address",
)
OTHER_COPY = Rule(
    "mlstack_bundle_url",
    "it must serve the controller's bundle as it is, and its index.json differs",
    "Copy {bundle} to the server again",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the servers, each thing once: for the run as a whole when no host sees it otherwise.

    facts: `hosts`, host -> what node_info read there; `served_bundle` is None for one that fetches nothing by itself.
    options: `bundle_dir`, and of the controller's bundle `bundle_release` and `bundle_sum` (empty: nothing to compare).
    """
    found: Dict[Problem, List[str]] = {}
    asked = [host for host, node in sorted(facts["hosts"].items()) if node.get("served_bundle")]
    for host in asked:
        problem = _problem(facts["hosts"][host]["served_bundle"], options)
        if problem:
            found.setdefault(problem, []).append(host)
    return [
        replace(problem, host="" if len(hosts) == len(asked) and len(hosts) > 1 else ", ".join(hosts))
        for problem, hosts in found.items()
    ]


def _problem(served: Mapping[str, str], options: Mapping[str, Any]) -> Optional[Problem]:
    if served["error"]:
        return NO_ANSWER.broken(served["url"], error=served["error"])
    if not options["bundle_sum"] or served["sum"] == options["bundle_sum"]:
        return None
    wanted, bundle = options["bundle_release"], options["bundle_dir"]
    if served["release"] != wanted:
        return OTHER_RELEASE.broken(served["url"], wanted=wanted, found=served["release"], bundle=bundle)
    return OTHER_COPY.broken(served["url"], bundle=bundle)
