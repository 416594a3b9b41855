# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The template of the init containers that the operator adds to a PyTorchJob's workers. Pure."""

from __future__ import annotations

import re
from typing import Any

import yaml

NO_INIT_CONTAINERS = "[]\n"
# What the operator fills in, and values of their kind.
_FIELDS = {"MasterAddr": "bert-master-0", "InitContainerImage": "example.org/image:1", "MaxTries": "1"}
_FIELD = re.compile(r"\{\{\s*\.(\w+)\s*\}\}")


def init_containers(template: str, image: str) -> str:
    """Return what the operator is to read: the template, or none without an image.

    Raises ValueError when workers could not be made from it: the operator reads it only then, and tells only its log.
    """
    if not image:
        return NO_INIT_CONTAINERS
    filled = _FIELD.sub(lambda match: _FIELDS.get(match.group(1), match.group(0)), template)
    if "{{" in filled:
        start = filled.index("{{")
        known = ", ".join(f"{{{{.{name}}}}}" for name in _FIELDS)
        raise ValueError(
            f"the template of PyTorchJob's init container may hold {known}; found {filled[start : start + 30]!r}"
        )
    try:
        containers = yaml.safe_load(filled)
    except yaml.YAMLError as error:
        raise ValueError(f"the template of PyTorchJob's init container is not YAML: {error}") from error
    wrong = _wrong(containers)
    if wrong:
        raise ValueError(f"the template of PyTorchJob's init container must be a list of containers: {wrong}")
    return template


def _wrong(containers: Any) -> str:
    if not isinstance(containers, list):
        return f"it is a {type(containers).__name__}"
    lacking: list[str] = [
        f"entry {index} has no {key}"
        for index, container in enumerate(containers)
        for key in ("name", "image")
        if not isinstance(container, dict) or not container.get(key)
    ]
    return ", ".join(lacking)
