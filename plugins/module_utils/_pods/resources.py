# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources of a container: what the server refuses only when it makes the pod, long after it took the job. Pure."""

from __future__ import annotations

import difflib
from decimal import Decimal
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from .._common.problem import Problem
from .._kube.names import label, qualified
from .._kube.quantity import MOST, is_quantity, parse

_GPU, _MIG = "nvidia.com/gpu", "nvidia.com/mig-"
_PARTS = ("requests", "limits")
_STANDARD = ("cpu", "memory", "ephemeral-storage")
_HUGE = "hugepages-"
# Whole bytes: half a byte is nearly always an m that was to be an M.
_BYTES = ("memory", "ephemeral-storage")

Resources = Dict[str, Any]


def normal(resources: Any, field: str) -> Tuple[Resources, List[Problem]]:
    """Return resources as they are sent, and what is wrong with them.

    Quantities are sent as text, so that 1 and "1" are one object. An extended resource (a GPU) has its limit written,
    as the server wants it; none of them is the same as leaving it out.
    """
    problems: List[Problem] = []
    if not are_resources(resources):
        rule = "must map requests and limits to quantities"
        return {}, [Problem(field, _text(resources), rule, "Write for example {limits: {cpu: 1}}")]
    problems += _check_keys(resources, field)
    result: Resources = {key: value for key, value in resources.items() if key not in _PARTS and value}
    if not _are_claims(result.get("claims")):
        # Told already; nobody who reads them later should trip over them.
        result.pop("claims", None)
    amounts: Dict[str, Dict[str, Decimal]] = {}
    for part in _PARTS:
        amounts[part] = {}
        for name, value in (resources.get(part) or {}).items():
            amount = _amount(value, str(name), f"{field}.{part}[{name}]", problems) if value is not None else None
            if amount is not None and not (_extended(str(name)) and amount == 0):
                amounts[part][name] = amount
                result.setdefault(part, {})[name] = str(value)
    for name in sorted({*amounts["requests"], *amounts["limits"]}):
        request, limit = amounts["requests"].get(name), amounts["limits"].get(name)
        if limit is None and _exact(name):
            result.setdefault("limits", {})[name] = result["requests"][name]
        elif request is not None and limit is not None:
            problems += _pair(name, request, limit, field, result)
    return result, problems + _check_together({*amounts["limits"], *amounts["requests"]}, field)


def are_resources(value: Any) -> bool:
    """Tell whether these are maps, as far as they are given."""
    return isinstance(value, Mapping) and all(isinstance(value.get(part) or {}, Mapping) for part in _PARTS)


def _are_claims(claims: Any) -> bool:
    """Tell whether these are maps with names."""
    return isinstance(claims, list) and all(isinstance(item, Mapping) and item.get("name") for item in claims)


def _check_keys(resources: Mapping[Any, Any], field: str) -> List[Problem]:
    """Check what stands beside requests and limits, and the names in them."""
    problems: List[Problem] = []
    for key in resources:
        if key not in (*_PARTS, "claims"):
            # {cpu: 1} and {gpu: 1} straight under resources are what people write.
            near = difflib.get_close_matches(str(key), _PARTS, 1, 0.7)
            way_out = f"Write it {near[0]}" if near else f"Move it into limits, as {{limits: {{{key}: ...}}}}"
            problems.append(
                Problem(f"{field}.{key}", _text(resources[key]), "resources hold requests, limits and claims", way_out)
            )
    claims = resources.get("claims") or []
    if not _are_claims(claims):
        rule, way_out = "must be a list of maps with a name", "Write for example [{name: gpu}]"
        problems.append(Problem(f"{field}.claims", _text(claims), rule, way_out))
    elif any(set(item) - {"name", "request"} or label(str(item["name"])) for item in claims):
        rule = "each has name, as resourceClaims has it, and at most request beside it"
        problems.append(Problem(f"{field}.claims", _text(claims), rule, "Correct it"))
    elif len({item["name"] for item in claims}) < len(claims):
        problems.append(Problem(f"{field}.claims", _text(claims), "two have one name", "Drop one of them"))
    for part in _PARTS:
        for name in resources.get(part) or {}:
            broken = _name_rule(str(name))
            if broken:
                near = difflib.get_close_matches(str(name), _STANDARD, 1, 0.7)
                way_out = f"Write it {near[0]}" if near else f"Write for example {_GPU}"
                problems.append(Problem(f"{field}.{part}", str(name), broken, way_out))
    return problems


def _name_rule(name: str) -> str:
    if name in _STANDARD or (name.startswith(_HUGE) and is_quantity(name[len(_HUGE) :])):
        return ""
    if "/" not in name:
        return f"is none of {', '.join(_STANDARD)}, {_HUGE}<size>, and a device has a domain before a /"
    return qualified(name) or ("must not begin with requests." if name.startswith("requests.") else "")


def _check_together(names: Set[str], field: str) -> List[Problem]:
    """Check which resources one container may have beside each other."""
    problems: List[Problem] = []
    mig = sorted(name for name in names if name.startswith(_MIG))
    if len(mig) > 1:
        rule = "a container sees MIG devices of one kind only"
        problems.append(Problem(field, ", ".join(mig), rule, "Use one kind in each container"))
    if mig and _GPU in names:
        rule = "a container sees whole GPUs or MIG devices, not both"
        problems.append(Problem(field, f"{_GPU}, {mig[0]}", rule, "Use one of the two in each container"))
    huge = sorted(name for name in names if name.startswith(_HUGE))
    if huge and not names & {"cpu", "memory"}:
        rule = "huge pages need cpu or memory beside them"
        problems.append(Problem(field, ", ".join(huge), rule, "Add memory to requests or limits"))
    return problems


def check_pod_resources(spec: Mapping[str, Any], field: str) -> List[Problem]:
    """Return what is wrong with the resources of a pod as a whole, which its containers share."""
    whole = spec.get("resources")
    if not isinstance(whole, Mapping):
        return []  # said with its form
    sent, problems = normal(whole, field)
    if whole.get("claims") is not None:
        problems.append(Problem(f"{field}.claims", _text(whole["claims"]), "is for containers only", "Move it there"))
    names = sorted({str(name) for part in _PARTS for name in whole.get(part) or {}})
    problems += [
        Problem(field, name, "a pod as a whole has cpu, memory and huge pages only", "Move it to a container")
        for name in names
        if name not in ("cpu", "memory") and not name.startswith(_HUGE)
    ]
    for part in _PARTS if not problems else ():
        for name, amount in sent.get(part, {}).items():
            asked = [parse(((item.get("resources") or {}).get(part) or {}).get(name, 0)) for item in spec["containers"]]
            needed = sum(asked, Decimal(0)) if part == "requests" else max(asked)
            if needed > parse(amount):
                rule = f"is below what its containers have, {needed}"
                problems.append(Problem(f"{field}.{part}[{name}]", str(amount), rule, "Raise it"))
    return problems


def check_huge_page_volumes(
    containers: Sequence[Mapping[str, Any]], volumes: Sequence[Mapping[str, Any]], field: str
) -> List[Problem]:
    """Return what is wrong with volumes of huge pages: the node would not mount them."""
    parts = [(item.get("resources") or {}).get(part) or {} for item in containers for part in _PARTS]
    sizes = sorted({name[len(_HUGE) :] for part in parts for name in part if name.startswith(_HUGE)})
    problems: List[Problem] = []
    for volume in volumes:
        medium = str((volume.get("emptyDir") or {}).get("medium") or "")
        place = f"{field}.volumes[{volume['name']}].emptyDir.medium"
        if medium == "HugePages" and len(sizes) > 1:
            media = " or ".join(f"HugePages-{size}" for size in sizes)
            rule = f"the pod has huge pages of {' and '.join(sizes)}, so the size must be said"
            problems.append(Problem(place, medium, rule, f"Write {media}"))
        elif medium.startswith("HugePages") and medium.partition("-")[2] not in (*sizes, "" if sizes else "-"):
            rule = "no container of the pod asks for such huge pages"
            problems.append(Problem(place, medium, rule, f"Add {_HUGE}{medium.partition('-')[2] or '2Mi'} to limits"))
    return problems


def _exact(name: str) -> bool:
    """Tell whether request and limit of a resource must be equal."""
    return _extended(name) or name.startswith(_HUGE)


def _extended(name: str) -> bool:
    """Tell whether a resource is one that a device plugin brings."""
    domain = name.rpartition("/")[0]
    return bool(domain) and domain != "kubernetes.io" and not domain.endswith(".kubernetes.io")


def _amount(value: Any, name: str, field: str, problems: List[Problem]) -> Optional[Decimal]:
    try:
        amount = parse(value)
    except ValueError:
        problems.append(Problem(field, repr(value), "must be a quantity", 'Write for example 2, "500m" or "4Gi"'))
        return None
    if amount < 0:
        problems.append(Problem(field, str(value), "must not be below 0", "Give the amount that a container needs"))
        return None
    if _extended(name) and amount != amount.to_integral_value():
        way_out = "Give whole devices; a part of a GPU is a MIG device or a time slice with a name of its own"
        problems.append(Problem(field, str(value), "must be a whole number", way_out))
        return None
    if name in _BYTES and amount != amount.to_integral_value():
        rule = "is no whole number of bytes; m stands for a thousandth"
        problems.append(Problem(field, str(value), rule, f"Write for example {str(value).rstrip('m')}Mi"))
        return None
    if name.startswith(_HUGE) and not _name_rule(name):
        page = parse(name[len(_HUGE) :])
        # The server holds no larger amount than this, which no page size divides.
        if amount <= 0 or min(amount, MOST) % page:
            problems.append(Problem(field, str(value), f"must be a multiple of {name[len(_HUGE) :]}", "Round it up"))
            return None
    return amount


def _pair(name: str, request: Decimal, limit: Decimal, field: str, resources: Resources) -> List[Problem]:
    shown = f"request {resources['requests'][name]}, limit {resources['limits'][name]}"
    if _exact(name) and request != limit:
        what = "a device" if _extended(name) else "huge pages"
        rule = f"request and limit of {what} must be equal"
        return [Problem(f"{field}[{name}]", shown, rule, "Give only the limit")]
    if request > limit:
        return [Problem(f"{field}[{name}]", shown, "the request must not be above the limit", "Lower the request")]
    return []


def _text(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
