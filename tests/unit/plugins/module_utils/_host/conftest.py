# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that is made up, for all readers of hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.made_up_host import write_files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with the files of the host."""
    write_files(tmp_path)
    return tmp_path
