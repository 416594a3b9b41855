# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities of Kubernetes: "500m", "2Gi", "1e3". Pure."""

from __future__ import annotations

import re
from decimal import ROUND_UP, Context, Decimal
from typing import Any

_SUFFIXES = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    "k": Decimal(10) ** 3,
    "M": Decimal(10) ** 6,
    "G": Decimal(10) ** 9,
    "T": Decimal(10) ** 12,
    "P": Decimal(10) ** 15,
    "E": Decimal(10) ** 18,
    "Ki": Decimal(2) ** 10,
    "Mi": Decimal(2) ** 20,
    "Gi": Decimal(2) ** 30,
    "Ti": Decimal(2) ** 40,
    "Pi": Decimal(2) ** 50,
    "Ei": Decimal(2) ** 60,
}
# The API server holds no larger number.
MOST = Decimal(2**63 - 1)
# The largest quantity has 19 digits before the point and nine behind it; Python's own context ends at 28.
_EXACT = Context(prec=40)
_FORM = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]{1,3}))?")


def parse(value: Any) -> Decimal:
    """Return a quantity, given as text or number, as an exact number of its base unit.

    Raises ValueError when the API server would refuse it.
    """
    # A boolean is an int for Python and nonsense for a quantity.
    match = None if isinstance(value, bool) else _FORM.fullmatch(str(value))
    if match is None:
        raise ValueError(f"{value!r} is not a quantity")
    number, suffix, exponent = match.groups()
    return Decimal(number) * (Decimal(10) ** int(exponent) if exponent else _SUFFIXES[suffix or ""])


def is_quantity(value: Any) -> bool:
    """Tell whether the API server would take a value for a quantity."""
    try:
        parse(value)
    except ValueError:
        return False
    return True


def canonical(value: Any) -> Any:
    """Return the same text for every spelling of one quantity, as the API server holds it; anything else as it is."""
    try:
        amount = parse(value)
    except ValueError:
        return value
    # Nor does it hold anything smaller than a billionth.
    amount = max(-MOST, min(MOST, amount)).quantize(_SUFFIXES["n"], ROUND_UP, _EXACT)
    return format(amount.normalize(_EXACT), "f")


def readable(amount: Decimal) -> str:
    """Return an amount for people: 62.5Gi instead of 67108864000, wherever that is exact."""
    for suffix in ("Ti", "Gi", "Mi"):
        shown = amount / _SUFFIXES[suffix]
        if shown >= 1 and shown == round(shown, 2):
            return format(shown.normalize(), "f") + suffix
    return format(amount.normalize(), "f")
