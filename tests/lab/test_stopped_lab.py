"""A lab whose machine was switched off: lab_up starts its nodes, and the cluster on them is the one it was."""

from __future__ import annotations

import subprocess

import pytest

from tests.lab.conftest import WITHOUT_SAMPLES
from tests.lab.support.lab import Lab, changes

pytestmark = pytest.mark.lab


def test_a_stopped_lab_comes_back_with_its_cluster(converged_lab: Lab) -> None:
    nodes = [f"{converged_lab.name}-{host}" for host in sorted(converged_lab.hosts)]
    subprocess.run(["podman", "kill", *nodes], check=True, capture_output=True)
    converged_lab.run("playbooks/lab_up.yml")
    counts = converged_lab.converge(*WITHOUT_SAMPLES)
    assert changes(counts) == {}
