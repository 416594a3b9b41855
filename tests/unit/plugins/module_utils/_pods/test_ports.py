# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.checks import check_spec
from ansible_collections.trainyard.mlstack.plugins.module_utils._pods.ports import check_ports, name_ports


def port(number: int, name: str | None = None, **more: Any) -> dict[str, Any]:
    return {"containerPort": number, **({"name": name} if name else {}), **more}


def test_each_port_of_the_operators_services_gets_a_name() -> None:
    container: dict[str, Any] = {"name": "tensorflow", "ports": [port(2222), port(80), port(90, "own")]}
    name_ports(container)
    assert [item["name"] for item in container["ports"]] == ["tfjob-port", "port-80", "own"]
    for other in ({"name": "main", "ports": [port(80)]}, {"name": "pytorch"}):
        before = str(other)
        name_ports(other)
        assert str(other) == before


@pytest.mark.parametrize(
    ("name", "ports", "words"),
    [
        ("tensorflow", [port(80, "a"), port(81, "b")], ""),
        ("tensorflow", [port(80, "a"), port(81, "a")], "two ports have this name"),
        ("tensorflow", [port(80, "a"), port(80, "b", protocol="UDP")], "two ports have this number"),
        ("main", [port(80, "a"), port(80, "b", protocol="UDP")], ""),
        ("tensorflow", [port(2222, "grpc")], "the operator adds port 2222 by the name tfjob-port. Name it tfjob-port"),
        ("tensorflow", [port(2222, "tfjob-port")], ""),
        ("pytorch", [port(23456, "c10d")], "Name it pytorchjob-port"),
        ("pytorch", [port(2222, "grpc")], ""),
    ],
)
def test_ports(name: str, ports: list[dict[str, Any]], words: str) -> None:
    found = "\n".join(problem.line() for problem in check_ports({"name": name, "ports": ports}, "x"))
    assert words in found
    assert bool(found) == bool(words)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"ports": [[port(80, hostPort=8080)], [port(81, hostPort=8080)]]}, "two ports of the pod take it"),
        ({"ports": [[port(80, hostPort=8080)], [port(81, hostPort=8080, protocol="UDP")]]}, ""),
        ({"ports": [[port(80, hostPort=8080)]], "hostNetwork": True}, "must be the containerPort with hostNetwork"),
        ({"ports": [[port(80)], [port(80)]], "hostNetwork": True}, "two ports of the pod take it"),
        ({"ports": [[port(80)], [port(80)]]}, ""),
    ],
)
def test_ports_of_the_node(spec: dict[str, Any], words: str) -> None:
    containers = [{"name": f"c{i}", "image": "i:1", "ports": ports} for i, ports in enumerate(spec.pop("ports"))]
    found = "\n".join(problem.line() for problem in check_spec({**spec, "containers": containers}, "x"))
    assert words in found
    assert bool(found) == bool(words)
