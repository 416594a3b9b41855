# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controller side of bundle_packages: ask a connected host, take what the bundle lacks, keep the repository."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import Index, read_index
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.package_closure import WORK
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.package_repository import Deb
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.follow import run_and_follow
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.packages import (
    Present,
    bring_in,
    is_whole,
    present,
    unpack,
    versions,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.lock import locked

MODULE = "trainyard.mlstack.bundle_packages"


class ActionModule(ActionBase):
    """Only what the bundle lacks travels, in one file."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        task_vars = task_vars or {}
        _validated, args = self.validate_argument_spec(
            {
                "bundle": {"type": "path", "required": True},
                "sets": {"type": "list", "elements": "list", "required": True},
                "timeout": {"type": "int", "default": 1200},
            }
        )
        bundle = Path(args["bundle"])
        waits = partial(Display().display, f"waiting for another run that writes {bundle}")
        with locked(Path(f"{bundle}.lock"), waits):
            try:
                return self._bring_up_to_date(bundle, args, task_vars)
            finally:
                # The host is somebody's, who only lends us its apt sources.
                self._low_level_execute_command(f"rm -rf {WORK}; rmdir {os.path.dirname(WORK)} 2>/dev/null")

    def _bring_up_to_date(self, bundle: Path, args: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        index = self._index(bundle)
        found = present(bundle, index)
        known = sorted(found.controls)
        told = run_and_follow(self, MODULE, dict(args, known=known), task_vars, "packages", args["timeout"])
        if told.get("failed"):
            return told
        debs, folder = [Deb(*deb) for deb in told["debs"]], str(told["folder"])
        architecture = folder.rsplit("-", 1)[-1]
        if architecture != index.architecture:
            raise AnsibleActionFail(
                f"this host is {architecture}, and the bundle {bundle} is for {index.architecture}. "
                f"Choose the hosts' bundle: mlstack_architecture: {architecture}"
            )
        before, after = versions(bundle, index, folder), {deb.name: deb.version for deb in debs}
        changed = not is_whole(index, folder, debs, found)
        if changed and not self._task.check_mode:
            self._bring_in(bundle, folder, debs, found, told)
        return {
            "changed": changed,
            "folder": folder,
            "packages": [f"{name} {version}" for name, version in sorted(after.items())],
            "diff": {
                "before_header": f"{bundle}/{folder}",
                "after_header": f"{bundle}/{folder}",
                "before": _lines(before, after),
                "after": _lines(after, before),
            },
        }

    def _index(self, bundle: Path) -> Index:
        try:
            return read_index(str(bundle))
        except FileNotFoundError as error:
            raise AnsibleActionFail(
                f"mlstack_bundle_dir = {bundle}: there is no finished bundle. Make it first: trainyard.mlstack.bundle"
            ) from error

    def _bring_in(self, bundle: Path, folder: str, debs: list[Deb], found: Present, told: dict[str, Any]) -> None:
        # In the bundle's own file system, so that files only have to be renamed.
        with tempfile.TemporaryDirectory(prefix=".packages-", dir=bundle) as work:
            new: dict[str, Path] = {}
            if told["tar"]:
                archive = Path(work) / "packages.tar"
                self._connection.fetch_file(told["tar"], str(archive))
                new = unpack(archive, Path(work))
            lacking = [deb.name for deb in debs if deb.sha256 not in new and deb.sha256 not in found.controls]
            if lacking:
                raise AnsibleActionFail(f"{', '.join(lacking)} did not arrive whole. Run the playbook again")
            bring_in(bundle, folder, debs, {**found.files(bundle), **new}, {**found.controls, **told["controls"]})


def _lines(shown: dict[str, str], other: dict[str, str]) -> str:
    return "".join(f"{name} {version}\n" for name, version in sorted(shown.items()) if other.get(name) != version)
