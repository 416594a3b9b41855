# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and values as Kubernetes wants them. Pure.

Each function returns the rule that a text breaks, or nothing.
"""

from __future__ import annotations

import re
from typing import Any, Mapping

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_WORD = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
# Printable ASCII but "=".
_ENV_NAME = re.compile(r"[ -<>-~]+")
_PORT_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_KEY = re.compile(r"[-._a-zA-Z0-9]+")

# Volcano has taken over the annotation of kube-batch, from which it comes.
GROUP_NAME = "scheduling.k8s.io/group-name"

ANNOTATIONS_BYTES = 256 * 1024


def label(text: str) -> str:
    """Name of a container, a volume or the like."""
    ok = LABEL.fullmatch(text) and len(text) <= 63
    return "" if ok else "must be lower-case letters, digits and -, at most 63, with a letter or a digit at both ends"


def subdomain(text: str) -> str:
    """Name of most objects."""
    ok = _SUBDOMAIN.fullmatch(text) and len(text) <= 253
    return "" if ok else "must be lower-case letters, digits, - and ., at most 253, as the name of an object is"


def node_name(text: str) -> str:
    """Name of a node, as the label kubernetes.io/hostname of the node has it, too."""
    ok = not subdomain(text) and len(text) <= 63
    return "" if ok else "must be lower-case letters, digits, - and ., at most 63, as the name of a node is"


def qualified(text: str) -> str:
    """Key of a label, an annotation or a taint, and name of a resource."""
    prefix, slash, name = text.rpartition("/")
    if slash and subdomain(prefix):
        return "must have a domain before its /, such as example.org/key"
    ok = _WORD.fullmatch(name) and len(name) <= 63
    return "" if ok else "must be letters, digits, -, _ and ., at most 63, with a letter or a digit at both ends"


def label_value(text: str) -> str:
    """Value of a label."""
    ok = not text or (_WORD.fullmatch(text) and len(text) <= 63)
    return (
        "" if ok else "must be empty, or letters, digits, -, _ and ., at most 63, with a letter or a digit at both ends"
    )


def env_name(text: str) -> str:
    """Name of an environment variable."""
    return "" if _ENV_NAME.fullmatch(text) else "must be printable ASCII characters without ="


def config_key(text: str) -> str:
    """Key in a ConfigMap or a Secret."""
    ok = _KEY.fullmatch(text) and len(text) <= 253 and text != "." and not text.startswith("..")
    return "" if ok else "must be letters, digits, -, _ and ., as the keys of ConfigMaps and Secrets are"


def port_name(text: str) -> str:
    """Name of a port."""
    ok = _PORT_NAME.fullmatch(text) and len(text) <= 15 and re.search("[a-z]", text)
    return "" if ok else "must be lower-case letters, digits and single -, at most 15, with at least one letter"


def label_map(values: Mapping[Any, Any]) -> str:
    """Map of labels."""
    for key, value in values.items():
        broken = qualified(str(key))
        if broken:
            return f"key {key} {broken}"
        broken = label_value(str(value))
        if broken:
            return f"the value of {key} {broken}"
    return ""


def annotation_map(values: Mapping[Any, Any]) -> str:
    """Map of annotations."""
    for key in values:
        broken = qualified(str(key).lower())
        if broken:
            return f"key {key} {broken}"
    size = sum(len(str(key).encode()) + len(str(value).encode()) for key, value in values.items())
    return "" if size <= ANNOTATIONS_BYTES else f"must be at most {ANNOTATIONS_BYTES} bytes together"
