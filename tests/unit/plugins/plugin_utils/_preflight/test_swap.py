# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of swap against the options of role node."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import swap as checks_swap
from tests.unit.plugins.plugin_utils._preflight.good_facts import GOOD_NODE, lines


class TestSwap:
    """What turns swap off is role node's; what it cannot is a problem."""

    SWAP: ClassVar = [{"path": "/dev/sda2", "size_mb": 1024, "used_mb": 100}]

    @pytest.mark.parametrize(
        ("change", "options", "word"),
        [
            ({"swaps": SWAP}, {}, ""),
            ({"swaps": None, "swap_makers": None}, {}, ""),
            ({"swaps": SWAP, "memory_available_mb": 99}, {}, "into the 99 MiB of memory"),
            ({"swaps": SWAP, "memory_available_mb": None}, {}, ""),
            ({"swaps": SWAP, "container": "podman"}, {}, "machine below"),
            ({"swaps": SWAP, "container": "podman"}, {"fail_swap_on": False}, ""),
            ({"swaps": SWAP}, {"swap": "keep"}, 'node_swap: "off"'),
            ({"swaps": SWAP}, {"swap": "keep", "fail_swap_on": False}, ""),
            ({}, {"swap": "keep"}, ""),
            ({"swap_makers": ["zramswap.service"]}, {}, "systemctl disable --now zramswap.service"),
            ({"swap_makers": ["zramswap.service"]}, {"fail_swap_on": False}, ""),
        ],
    )
    def test_swap(self, change: dict[str, Any], options: dict[str, Any], word: str) -> None:
        problems = checks_swap.checks({**GOOD_NODE, **change}, {"swap": "off", "fail_swap_on": True, **options})
        assert [problem.field for problem in problems] == ["swap"] * bool(word)
        assert word in lines(problems)
