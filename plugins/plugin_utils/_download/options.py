# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option `network` of the tasks that reach upstream, and the downloader that it describes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...module_utils._common.problem import Problem, report
from .._common.command import BuildError
from .download import Downloader
from .web import Http, HttpError, Network, Timeouts, shown

SPEC: dict[str, Any] = {
    "type": "dict",
    "default": {},
    "options": {
        "http_proxy": {"type": "str", "default": ""},
        "https_proxy": {"type": "str", "default": ""},
        "no_proxy": {"type": "str", "default": ""},
        "ca_certificates": {"type": "list", "elements": "path", "default": []},
        "mirror": {"type": "str", "default": ""},
        "registries": {"type": "dict", "default": {}},
        # Where passwords lie, not a password.
        "registry_auth": {"type": "str", "default": "", "no_log": False},
        "connections": {"type": "int", "default": 4},
    },
}


def downloader(options: Mapping[str, Any], cache: Path, timeouts: Timeouts | None = None) -> Downloader:
    """Return the downloader for a task. Raises BuildError."""
    given = {**{name: one.get("default") for name, one in SPEC["options"].items()}, **(options["network"] or {})}
    problems = _problems(given)
    if problems:
        raise BuildError(report(problems))
    network = Network(
        http_proxy=given["http_proxy"],
        https_proxy=given["https_proxy"],
        no_proxy=given["no_proxy"],
        ca_certificates=tuple(given["ca_certificates"]),
        mirror=given["mirror"],
        registries=given["registries"],
        credentials=str(Path(given["registry_auth"]).expanduser()) if given["registry_auth"] else "",
    )
    try:
        http = Http(network, timeouts or Timeouts())
    except HttpError as error:
        raise BuildError(str(error)) from error
    return Downloader(http, cache / "partial", at_once=given["connections"])


def _problems(given: Mapping[str, Any]) -> list[Problem]:
    problems = []
    addresses = {"mlstack_bundle_mirror": given["mirror"]}
    for name, address in given["registries"].items():
        addresses[f"mlstack_bundle_registries.{name}"] = address if "://" in str(address) else f"https://{address}"
    for field, address in addresses.items():
        parts = urlsplit(str(address))
        if address and not (parts.scheme in ("http", "https") and parts.hostname):
            rule = "must begin with https:// or http:// and a host"
            problems.append(Problem(field, shown(str(address)), rule, "Write the whole address"))
    connections = given["connections"]
    if connections < 1:
        problems.append(Problem("bundle_connections", str(connections), "must be 1 or more", "Leave it out for 4"))
    return problems
