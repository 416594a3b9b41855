# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All of module host_python: plain shell over the connection, since no module can run on the host yet."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._host_python import (
    LOOK,
    Found,
    install_command,
    parse,
    refusal,
)

SPEC = {"lock_timeout": {"type": "int", "default": 300}}
# The end of apt's output tells why it failed; the whole of it fills a screen.
LAST_LINES = 8


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
        diff = {"before": "python3: absent\n", "after": "python3: installed by apt-get\n"}
        result.update(changed=True, python="", diff=diff)
        host = str((task_vars or {}).get("inventory_hostname", ""))
        if self._task.check_mode:
            says = "python3 would be installed; what else would change here can only be told once it is"
            Display().display(f"  [{host}] host_python: {says}")
            return {**result, "msg": says}
        Display().display(f"  [{host}] host_python: installing python3 on {found.system}")
        done = self._low_level_execute_command(install_command(options["lock_timeout"]), executable="/bin/sh")
        made = self._look()
        if not made.usable:
            last = "\n".join((str(done["stdout"]) + str(done["stderr"])).splitlines()[-LAST_LINES:])
            raise AnsibleActionFail(
                f"host_python: python3 could not be installed on {found.system}. Give the host an apt source that has "
                f"it, or install it by hand. Last lines of apt-get:\n{last}"
            )
        return {**result, "python": made.python}

    def _look(self) -> Found:
        answer = self._low_level_execute_command(LOOK, executable="/bin/sh")
        found = parse(str(answer["stdout"]))
        if not found.answered:
            said = (str(answer["stdout"]) + str(answer["stderr"])).strip()[-500:]
            raise AnsibleActionFail(f"host_python: the host's shell does not answer: {said}")
        return found
