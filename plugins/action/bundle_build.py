# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the bundle of a release on the controller, showing each item."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import Index
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.download_item import PUBLISHED
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Target
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.plan import UpstreamPlan
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.progress import Progress
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    ReleaseError,
    load_release,
    of_gang_scheduler,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.run import Outcome, Runner, summary
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.store import Store
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.controller import (
    controller_architecture,
    find_tools,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.plan import Plan, check_buildable
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download import options as network_options


class ActionModule(ActionBase):
    """Runs on the controller only; nothing is sent to the host of the task."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Download or build what is missing and return what was done."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        _checked, options = self.validate_argument_spec(
            argument_spec={
                "release": {"type": "raw", "required": True},
                "release_dirs": {"type": "list", "elements": "path", "default": []},
                "gang_scheduler": {"type": "str", "default": ""},
                "source": {"type": "str", "choices": ["upstream", "build"], "default": "build"},
                "architecture": {"type": "str", "choices": ["amd64", "arm64"]},
                "network": network_options.SPEC,
                "recipes": {"type": "path", "required": True},
                "cache": {"type": "path", "required": True},
                "bundle": {"type": "path", "required": True},
                "test_programs": {"type": "list", "elements": "str", "default": []},
                "test_recipes": {"type": "path"},
                "go": {"type": "list", "elements": "str", "default": ["go"]},
                "pip": {"type": "list", "elements": "str", "required": True},
            }
        )
        started = time.monotonic()
        try:
            release = load_release(options["release"], options["release_dirs"])
            release = of_gang_scheduler(release, options["gang_scheduler"])
            if options["source"] == "build":
                check_buildable(options["gang_scheduler"])
            outcome, runner, folders = self._bring_up_to_date(options, release)
        except (ReleaseError, BuildError) as error:
            raise AnsibleActionFail(str(error)) from error
        bundle = Path(options["bundle"])
        if not self._task.check_mode:
            index = runner.index(folders[bundle])
            self._say(f"{bundle}: {summary(index, outcome, time.monotonic() - started)}")
            self._warn_of_published(index)
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
    ) -> tuple[Outcome, Runner, dict[Path, Sequence[Target]]]:
        recipes, cache, bundle = Path(options["recipes"]), Path(options["cache"]), Path(options["bundle"])
        controller = controller_architecture()
        architecture = options["architecture"] or controller
        progress = Progress(self._say)
        downloader = network_options.downloader(options, cache)
        folders: dict[Path, Sequence[Target]] = {}
        if options["source"] == "upstream":
            plan = UpstreamPlan(release, recipes, architecture, controller, downloader, progress)
            folders[bundle] = plan.bundle()
        else:
            folders[bundle] = self._build_plan(options, release, architecture).bundle()
        if options["test_programs"]:
            tests = self._build_plan(options, release, controller).tests(options["test_programs"])
            folders[bundle.with_name(f"{bundle.name}-tests")] = tests
        runner = Runner(Store(cache / "store"), release["release"], architecture, progress, downloader.stop)
        outcome = Outcome()
        if self._task.check_mode:
            runner.predict(folders, outcome)
        else:
            downloader.sweep()
            runner.run(folders, outcome)
        return outcome, runner, folders

    def _build_plan(self, options: dict[str, Any], release: dict[str, Any], architecture: str) -> Plan:
        recipes, cache = Path(options["recipes"]), Path(options["cache"])
        tools = find_tools(options["go"], options["pip"], recipes, cache, architecture, self._task.check_mode)
        tests = Path(options["test_recipes"]) if options["test_recipes"] else None
        return Plan(release, recipes, tools, tests)

    def _warn_of_published(self, index: Index) -> None:
        names = [entry.path for entry in index.files if entry.sum == PUBLISHED]
        if names:
            self._display.warning(
                f"release {index.release} pins no sum of {', '.join(names)}: the sums published beside them were used."
                " playbooks/pin_release.yml writes them into a release"
            )

    def _say(self, line: str) -> None:
        self._display.display(f"bundle  {line}")


def _diff(folder: str, outcome: Outcome) -> dict[str, str]:
    before = "".join(f"{change.path}: {change.what}\n" for change in outcome.changes[folder])
    after = "".join(
        f"{change.path}: {'removed' if change.what == 'surplus' else 'as built'}\n"
        for change in outcome.changes[folder]
    )
    return {"before_header": folder, "after_header": folder, "before": before, "after": after}
