"""Phases: what belongs to which, and how long each took."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.timeline import Phase, Timeline, clock_text


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timeline(clock: Clock) -> Timeline:
    return Timeline(clock)


def test_tasks_of_one_role_are_one_phase(timeline: Timeline) -> None:
    assert timeline.begin_task("Make the cluster", "node") == "00:00 node (Make the cluster)"
    assert timeline.begin_task("Make the cluster", "node") == ""
    assert [(phase.role, phase.tasks) for phase in timeline.phases] == [("node", 2)]


def test_a_new_phase_tells_what_the_one_before_took(timeline: Timeline, clock: Clock) -> None:
    timeline.begin_task("Cluster", "node")
    timeline.add_result(changed=True)
    clock.now += 65.25
    line = timeline.begin_task("Cluster", "containerd")
    assert line == "01:05 containerd (Cluster), after node (Cluster): 65.2 s, 1 task, 1 changed"


def test_one_role_in_two_plays_is_two_phases(timeline: Timeline) -> None:
    timeline.begin_task("Check the inventory", "preflight")
    assert timeline.begin_task("Check the hosts", "preflight")
    assert [phase.play for phase in timeline.phases] == ["Check the inventory", "Check the hosts"]


def test_the_first_phase_carries_the_time_before_it(timeline: Timeline, clock: Clock) -> None:
    clock.now += 3
    timeline.begin_task("Cluster", "node")
    clock.now += 4
    timeline.end()
    assert (timeline.phases[0].start, timeline.phases[0].seconds) == (0.0, 7.0)


def test_phases_add_up_to_the_whole(timeline: Timeline, clock: Clock) -> None:
    for role in ("node", "containerd", "node"):
        timeline.begin_task("Cluster", role)
        clock.now += 5
    timeline.end()
    assert [(phase.start, phase.seconds) for phase in timeline.phases] == [(0.0, 5.0), (5.0, 5.0), (10.0, 5.0)]
    assert timeline.table()[-1].split() == ["00:15", "15.0", "3", "0", "end"]


def test_table_shows_counts_and_failures_in_order(timeline: Timeline, clock: Clock) -> None:
    timeline.begin_task("Cluster", "node")
    timeline.add_result(changed=True)
    timeline.add_result(changed=True)
    clock.now += 2
    timeline.begin_task("Say it", "")
    timeline.add_result(failed=True)
    clock.now += 1
    timeline.end()
    _head, node, play, end = timeline.table()
    assert node.split() == ["00:00", "2.0", "1", "2", "node", "(Cluster)", "#" * 30]
    assert play.split() == ["00:02", "1.0", "1", "0", "Say", "it", "#" * 15, "1", "failed"]
    assert end.split() == ["00:03", "3.0", "2", "2", "end"]


def test_a_run_without_tasks_has_an_empty_table(timeline: Timeline) -> None:
    timeline.add_result(changed=True)
    timeline.end()
    assert timeline.phases == []
    assert len(timeline.table()) == 2


def test_account_names_failures_only_when_there_are_any() -> None:
    assert Phase("p", "r", 0.0, seconds=1.0, tasks=2).account == "1.0 s, 2 tasks, 0 changed"
    assert Phase("p", "r", 0.0, seconds=1.0, tasks=2, failed=3).account == "1.0 s, 2 tasks, 0 changed, 3 failed"


@pytest.mark.parametrize(("seconds", "text"), [(0, "00:00"), (59.9, "00:59"), (60, "01:00"), (3725, "62:05")])
def test_clock_text(seconds: float, text: str) -> None:
    assert clock_text(seconds) == text
