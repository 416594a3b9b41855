# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option network of tasks that reach upstream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.options import SPEC, downloader
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Network


def test_the_options_of_a_task_become_a_network(tmp_path: Path, pem: tuple[Path, Path]) -> None:
    given: dict[str, Any] = dict.fromkeys(SPEC["options"], "")
    given |= {"ca_certificates": [str(pem[1])], "registries": {"a": "b"}, "registry_auth": "~/x", "connections": 2}
    network = downloader({"network": given}, tmp_path).http.network
    assert network.ca_certificates == (str(pem[1]),)
    assert network.credentials == str(Path("~/x").expanduser())
    assert downloader({"network": {}}, tmp_path).http.network == Network()
    with pytest.raises(BuildError, match="cannot be read as certificates"):
        downloader({"network": {"ca_certificates": ["/nowhere"]}}, tmp_path)


def test_all_that_is_wrong_with_the_options_is_said_at_once(tmp_path: Path) -> None:
    given = {"mirror": "mirror.example.org/x", "registries": {"docker.io": "ftp://hub", "quay.io": "quay.example.org"}}
    with pytest.raises(BuildError) as refused:
        downloader({"network": {**given, "connections": 0}}, tmp_path)
    text = str(refused.value)
    assert text.startswith("3 problems, nothing was changed:")
    for expected in ("bundle_mirror = mirror.example", "bundle_registries.docker.io = ftp://hub", "connections = 0"):
        assert expected in text
