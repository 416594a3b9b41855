# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Field managers before and after; that the server follows is shown by the API tier."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.takeover import is_client_side, takeover_patch

OURS = "trainyard.mlstack"


def entry(manager: str, operation: str, fields: dict[str, Any], version: str = "v1", **more: str) -> dict[str, Any]:
    return {"manager": manager, "operation": operation, "apiVersion": version, "fieldsV1": fields, **more}


def live(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"name": "x", "resourceVersion": "7", "managedFields": list(entries)}}


KUBECTL = entry("kubectl-client-side-apply", "Update", {"f:data": {"f:a": {}, "f:b": {}}})
OTHER = entry("kube-apiserver", "Update", {"f:status": {}}, subresource="status")


@pytest.mark.parametrize(
    ("item", "answer"),
    [
        (live(KUBECTL, OTHER), True),
        (live(OTHER), False),
        (live(), False),
        ({"metadata": {}}, False),
        (live({**KUBECTL, "operation": "Apply"}), False),
        (live({**KUBECTL, "subresource": "status"}), False),
        (live({**KUBECTL, "manager": "kubectl"}), False),
    ],
)
def test_whose_it_is(item: dict[str, Any], answer: bool) -> None:
    assert is_client_side(item) is answer


def managers(*entries: dict[str, Any]) -> list[dict[str, Any]]:
    fields, version = takeover_patch(live(*entries), OURS)
    assert version == {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"}
    assert (fields["op"], fields["path"]) == ("replace", "/metadata/managedFields")
    found: list[dict[str, Any]] = fields["value"]
    return found


def test_kubectls_fields_become_ours_and_those_of_others_stay() -> None:
    assert managers(KUBECTL, OTHER) == [OTHER, entry(OURS, "Apply", {"f:data": {"f:a": {}, "f:b": {}}})]


def test_ours_and_kubectls_become_one() -> None:
    ours = entry(OURS, "Apply", {"f:data": {"f:a": {}, "f:c": {}}, "f:metadata": {}})
    (one,) = managers(ours, KUBECTL)
    assert one == entry(OURS, "Apply", {"f:data": {"f:a": {}, "f:b": {}, "f:c": {}}, "f:metadata": {}})


def test_another_version_stays_an_entry_of_its_own() -> None:
    ours = entry(OURS, "Apply", {"f:data": {}}, "v1beta1")
    assert [item["apiVersion"] for item in managers(ours, KUBECTL)] == ["v1beta1", "v1"]
