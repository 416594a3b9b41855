# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.resources import check_pod_resources, normal

GPU, MIG = "nvidia.com/gpu", "nvidia.com/mig-{}"


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"limits": {GPU: 1}}, {"limits": {GPU: "1"}}),
        ({"limits": {GPU: "1"}}, {"limits": {GPU: "1"}}),
        ({"requests": {GPU: 2}}, {"requests": {GPU: "2"}, "limits": {GPU: "2"}}),
        ({"limits": {GPU: 0}}, {}),
        ({"requests": {GPU: "0"}, "limits": {"cpu": 0}}, {"limits": {"cpu": "0"}}),
        (
            {"requests": {"cpu": 0.5, "memory": "1Gi"}, "limits": {"cpu": 1}},
            {"requests": {"cpu": "0.5", "memory": "1Gi"}, "limits": {"cpu": "1"}},
        ),
        ({"requests": None, "limits": {"cpu": 1}}, {"limits": {"cpu": "1"}}),
        ({"claims": [{"name": "gpu"}]}, {"claims": [{"name": "gpu"}]}),
        ({"limits": {MIG.format("1g.10gb"): 2}}, {"limits": {MIG.format("1g.10gb"): "2"}}),
    ],
)
def test_what_is_sent(given: dict[str, Any], sent: dict[str, Any]) -> None:
    assert normal(given, "resources") == (sent, [])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"limits": {GPU: 0.5}}, "resources.limits[nvidia.com/gpu] = 0.5: must be a whole number"),
        ({"limits": {GPU: "500m"}}, "must be a whole number"),
        ({"requests": {GPU: 1}, "limits": {GPU: 2}}, "request 1, limit 2: request and limit of a device must be equal"),
        ({"limits": {MIG.format("1g.10gb"): 1, MIG.format("2g.20gb"): 1}}, "MIG devices of one kind only"),
        ({"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}, "must not be above the limit"),
        ({"limits": {"memory": "1 GiB"}}, "must be a quantity"),
        ({"limits": {"hugepages-1Gi": "1Mi", "memory": "1Gi"}}, "must be a multiple of 1Gi"),
        ({"limits": {"hugepages-1Gi": "9Ei", "memory": "1Gi"}}, "must be a multiple of 1Gi"),
        ({"limits": {"cpu": True}}, "must be a quantity"),
        ({"limits": {"cpu": -1}}, "must not be below 0"),
        ({"limits": ["cpu"]}, "must map requests and limits"),
        ("1", "must map requests and limits"),
        ({"cpu": 1}, "resources.cpu = 1: resources hold requests, limits and claims. Move it into limits"),
        ({"limit": {"cpu": 1}}, "Write it limits"),
        ({"limits": {"mem": 1}}, "resources.limits = mem: is none of cpu, memory"),
        ({"limits": {"memry": 1}}, "Write it memory"),
        ({"limits": {"a b/c": 1}}, "must have a domain before its /"),
        (
            {"limits": {"memory": "512m"}},
            "is no whole number of bytes; m stands for a thousandth. Write for example 512Mi",
        ),
        ({"claims": [{"nme": "gpu"}]}, "must be a list of maps with a name"),
        ({"claims": [{"name": "gpu", "x": 1}]}, "at most request beside it"),
        ({"claims": [{"name": "gpu"}, {"name": "gpu"}]}, "two have one name"),
        ({"limits": {GPU: 1, MIG.format("1g.10gb"): 1}}, "whole GPUs or MIG devices, not both"),
    ],
)
def test_what_is_refused(given: Any, words: str) -> None:
    _sent, problems = normal(given, "resources")
    assert len(problems) == 1
    assert words in problems[0].line()


def test_zero_request_beside_a_limit_is_left_out() -> None:
    assert normal({"requests": {GPU: 0}, "limits": {GPU: 1}}, "r") == ({"limits": {GPU: "1"}}, [])


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"containers": []}, ""),
        ({"resources": {"limits": {"cpu": 2}}, "containers": [{}, {"resources": {"limits": {"cpu": 2}}}]}, ""),
        ({"resources": {"limits": {"cpu": 1}}, "containers": [{"resources": {"limits": {"cpu": 2}}}]}, "is below"),
        (
            {"resources": {"requests": {"cpu": 1}}, "containers": [{"resources": {"requests": {"cpu": 0.6}}}] * 2},
            "x.requests[cpu] = 1: is below what its containers have, 1.2. Raise it",
        ),
        ({"resources": {"limits": {GPU: 0}}, "containers": []}, "cpu, memory and huge pages only"),
        ({"resources": {"claims": [{"name": "c"}]}, "containers": []}, "is for containers only"),
        ({"resources": [], "containers": []}, ""),
    ],
)
def test_resources_of_a_pod_as_a_whole(spec: dict[str, Any], words: str) -> None:
    found = "\n".join(problem.line() for problem in check_pod_resources(spec, "x"))
    assert words in found
    assert bool(found) == bool(words)


@pytest.mark.parametrize("claims", [-1, "gpu", {"name": "gpu"}, ["gpu"], [{"nme": "gpu"}]])
def test_claims_that_are_none_are_told_and_left_out(claims: Any) -> None:
    result, problems = normal({"claims": claims, "limits": {"cpu": 1}}, "resources")
    assert result == {"limits": {"cpu": "1"}}
    assert "must be a list of maps with a name" in problems[0].line()
