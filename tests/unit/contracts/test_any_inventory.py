"""What the user says of how hosts are reached holds: by which way, with which Python, as whom on the controller."""

from __future__ import annotations

from typing import Any, Iterator

import pytest

from tests.unit.contracts import tree

TASK_FILES = [path for path in tree.files() if path.match("roles/*/tasks/*.yml")]
PLAYBOOKS = [path for path in tree.files() if path.match("playbooks/*.yml")]
# Their hosts are containers of this machine, and the machine itself is what they change.
OF_THIS_MACHINE = ("lab_up.yml", "lab_down.yml")
# These tasks are for a host of the cluster, with the rights that the play has there.
ON_A_NODE = ("control_plane", "preflight_neighbour")


def tasks(items: list[dict[str, Any]], inherited: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """Return each task with what its blocks say of delegation and rights."""
    for item in items:
        own: dict[str, Any] = dict(inherited or {})
        own.update({key: item[key] for key in ("delegate_to", "become") if key in item})
        parts = [key for key in ("block", "rescue", "always") if key in item]
        for part in parts:
            yield from tasks(item[part], own)
        if not parts:
            yield {**item, **own}


def variables(value: Any) -> Iterator[str]:
    """Return every key at any depth."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from variables(item)
    elif isinstance(value, list):
        for item in value:
            yield from variables(item)


def test_there_is_something_to_look_at() -> None:
    found = [task for path in TASK_FILES for task in tasks(tree.load(path)) if "delegate_to" in task]
    assert len(found) > 10
    assert all(any(node in task["delegate_to"] for task in found) for node in ON_A_NODE)


@pytest.mark.parametrize("path", TASK_FILES, ids=lambda path: str(path.relative_to(tree.ROOT)))
def test_no_task_asks_for_root_where_the_user_did_not_ask_for_it(path: Any) -> None:
    """`become: true` is for the play's hosts: the controller's user may have no sudo."""
    asking = [
        task["name"]
        for task in tasks(tree.load(path))
        if "delegate_to" in task
        and not any(node in task["delegate_to"] for node in ON_A_NODE)
        and task.get("become") is not False
    ]
    assert not asking, "add become: false"


@pytest.mark.parametrize(
    "path",
    [path for path in [*TASK_FILES, *PLAYBOOKS] if path.name not in OF_THIS_MACHINE],
    ids=lambda path: str(path.relative_to(tree.ROOT)),
)
def test_nothing_decides_how_a_host_is_reached(path: Any) -> None:
    """A bastion, an interpreter, a user: Ansible's own variables are the inventory's."""
    assert [name for name in variables(tree.load(path)) if name.startswith("ansible_")] == []
    defaults = path.parents[1] / "defaults" / "main.yml"
    if defaults.is_file():
        assert [name for name in variables(tree.load(defaults)) if name.startswith("ansible_")] == []


@pytest.mark.parametrize("path", TASK_FILES, ids=lambda path: str(path.relative_to(tree.ROOT)))
def test_a_host_that_is_gone_ends_no_run_of_others(path: Any) -> None:
    """Where a task is done once Ansible ends the run of all at an unreachable host, unless errors are passed over."""
    once = [task for task in tasks(tree.load(path)) if task.get("run_once") and task.get("ignore_unreachable")]
    assert all(task.get("ignore_errors") for task in once)
