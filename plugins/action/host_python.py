# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All of module host_python: plain shell over the connection, since no module can run on the host yet."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import Entry, verify
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.problem import report
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._actions.transfer import clear, send
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.repository import repository
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes import python_from_bundle as from_bundle
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.host_python import (
    LOOK,
    PACKAGE,
    Found,
    install_command,
    parse,
    refusal,
)

SPEC = {"bundle": {"type": "path", "default": ""}, "lock_timeout": {"type": "int", "default": 300}}
# The end of apt's output tells why it failed; the whole of it fills a screen.
LAST_LINES = 8
OWN_WAY_OUT = "Give the host an apt source that has it, or install it by hand"


def bundle_way_out(system: str) -> str:
    """Return what to do when the bundle's packages do not fit the host."""
    way = "on a connected host that is as new as this one: playbooks/bundle_packages.yml"
    return f"Make {system} of the bundle again {way}"


def _repository(bundle: str, found: Found) -> list[Entry]:
    """Return the packages for the host. Raises AnsibleActionFail when the bundle lacks them or they were altered."""
    entries = repository(bundle, found.packages, [PACKAGE])
    problems = verify(bundle, entries)
    if problems:
        raise AnsibleActionFail(report(problems))
    return entries


class ActionModule(ActionBase):
    """Look, install when Python is missing, look again."""

    TRANSFERS_FILES = False
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        _validation, options = self.validate_argument_spec(argument_spec=SPEC)
        found = self._look()
        if found.usable:
            return {**result, "changed": False, "python": found.python}
        reason = refusal(found)
        if reason:
            raise AnsibleActionFail(f"host_python: {reason}.")
        entries = _repository(options["bundle"], found) if options["bundle"] else []
        diff = {"before": "python3: absent\n", "after": "python3: installed by apt-get\n"}
        result.update(changed=True, python="", diff=diff)
        host = str((task_vars or {}).get("inventory_hostname", ""))
        if self._task.check_mode:
            says = "python3 would be installed; what else would change here can only be told once it is"
            Display().display(f"  [{host}] host_python: {says}")
            return {**result, "msg": says}
        origin = "from the bundle, " if entries else ""
        Display().display(f"  [{host}] host_python: installing python3 {origin}on {found.system}")
        said = (
            self._install_from(options["bundle"], entries, host, options["lock_timeout"])
            if entries
            else self._shell(install_command(options["lock_timeout"]))[1]
        )
        made = self._look()
        if not made.usable:
            way_out = bundle_way_out(found.packages) if entries else OWN_WAY_OUT
            last = "\n".join(said.splitlines()[-LAST_LINES:])
            raise AnsibleActionFail(
                f"host_python: python3 could not be installed on {found.system}. {way_out}. "
                f"Last lines of apt-get:\n{last}"
            )
        return {**result, "python": made.python}

    def _install_from(self, bundle: str, entries: list[Entry], host: str, lock_timeout: int) -> str:
        """Install from the bundle's packages; return what apt has said."""
        folder = send(self, bundle, from_bundle.lists(entries), host)
        asked, said = self._shell(from_bundle.ask_command(folder, entries))
        packages = from_bundle.needed(said, entries)
        if asked and packages:
            folder = send(self, bundle, packages, host)
            _done, said = self._shell(from_bundle.install_command(folder, packages, lock_timeout))
        clear(self, folder)
        return said

    def _shell(self, command: str) -> tuple[bool, str]:
        """Return whether a command ended well, and what it printed."""
        done = self._low_level_execute_command(command, executable="/bin/sh")
        return done["rc"] == 0, str(done["stdout"]) + str(done["stderr"])

    def _look(self) -> Found:
        answer = self._low_level_execute_command(LOOK, executable="/bin/sh")
        found = parse(str(answer["stdout"]))
        if not found.answered:
            said = (str(answer["stdout"]) + str(answer["stderr"])).strip()[-500:]
            raise AnsibleActionFail(f"host_python: the host's shell does not answer: {said}")
        return found
