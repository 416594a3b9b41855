# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of documentation and of argument specs in one shape."""

from __future__ import annotations

from typing import Any

import yaml


def documented(fragment: Any) -> dict[str, Any]:
    """Return the options that a doc fragment documents."""
    return dict(yaml.safe_load(fragment.ModuleDocFragment.DOCUMENTATION)["options"])


def shape(options: dict[str, Any], inner: str) -> dict[str, Any]:
    """Return of each option what both sides must say."""
    found: dict[str, Any] = {}
    for name, option in options.items():
        words = {
            key: option[key]
            for key in ("type", "elements", "choices", "default", "required", "aliases")
            if key in option
        }
        # YAML reads a bare None as text, as the choice is meant.
        found[name] = {**words, **({"options": shape(option[inner], inner)} if inner in option else {})}
    return found
