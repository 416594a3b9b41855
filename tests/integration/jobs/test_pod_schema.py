# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The form of pods that the collection knows is the one that the release's API server and operator take."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from dev.pod_schema import operator_template, types
from dev.pod_schema import render as written
from tests.integration.conftest import operator_manifest
from tests.integration.support.api_server import ApiServer
from tests.integration.support.pod_forms import Forms
from tests.integration.support.samples import namespace_object
from tests.integration.support.strict import refusals
from tests.support.paths import ROOT
from tests.support.seed import SEED, TOLD


def test_the_file_is_what_they_say(api: ApiServer) -> None:
    schemas = api.client.call("GET", "/openapi/v3/apis/batch/v1")["components"]["schemas"]
    manifest = operator_manifest()
    template = operator_template(manifest)
    made = ROOT / "plugins" / "module_utils" / "_pods" / "schema_data.py"
    assert made.read_text(encoding="utf-8") == written(schemas, template), "run dev/pod_schema.py"
    assert types(schemas, template) == types(schemas, operator_template(manifest, "PyTorchJob"))


def hold(api: ApiServer, count: int) -> None:
    """Make so many jobs; fail with all that the server refuses though we took it."""
    print(f"\n{TOLD}")
    forms, seen, refused = Forms(SEED), Counter(), []
    for _number in range(count):
        options = forms.options()
        job, problems = TFJOB.render(options)
        seen[bool(job)] += 1
        assert job or problems
        refused += [f"{line}: {json.dumps(options)}" for line in (refusals(api, job) if job else [])]
    assert not refused, "\n".join(refused[:10])
    assert min(seen.values()) > count / 6, seen


@pytest.fixture
def forms_namespace(api: ApiServer, kubeflow: None) -> None:
    """Return with the namespace of the forms; nothing is ever written into it."""
    api.client.call(
        "PATCH",
        "/api/v1/namespaces/forms",
        (("fieldManager", "somebody"), ("force", "true")),
        namespace_object("forms"),
        "application/apply-patch+yaml",
    )


def test_what_we_take_the_server_takes(api: ApiServer, forms_namespace: None) -> None:
    hold(api, 500)


@pytest.mark.long
def test_much_more_of_it(api: ApiServer, forms_namespace: None) -> None:
    hold(api, 10000)
