"""A playbook is a list of roles: what it does is readable at once, and all logic can be used from another playbook."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.contracts import tree

LOGIC = {"post_tasks", "handlers", "vars_prompt"}
USES_A_ROLE = {"ansible.builtin.import_role", "ansible.builtin.include_role"}


@pytest.mark.parametrize("playbook", tree.PLAYBOOKS)
def test_only_roles(playbook: str) -> None:
    for play in tree.load(tree.ROOT / "playbooks" / f"{playbook}.yml"):
        assert not LOGIC & set(play), f"{playbook}: {play['name']} holds logic"
        # Which of its hosts a play goes on with is no role's business.
        assert all("ansible.builtin.meta" in task for task in play.get("pre_tasks", []))
        for task in play.get("tasks", []):
            assert USES_A_ROLE & set(task), f"{playbook}: task '{task['name']}' is not a role"


def roles_of(play: dict[str, Any]) -> list[str]:
    """Return the names of the roles that a play uses, whichever way."""
    used = [entry if isinstance(entry, str) else entry["role"] for entry in play.get("roles", [])]
    return used + [task[key]["name"] for task in play.get("tasks", []) for key in USES_A_ROLE & set(task)]


@pytest.mark.parametrize("playbook", tree.PLAYBOOKS)
def test_roles_have_full_names(playbook: str) -> None:
    for play in tree.load(tree.ROOT / "playbooks" / f"{playbook}.yml"):
        used = roles_of(play)
        unknown = [name for name in used if name.removeprefix("trainyard.mlstack.") not in tree.ROLES]
        assert not unknown
        assert all(name.startswith("trainyard.mlstack.") for name in used)


@pytest.mark.parametrize("playbook", ["storage", "gang_scheduler", "operator", "samples"])
def test_the_stack_is_judged_with_what_its_parts_are_given(playbook: str) -> None:
    (judge,) = tree.load(tree.ROOT / "playbooks/stack.yml")
    (part,) = tree.load(tree.ROOT / f"playbooks/{playbook}.yml")
    assert part["vars_files"] == judge["vars_files"]
    assert set(part.get("vars", {})) <= {"cluster_checks_parts"}


def test_gangs_of_kubernetes_itself_are_not_switched_off_under_jobs() -> None:
    """A change of settings would take their API away; the jobs are asked for before."""
    plays = tree.load(tree.ROOT / "playbooks/cluster.yml")
    made = next(number for number, play in enumerate(plays) if "trainyard.mlstack.kubernetes" in roles_of(play))
    (play,) = [play for play in plays[:made] if "gang_scheduler_removes" in play.get("vars", {})]
    assert play["vars"] == {"gang_scheduler_removes": ["native"], "gang_scheduler_cluster_exists": False}
    (task,) = play["tasks"]
    role = task["ansible.builtin.import_role"]
    assert (role["name"], role["tasks_from"]) == ("trainyard.mlstack.gang_scheduler", "checks")
    assert task["when"].startswith("mlstack_gang_scheduler | default([]) == 'none'")


@pytest.mark.parametrize("role", tree.ROLES)
def test_each_role_is_used(role: str) -> None:
    assert any(
        f"trainyard.mlstack.{role}" in (tree.ROOT / "playbooks" / f"{playbook}.yml").read_text()
        for playbook in tree.PLAYBOOKS
    )
