# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what a switch of the gang scheduler is judged by. It changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .._gangs.backend import KIND
from .._kube.errors import ApiError
from .._kube.resource import Manifest
from .._kube.store import Store, served
from .checks_operator import Operator, operator_of

_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
# What it takes to make a PodGroup and to follow it.
_VERBS = ("create", "get", "list", "watch", "update", "delete")


def read_operators(store: Store) -> Tuple[List[Operator], List[str]]:
    """Return the operators of a cluster, and what could not be looked at. Raises ApiError."""
    try:
        lives = store.list("apps/v1", "Deployment")
    except ApiError as error:
        if error.status != 403:
            raise
        return [], [f"operators were not looked at: {error.message}"]
    return [_with_rights(store, found) for found in map(operator_of, lives) if found], []


def _with_rights(store: Store, operator: Operator) -> Operator:
    writes = operator.does.writes
    if not writes or not writes.startswith("scheduling."):
        return operator
    if not served(store, writes, KIND):
        return replace(operator, served=False)
    return replace(operator, allowed=_allowed(store, operator, writes.partition("/")[0]))


def _allowed(store: Store, operator: Operator, group: str) -> Optional[bool]:
    """Tell whether an operator may do what it takes with PodGroups; None when we may not ask."""
    user = f"system:serviceaccount:{operator.namespace}:{operator.account}"
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{operator.namespace}", "system:authenticated"]
    for verb in _VERBS:
        attributes = {"verb": verb, "group": group, "resource": "podgroups"}
        body: Dict[str, Any] = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview"}
        body["spec"] = {"resourceAttributes": attributes, "user": user, "groups": groups}
        try:
            answer = store.client.call("POST", _REVIEWS, (), body)
        except ApiError as error:
            if error.status != 403:
                raise
            return None
        if not answer["status"].get("allowed"):
            return False
    return True


def read_kinds(store: Store, kinds: Sequence[Tuple[str, str]]) -> Dict[Tuple[str, str], List[Manifest]]:
    """Return what there is of some kinds, by API version and kind. Raises ApiError."""
    return {each: store.list(*each) for each in kinds}
