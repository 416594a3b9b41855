# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action part of module preflight: reads what options name on the controller, judges, fails once with everything."""

from __future__ import annotations

import contextlib
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import Problem, report
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.report_file import write_report
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import known_releases
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.control_planes import LeaderError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.controller_reads import (
    bundle_sum,
    kubernetes_version,
    read_bundle,
    read_text,
    release_problems,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.inventory import CONTROL_PLANE
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.inventory_sources import source_problems
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.judge import (
    ALL_CHECKS,
    Run,
    document,
    judge,
    notes,
    table,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.known_variables import (
    known_variables,
    mistyped,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight.plan import leader_problem, plan_hosts

display = Display()

SPEC = {
    "checks": {"type": "list", "elements": "str", "choices": list(ALL_CHECKS), "default": list(ALL_CHECKS)},
    "groups": {"type": "dict", "default": {}},
    "sources": {"type": "list", "elements": "str", "default": []},
    "hosts": {"type": "dict", "default": {}},
    "neighbours": {"type": "dict", "default": {}},
    "bootstrap": {"type": "bool", "default": False},
    "release": {"type": "raw", "default": ""},
    "release_dirs": {"type": "list", "elements": "path", "default": []},
    "versions": {"type": "dict", "default": {}},
    "variables": {"type": "list", "elements": "str", "default": []},
    "choices": {"type": "dict", "default": {}},
    "bundle_dir": {"type": "path", "default": ""},
    "pod_cidr": {"type": "str", "default": ""},
    "service_cidr": {"type": "str", "default": ""},
    "api_endpoint": {"type": "str", "default": ""},
    "api_host": {"type": "str", "default": "localhost"},
    "api_load_balancer": {"type": "str", "default": "none"},
    "ca_certificates": {"type": "list", "elements": "path", "default": []},
    "min_cpus": {"type": "int", "default": 2},
    "min_memory_mb": {"type": "int", "default": 1700},
    "min_worker_memory_mb": {"type": "int", "default": 900},
    "min_disk_mb": {"type": "int", "default": 4096},
    "min_inodes": {"type": "int", "default": 100000},
    "report_file": {"type": "path", "default": ""},
    "sample_pytorch_image": {"type": "str", "default": ""},
}


def _plan(run: Run) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    """Return what each host of the run becomes, or why that cannot be told."""
    neighbours = {host: {"node": node, "neighbour": True} for host, node in run.neighbours.items()}
    hosts = {**neighbours, **run.hosts}
    try:
        return plan_hosts(run.groups, hosts, run.options), []
    except LeaderError:
        return {}, [leader_problem(run.groups[CONTROL_PLANE], hosts)]


class ActionModule(ActionBase):
    """Judges a run before it changes anything."""

    TRANSFERS_FILES = False

    def run(self, tmp: Any = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        _validation, options = self.validate_argument_spec(argument_spec=SPEC)
        checks, known = options["checks"], known_releases(options["release_dirs"])
        release = known[-1] if options["release"] == "" else options["release"]
        found = release_problems(release, options["release_dirs"]) if "release" in checks else []
        arch, index_sum = "", ""
        # The bundle of a release that does not exist is no problem of its own.
        if "bundle" in checks and isinstance(release, str) and not found:
            arch, found = read_bundle(options["bundle_dir"], release)
            index_sum = bundle_sum(options["bundle_dir"]) if arch else ""
        # A look at the inventory alone is followed by one at everything, unless it has no host.
        if "inventory" in checks and (options["hosts"] or not options["groups"].get("all")):
            found = source_problems(options["sources"]) + found
        run = Run(
            groups=options["groups"],
            sources=options["sources"],
            hosts=options["hosts"],
            neighbours=options["neighbours"],
            options={
                **options,
                "check_mode": self._task.check_mode,
                "bundle_release": release,
                "bundle_sum": index_sum,
            },
            releases=known,
            files={path: read_text(path) for path in options["ca_certificates"]},
            known_variables=sorted(known_variables()) if "variables" in checks else (),
            mistyped=mistyped(self._values(options["variables"], task_vars or {})) if "variables" in checks else {},
            found=found,
            arch=arch,
            kubernetes_version=kubernetes_version(release, options["release_dirs"]),
        )
        problems, warnings = judge(run, checks), notes(run, checks)
        plan, unplanned = _plan(run) if "groups" in checks and not problems else ({}, [])
        problems += unplanned
        if options["report_file"] and (problems or run.hosts):
            write_report(options["report_file"], document(run, problems, warnings))
        result["warnings"] = [warning.line() for warning in warnings]
        if problems:
            if run.hosts:
                display.display(table(run, problems))
            result.update(failed=True, msg=report(problems))
            return result
        result.update(changed=False, plan=plan, msg=f"preflight: {len(run.hosts)} hosts, release {release}: all well")
        if run.hosts:
            display.display(result["msg"])
        return result

    def _values(self, names: list[str], task_vars: dict[str, Any]) -> dict[str, Any]:
        """Return the variables' values, but those that cannot be rendered on this host: who reads them will tell."""
        values = {}
        for name in names:
            with contextlib.suppress(AnsibleError, KeyError):
                values[name] = self._templar.template(task_vars[name])
        return values
