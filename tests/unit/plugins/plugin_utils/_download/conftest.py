# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a server of these tests proves itself with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fake_upstream import certificate


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A key with its certificate, and the authority to trust."""
    return certificate(tmp_path_factory.mktemp("tls"))
