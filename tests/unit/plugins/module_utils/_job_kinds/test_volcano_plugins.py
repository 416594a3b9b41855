# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from tests.support.volcano_jobs import refusals, spec


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"plugins": {"svc": ["disable-network-policy"]}}, "plugins.svc[0] = disable-network-policy: arguments of a"),
        ({"plugins": {"mpi": []}}, "plugins.mpi = master: the plugin looks for a task of this name as its master"),
        ({"plugins": {"pytorch": ["--master=boss"]}}, "plugins.pytorch = boss: the plugin looks for a task"),
        ({"plugins": {"tensorflow": ["--worker=w"]}}, "plugins.tensorflow = worker: the plugin tells TensorFlow only"),
        ({"tf_config": {}, "plugins": {"tensorflow": []}, "command": ["a"]}, "tf_config = given: sets TF_CONFIG, and"),
    ],
)
def test_refused_plugins(given: dict[str, Any], problem: str) -> None:
    found = refusals(**given)
    assert len(found) == 1, found
    assert problem in found[0]
    assert found[0].count(". ") >= 1, "no way out"


@pytest.mark.parametrize(
    ("given", "plugins"),
    [
        ({"svc": ["--a=b"]}, {"svc": ["--a=b"]}),
        ({"pytorch": ["--master=ps"]}, {"svc": [], "pytorch": ["--master=ps"]}),
        ({"mpi": ["--master=ps"], "svc": ["--x"]}, {"svc": ["--x"], "ssh": [], "mpi": ["--master=ps"]}),
        ({"tensorflow": []}, {"svc": [], "tensorflow": []}),
    ],
)
def test_plugins_bring_those_that_they_need(given: dict[str, Any], plugins: dict[str, Any]) -> None:
    assert spec(plugins=given)["plugins"] == plugins


def test_tf_config_brings_the_plugins_that_its_shell_reads_from() -> None:
    found = spec(tf_config={}, command=["python", "a.py"], args=["--x"], plugins={"svc": ["--y"]})
    assert found["plugins"] == {"env": [], "svc": ["--y"]}
    (container,) = found["tasks"][1]["template"]["spec"]["containers"]
    assert container["command"][:2] == ["sh", "-c"]
    assert '"type":"worker"' in container["command"][2]
    assert container["args"] == ["python", "a.py", "--x"]
