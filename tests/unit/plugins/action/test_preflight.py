# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin and its documentation; the plugin as a whole is run by tests/lab/test_refusals.py."""

from __future__ import annotations

import yaml

from ansible_collections.trainyard.mlstack.plugins.action import preflight
from ansible_collections.trainyard.mlstack.plugins.modules import preflight as documentation


def test_the_documented_options_are_those_of_the_plugin() -> None:
    options = yaml.safe_load(documentation.DOCUMENTATION)["options"]
    keys = ("type", "elements", "default", "choices")
    documented = {name: {key: option[key] for key in keys if key in option} for name, option in options.items()}
    assert documented == preflight.SPEC
