# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The number from which tests draw what they try: a new one in each run, or TRAINYARD_SEED, which repeats a run."""

from __future__ import annotations

import os
import random

SEED = int(os.environ.get("TRAINYARD_SEED") or random.SystemRandom().randrange(10**6))
TOLD = f"TRAINYARD_SEED={SEED}"
