# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module in check mode: it must not touch the machine that runs the tests."""

from __future__ import annotations

from tests.unit.conftest import RunModule


def test_check_mode_says_which_file_it_would_write(run_module: RunModule) -> None:
    text = "-----BEGIN CERTIFICATE-----\nQUFB\n-----END CERTIFICATE-----\n"
    result = run_module("ca_certificates", check=True, certificates=[text])
    assert result["changed"]
    assert len(result["changed_files"]) == 1
    assert result["changed_files"][0].startswith("/usr/local/share/ca-certificates/mlstack-")
    assert "QUFB" in result["diff"][0]["after"]


def test_no_certificates_and_none_of_an_earlier_run(run_module: RunModule) -> None:
    assert not run_module("ca_certificates", check=True, certificates=[])["changed"]
