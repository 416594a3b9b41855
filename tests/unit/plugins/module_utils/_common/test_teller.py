# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.teller import Teller


def test_news_once_and_a_sign_of_life() -> None:
    now, said = [0.0], []
    teller = Teller(said.append, Deadline(1000, lambda: now[0]))
    for moment, line in ((0, "a"), (1, "a"), (2, "b"), (31, "b"), (32, "b"), (33, "b"), (34, "c")):
        now[0] = moment
        teller.tell(line)
    assert said == ["a", "b", "b", "c"]
