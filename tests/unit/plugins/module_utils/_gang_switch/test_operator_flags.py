# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC-09: releases of the operator, their gang flags, and the schedulers that read what they write."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._gang_switch.operator_flags import (
    BUDGET,
    ERAS,
    KUBE_BATCH,
    NAME,
    PLUGINS,
    READS,
    SWITCH,
    VOLCANO,
    Reading,
    era_of,
    flags_of,
    reading,
    release_of,
    served_by,
)

ON = f"--{SWITCH}"


@pytest.mark.parametrize(
    ("release", "backend", "flags", "group"),
    [
        ("0.5.3", "kube_batch", [ON], "scheduling.incubator.k8s.io"),
        ("1.0.0-rc.0", "kube_batch", [ON], "scheduling.incubator.k8s.io"),
        ("1.0", "volcano", [ON, f"--{NAME}=volcano"], "scheduling.volcano.sh"),
        ("1.3.0", "volcano", [ON], "scheduling.volcano.sh"),
        ("1.5", "volcano", [ON, f"--{NAME}=volcano"], "scheduling.volcano.sh"),
        ("1.6.0", "volcano", [f"--{NAME}=volcano"], "scheduling.volcano.sh"),
        ("1.6.0", "scheduler_plugins", [f"--{NAME}=scheduler-plugins"], "scheduling.x-k8s.io"),
        ("1.9", "volcano", [f"--{NAME}=volcano"], "scheduling.volcano.sh"),
        ("v1.9.4", "scheduler_plugins", [f"--{NAME}=scheduler-plugins"], "scheduling.x-k8s.io"),
        ("1.9", "none", [], ""),
        ("1.9", "native", [], ""),
        ("0.5.3", "none", [], ""),
    ],
)
def test_pairs_that_can_be(release: str, backend: str, flags: list[str], group: str) -> None:
    assert reading(release, flags_of(flags, {})).writes.partition("/")[0] == group
    assert (backend in served_by(release)) is bool(group)


@pytest.mark.parametrize(
    ("release", "backend", "flags", "writes"),
    [
        ("0.4.0", "kube_batch", [ON], BUDGET),
        ("0.5.3", "volcano", [ON], KUBE_BATCH),
        ("1.0", "kube_batch", [ON, f"--{NAME}=kube-batch"], VOLCANO),
        ("1.5", "kube_batch", [ON, f"--{NAME}=kube-batch"], VOLCANO),
        ("1.5", "scheduler_plugins", [ON, f"--{NAME}=scheduler-plugins"], VOLCANO),
        ("1.6", "kube_batch", [f"--{NAME}=kube-batch"], ""),
        ("1.7", "kube_batch", [f"--{NAME}=kube-batch"], PLUGINS),
        ("1.9", "kube_batch", [f"--{NAME}=kube-batch"], PLUGINS),
    ],
)
def test_pairs_that_cannot_be(release: str, backend: str, flags: list[str], writes: str) -> None:
    assert reading(release, flags_of(flags, {})).writes == writes
    assert writes != READS[backend]
    assert backend not in served_by(release)


@pytest.mark.parametrize("release", ["2.0.0", "0.1.0", "latest"])
def test_a_release_that_no_row_knows_serves_nobody(release: str) -> None:
    assert served_by(release) == []


def test_what_a_release_serves() -> None:
    assert served_by("1.9.4") == ["volcano", "scheduler_plugins"]


@pytest.mark.parametrize(
    ("release", "flags", "does"),
    [
        ("1.9.4", {}, Reading()),
        ("1.9.4", {NAME: ""}, Reading()),
        ("1.9.4", {NAME: "Volcano"}, Reading(VOLCANO, "volcano", True)),
        # Whatever it is called, it is taken for scheduler-plugins.
        ("1.9.4", {NAME: "kube-batch"}, Reading(PLUGINS, "kube-batch", True)),
        ("1.9.4", {NAME: "none"}, Reading(PLUGINS, "none", True)),
        ("1.9.4", {SWITCH: "true"}, Reading(unknown=(SWITCH,))),
        ("1.6.0", {}, Reading()),
        ("1.6.0", {NAME: "kube-batch"}, Reading(ignored="kube-batch")),
        ("1.6.0", {NAME: "scheduler-plugins"}, Reading(PLUGINS, "", True)),
        ("1.5.0", {NAME: "volcano"}, Reading()),
        ("1.5.0", {SWITCH: "false", NAME: "volcano"}, Reading()),
        # The name is read and forgotten.
        ("1.5.0", {SWITCH: "1", NAME: "kube-batch"}, Reading(VOLCANO, "volcano", True)),
        ("1.3.0", {SWITCH: "true", NAME: "volcano"}, Reading(unknown=(NAME,))),
        ("0.7.0", {SWITCH: "true", NAME: "kube-batch"}, Reading(KUBE_BATCH, "kube-batch", True)),
        ("0.5.3", {SWITCH: "true"}, Reading(KUBE_BATCH, "kube-batch", False)),
        # A build of somebody's own is taken for the newest.
        ("", {NAME: "volcano"}, Reading(VOLCANO, "volcano", True)),
    ],
)
def test_what_an_operator_does_with_its_flags(release: str, flags: dict[str, str], does: Reading) -> None:
    assert reading(release, flags) == does


@pytest.mark.parametrize(
    ("arguments", "environment", "flags"),
    [
        (["--leader-elect"], {}, {}),
        (["/manager", "--gang-scheduler-name=volcano"], {}, {NAME: "volcano"}),
        (["-gang-scheduler-name", "volcano", "--qps=5"], {}, {NAME: "volcano"}),
        (["--gang-scheduler-name"], {}, {NAME: ""}),
        (["--enable-gang-scheduling", "volcano"], {}, {SWITCH: "true"}),
        (["--enable-gang-scheduling=false", "--enable-gang-scheduling"], {}, {SWITCH: "true"}),
        (["--gang-scheduler-name=$(GANG)"], {"GANG": "volcano"}, {NAME: "volcano"}),
        (["--gang-scheduler-name=$(GANG)"], {}, {NAME: "$(GANG)"}),
        (["gang-scheduler-name=volcano"], {}, {}),
    ],
)
def test_flags_are_read_as_the_program_reads_them(
    arguments: list[str], environment: dict[str, str], flags: dict[str, str]
) -> None:
    assert flags_of(arguments, environment) == flags


@pytest.mark.parametrize(
    ("image", "release"),
    [
        ("kubeflow/training-operator:v1-855e096", "1.7.0"),
        ("registry.site:5000/training-v1/training-operator:v1-93c5489", "1.9.4"),
        ("public.ecr.aws/j1r0q0g6/training/training-operator:174e8813666951ded505daf334a37f60fd50c18d", "1.4.0"),
        ("gcr.io/kubeflow-images-public/tf_operator:v0.5.3", "0.5.3"),
        ("kubeflow/training-operator:v1-0000000", ""),
        ("kubeflow/training-operator:latest", ""),
        ("registry.site:5000/training-operator", ""),
        ("kubeflow/training-operator:v1.9.4@sha256:00", "1.9.4"),
    ],
)
def test_the_release_is_known_by_the_image(image: str, release: str) -> None:
    assert release_of(image) == release


def test_every_row_begins_where_the_one_before_ends() -> None:
    found = [era_of(era.since) for era in ERAS]
    assert found == list(ERAS)


def test_each_known_backend_is_served_by_some_release() -> None:
    assert all(any(backend in served_by(era.since) for era in ERAS) for backend in READS)
