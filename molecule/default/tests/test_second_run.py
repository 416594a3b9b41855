"""A cluster that is as it should be: nothing changes, few tasks run, check mode predicts nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.support.lab import Lab, changes

ROOT = Path(__file__).resolve().parents[3]
# All hosts together, the whole of site.yml with two samples: a task costs 0.2 s a host, a skipped one not nothing.
OK_BUDGET, SKIPPED_BUDGET = 70, 20


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Molecule's lab, with what its site sets."""
    site = ROOT / "molecule/default/vars/site.yml"
    return Lab("molecule", ROOT / "inventories/lab/hosts.ini", tmp_path_factory.mktemp("runs"), ("-e", f"@{site}"))


def test_second_run_changes_nothing_within_the_budget(lab: Lab) -> None:
    counts = lab.converge()
    assert changes(counts) == {}
    ok, skipped = (sum(getattr(each, name) for each in counts.values()) for name in ("ok", "skipped"))
    assert (ok <= OK_BUDGET, skipped <= SKIPPED_BUDGET) == (True, True), f"{ok} ok, {skipped} skipped: {counts}"
    # A run of nothing is within any budget.
    assert all(counts[host].ok > 10 for host in lab.hosts)


def test_check_mode_predicts_no_change(lab: Lab) -> None:
    assert changes(lab.converge("--check", "--diff")) == {}
