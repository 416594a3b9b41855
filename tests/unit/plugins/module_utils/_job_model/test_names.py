# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.pytorchjob import PYTORCHJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.kind import JobKind
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.names import check_names


@pytest.mark.parametrize(
    ("kind", "name"), [(TFJOB, "bert-worker-3"), (PYTORCHJOB, "bert-worker-3"), (PS_JOB, "worker-3-bert")]
)
def test_the_name_of_a_replica(kind: JobKind, name: str) -> None:
    assert kind.pod_name("bert", "Worker", 3) == name


@pytest.mark.parametrize(
    ("kind", "name", "counts", "words"),
    [
        (TFJOB, "j" * 54, {"Worker": 1}, ""),
        (TFJOB, "j" * 54, {"Worker": 10}, ""),
        # The eleventh worker is number 10: one more character than the first.
        (
            TFJOB,
            "j" * 54,
            {"Worker": 11},
            "worker-10 has a Service of the same name, at most 63 characters. Shorten it by 1",
        ),
        (TFJOB, "j" * 54, {"PS": 1000, "Worker": 1}, ""),
        (TFJOB, "j" * 54, {"Chief": 1, "Evaluator": 1}, "Shorten it by 3"),
        (PS_JOB, "j" * 54, {"PS": 8, "Worker": 10}, ""),
        (PS_JOB, "j" * 54, {"PS": 8, "Worker": 16}, "its replica worker-15-j"),
        (TFJOB, "1j", {}, "begins with a letter"),
        (PS_JOB, "1j", {}, ""),
        (PS_JOB, "j-", {}, "neither begins nor ends with -"),
        (PYTORCHJOB, "bert.large", {}, "name = bert.large"),
        (PYTORCHJOB, "", {}, "a job's name is lower-case letters"),
    ],
)
def test_names_with_their_highest_index(kind: JobKind, name: str, counts: dict[str, int], words: str) -> None:
    found = "\n".join(problem.line() for problem in check_names(kind, name, "n", counts))
    assert words in found
    assert bool(found) == bool(words)


@pytest.mark.parametrize("namespace", ["", "N", "a_b", "-a", "a-", "n" * 64, "a.b"])
def test_namespaces_that_cannot_be(namespace: str) -> None:
    assert [problem.field for problem in check_names(TFJOB, "j", namespace, {})] == ["namespace"]
