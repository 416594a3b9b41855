"""A cluster that is as it should be: nothing changes, little is asked."""

from __future__ import annotations

import pytest

from tests.lab.conftest import WITHOUT_SAMPLES
from tests.lab.support.lab import Lab, changes

pytestmark = pytest.mark.lab
WORKER_BUDGET = 40


def test_second_run_changes_nothing_within_the_budget(converged_lab: Lab) -> None:
    counts = converged_lab.converge(*WITHOUT_SAMPLES)
    assert changes(counts) == {}
    workers = {host: counts[host].ok for host in converged_lab.groups["kube_node"]}
    assert {host: ok for host, ok in workers.items() if ok > WORKER_BUDGET} == {}


def test_check_mode_predicts_no_change(converged_lab: Lab) -> None:
    counts = converged_lab.converge(*WITHOUT_SAMPLES, "--check", "--diff")
    assert changes(counts) == {}
