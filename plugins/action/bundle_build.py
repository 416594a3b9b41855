# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the bundle of a release on the controller, showing each item."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ansible_collections.trainyard.mlstack.plugins.module_utils._release import ReleaseError, load_release
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_deb import Apt
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_go import Go, find_go, minimum_go, read_groups
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_plan import Plan, Tools
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_run import Outcome, Runner, summary
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_store import Store

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


class ActionModule(ActionBase):
    """Runs on the controller only; nothing is sent to the host of the task."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Build what is missing and return what was done."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        _checked, options = self.validate_argument_spec(
            argument_spec={
                "release": {"type": "raw", "required": True},
                "release_dirs": {"type": "list", "elements": "path", "default": []},
                "recipes": {"type": "path", "required": True},
                "cache": {"type": "path", "required": True},
                "bundle": {"type": "path", "required": True},
                "test_programs": {"type": "bool", "default": False},
                "go": {"type": "list", "elements": "str", "default": ["go"]},
                "pip": {"type": "list", "elements": "str", "required": True},
            }
        )
        started = time.monotonic()
        try:
            release = load_release(options["release"], options["release_dirs"])
            outcome, runner, folders = self._bring_up_to_date(options, release)
        except (ReleaseError, BuildError) as error:
            raise AnsibleActionFail(str(error)) from error
        bundle = Path(options["bundle"])
        if not self._task.check_mode:
            self._say(f"{bundle}: {summary(runner.index(folders[bundle]), outcome, time.monotonic() - started)}")
        result.update(
            changed=outcome.changed,
            bundle=str(bundle),
            built=[{"name": name, "seconds": seconds} for name, seconds in outcome.built.items()],
            files=[
                {"path": os.path.join(folder, change.path), "was": change.what}
                for folder, found in outcome.changes.items()
                for change in found
            ],
            diff=[_diff(folder, outcome) for folder in outcome.changes],
        )
        return result

    def _bring_up_to_date(
        self, options: dict[str, Any], release: dict[str, Any]
    ) -> tuple[Outcome, Runner, dict[Path, Any]]:
        recipes, cache, bundle = Path(options["recipes"]), Path(options["cache"]), Path(options["bundle"])
        architecture = _architecture()
        go = self._go(options["go"], recipes, architecture)
        tools = Tools(go=go, apt=Apt(cache / "apt"), pip=options["pip"], system=_system())
        plan = Plan(release, recipes, tools)
        folders = {bundle: plan.bundle()}
        if options["test_programs"]:
            folders[bundle.with_name(f"{bundle.name}-tests")] = plan.tests()
        runner = Runner(Store(cache / "store"), release["release"], architecture, self._say)
        outcome = Outcome()
        work = runner.predict if self._task.check_mode else runner.run
        work(folders, outcome)
        return outcome, runner, folders

    def _go(self, candidates: list[str], recipes: Path, architecture: str) -> Go:
        try:
            return find_go(candidates, minimum_go(read_groups(recipes / "go")), architecture)
        except BuildError:
            if not self._task.check_mode:
                raise
            # What would install it was only predicted, too: with an unknown Go everything would be built.
            return Go(path="", version="unknown", architecture=architecture)

    def _say(self, line: str) -> None:
        self._display.display(f"bundle  {line}")


def _architecture() -> str:
    machine = platform.machine()
    if machine not in ARCHITECTURES:
        raise BuildError(f"source build runs on {' and '.join(ARCHITECTURES)}, this controller is {machine}")
    return ARCHITECTURES[machine]


def _system() -> str:
    """Return the controller's distribution and version: another one has other packages."""
    about = platform.freedesktop_os_release()
    return f"{about.get('ID', '')} {about.get('VERSION_ID', '')}"


def _diff(folder: str, outcome: Outcome) -> dict[str, str]:
    before = "".join(f"{change.path}: {change.what}\n" for change in outcome.changes[folder])
    after = "".join(
        f"{change.path}: {'removed' if change.what == 'surplus' else 'as built'}\n"
        for change in outcome.changes[folder]
    )
    return {"before_header": folder, "after_header": folder, "before": before, "after": after}
