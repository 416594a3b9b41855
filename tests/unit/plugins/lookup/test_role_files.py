# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of roles that exist."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleLookupError

from ansible_collections.trainyard.mlstack.plugins.lookup.role_files import LookupModule
from tests.support.paths import ROOT


def test_files_are_read_whole_by_name() -> None:
    (found,) = LookupModule().run(["samples", "digits.py", "sample_run.py"])
    assert list(found) == ["digits.py", "sample_run.py"]
    assert found["digits.py"] == (ROOT / "roles/samples/files/digits.py").read_text(encoding="utf-8")


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(AnsibleLookupError, match=r"role_files=samples: .*/none\.py cannot be read"):
        LookupModule().run(["samples", "none.py"])
