# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds that say in a word how they are, as data: which words mean usable or done, and which mean never. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .pod_reason import said
from .resource import Manifest

GroupKind = Tuple[str, str]


@dataclass(frozen=True)
class Ends:
    """Where a kind says how it is, and what its words mean.

    field: path of the word, such as status.state.phase, or of a list of conditions, of which the types of those that
    are True are the words. ready, failed: words after which nothing is waited for. Any other word may still change.
    """

    field: str
    ready: Sequence[str]
    failed: Sequence[str] = ()


_KUBEFLOW = Ends("status.conditions", ("Succeeded",), ("Failed",))
_KUBEFLOW_KINDS = ("TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob")

ENDS: Dict[GroupKind, Ends] = {
    **{("kubeflow.org", kind): _KUBEFLOW for kind in _KUBEFLOW_KINDS},
    ("batch.volcano.sh", "Job"): Ends("status.state.phase", ("Completed",), ("Failed", "Aborted", "Terminated")),
    # A closed queue is opened by somebody, never by itself.
    ("scheduling.volcano.sh", "Queue"): Ends("status.state", ("Open",), ("Closed",)),
}


def group_kind(api_version: str, kind: str) -> GroupKind:
    """Return the key of a kind, the same for all its versions."""
    return (api_version.rpartition("/")[0], kind)


def ends_options() -> Dict[str, Any]:
    """Return the suboptions by which a user says it of further kinds."""
    text, words_list = {"type": "str", "required": True}, {"type": "list", "elements": "str"}
    lists = {"ready": {**words_list, "required": True}, "failed": {**words_list, "default": []}}
    return {"api_version": text, "kind": text, "field": text, **lists}


def ends_of(entries: Optional[Sequence[Mapping[str, Any]]]) -> Dict[GroupKind, Ends]:
    """Return what a user says of kinds by these options."""
    return {
        group_kind(entry["api_version"], entry["kind"]): Ends(entry["field"], entry["ready"], entry["failed"])
        for entry in entries or []
    }


def words(live: Manifest, field: str) -> List[Tuple[str, Dict[str, Any]]]:
    """Return the words that an object says there, each with the entry that explains it."""
    around: Any = {}
    value: Any = live
    for name in field.split("."):
        around, value = value, value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, list):
        return [(str(item.get("type")), item) for item in value if item.get("status") == "True"]
    return [] if value in (None, "") else [(str(value), dict(around))]


def judge(live: Manifest, ends: Ends) -> Tuple[str, str]:
    """Return which of ready, failed and waiting an object is, and what it says of that."""
    found = words(live, ends.field)
    for state, meant in (("failed", ends.failed), ("ready", ends.ready)):
        for word, entry in found:
            if word in meant:
                return state, said(entry, f"{ends.field} is {word}")
    if not found:
        return "waiting", f"{ends.field} is not set yet"
    word, entry = found[-1]
    return "waiting", said(entry, f"{ends.field} is {word}")
