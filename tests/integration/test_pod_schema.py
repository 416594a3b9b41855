# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The form of pods that the collection knows is the one that the release's API server and operator take."""

from __future__ import annotations

from tests.integration.api_server import ApiServer
from tests.integration.conftest import operator_manifest
from tests.paths import ROOT
from tools.make_pod_schema import operator_template, render, types


def test_the_file_is_what_they_say(api: ApiServer) -> None:
    schemas = api.client.call("GET", "/openapi/v3/apis/batch/v1")["components"]["schemas"]
    manifest = operator_manifest()
    made = ROOT / "plugins" / "module_utils" / "_pod_schema_data.py"
    assert made.read_text(encoding="utf-8") == render(schemas, operator_template(manifest)), (
        "run tools/make_pod_schema.py"
    )
    assert types(schemas, operator_template(manifest)) == types(schemas, operator_template(manifest, "PyTorchJob"))
