# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.api_server_files import (
    AUDIT_LOG,
    audit_policy_file,
    authentication_file,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.control_plane_arguments import (
    NATIVE_GANG_API,
    OWNED,
    argument_problems,
    extra_arguments,
)
from tests.unit.plugins.plugin_utils._nodes.test_kubeadm_config import OPTIONS

COMPONENTS = ("apiserver", "controller_manager", "scheduler", "etcd")


def arguments(component: str, **changes: Any) -> dict[str, str]:
    items = extra_arguments(component, {**OPTIONS, **changes})
    assert len({item["name"] for item in items}) == len(items)
    return {item["name"]: item["value"] for item in items}


@pytest.mark.parametrize("component", ["apiserver", "controller_manager", "scheduler"])
def test_profiling_is_off(component: str) -> None:
    assert arguments(component)["profiling"] == "false"


def test_native_gang_scheduling_is_switched_on_everywhere_it_must_be() -> None:
    for component in ("apiserver", "controller_manager", "scheduler"):
        assert arguments(component)["feature-gates"] == "GenericWorkload=true"
        assert "feature-gates" not in arguments(component, gang_scheduler="none")
    assert arguments("apiserver")["runtime-config"] == NATIVE_GANG_API
    assert "runtime-config" not in arguments("apiserver", gang_scheduler="none")


def test_clients_of_the_api_server_have_the_limits_that_many_jobs_need() -> None:
    limits = {component: arguments(component) for component in ("scheduler", "controller_manager")}
    assert {name: (given["kube-api-qps"], given["kube-api-burst"]) for name, given in limits.items()} == {
        "scheduler": ("1000", "2000"),
        "controller_manager": ("200", "400"),
    }
    assert arguments("scheduler", scheduler_arguments={"kube-api-qps": 50})["kube-api-qps"] == "50"


def test_the_users_gates_win() -> None:
    gates = arguments("scheduler", feature_gates={"GenericWorkload": False, "A": True})["feature-gates"]
    assert gates == "A=true,GenericWorkload=false"


def test_what_the_api_server_reads_is_named() -> None:
    given = arguments("apiserver")
    assert given["audit-policy-file"] == audit_policy_file({})["path"]
    assert given["audit-log-path"] == AUDIT_LOG
    assert given["authentication-config"] == authentication_file()["path"]
    assert given["encryption-provider-config"].endswith("/encryption-secretbox.yaml")
    assert arguments("apiserver", secrets_encryption="none")["encryption-provider-config"].endswith("-none.yaml")


def test_what_is_switched_off_is_not_named() -> None:
    assert not [name for name in arguments("apiserver", audit_log=False) if name.startswith("audit")]
    assert "authentication-config" not in arguments("apiserver", anonymous_access="all")


@pytest.mark.parametrize("component", COMPONENTS)
def test_the_users_arguments_win_and_become_text(component: str) -> None:
    given = {"profiling": True, "v": 4, "vmodule": "a=1", "max": 0.5}
    result = arguments(component, **{f"{component}_arguments": given})
    assert {name: result[name] for name in given} == {"profiling": "true", "v": "4", "vmodule": "a=1", "max": "0.5"}


def test_an_argument_may_be_taken_away_or_given_several_times() -> None:
    items = extra_arguments("apiserver", {**OPTIONS, "apiserver_arguments": {"profiling": None, "issuer": ["a", "b"]}})
    assert "profiling" not in {item["name"] for item in items}
    assert [item["value"] for item in items if item["name"] == "issuer"] == ["a", "b"]


def test_api_groups_of_both_sides_are_served() -> None:
    assert arguments("apiserver", apiserver_arguments={"runtime-config": "a/v1=true"})["runtime-config"] == (
        f"{NATIVE_GANG_API},a/v1=true"
    )


@pytest.mark.parametrize("component", COMPONENTS)
def test_each_argument_that_something_else_sets_is_refused_by_name(component: str) -> None:
    problems = argument_problems({component: dict.fromkeys(OWNED[component], "x")}, "all")
    assert [problem.field for problem in problems] == [
        f"kubernetes_{component}_arguments.{name}" for name in sorted(OWNED[component])
    ]
    for problem in problems:
        owner = OWNED[component][problem.field.split(".")[1]]
        assert owner in problem.rule
        assert ("and set" in problem.way_out) == owner.startswith(("kubernetes_", "mlstack_"))


@pytest.mark.parametrize("component", COMPONENTS)
def test_what_the_role_sets_itself_may_be_changed_unless_it_is_owned(component: str) -> None:
    """No argument is in both worlds: what we set is either the user's to change, or refused with the way to do it."""
    for name in arguments(component):
        assert bool(argument_problems({component: {name: "x"}}, "all")) == (name in OWNED[component])


def test_dashes_are_told() -> None:
    (problem,) = argument_problems({"scheduler": {"--v": 2}}, "health")
    assert (problem.value, problem.way_out) == ("2", "Write v")


@pytest.mark.parametrize("name", ["oidc-issuer-url", "anonymous-auth"])
def test_other_ways_in_need_the_anonymous_one_as_it_was(name: str) -> None:
    (problem,) = argument_problems({"apiserver": {name: "x"}}, "health")
    assert "kubernetes_anonymous_access: all" in problem.way_out
    assert argument_problems({"apiserver": {name: "x"}}, "all") == []
