# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each download says now and then how far it is: name, place, megabytes, percent, time."""

from __future__ import annotations

import re

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.progress import Progress


def test_a_line_names_item_place_size_percent_and_time() -> None:
    said: list[str] = []
    progress = Progress(said.append, every_s=0.0)
    progress.label("program kubelet", "[3/30] program kubelet")
    progress.meter("program kubelet").part()(12_000_000, 60_000_000)
    assert re.fullmatch(r"\[3/30\] program kubelet 12 of 60 MB, 20 %, \d+ s", said[0])


def test_the_parts_of_an_image_are_one_number() -> None:
    said: list[str] = []
    meter = Progress(said.append, every_s=0.0).meter("image etcd")
    first, second = meter.part("a", 10_000_000), meter.part("b", 30_000_000)
    first(5_000_000, 0)
    second(15_000_000, 30_000_000)
    assert said[0].startswith("image etcd 5 of 40 MB, 12 %")
    assert said[1].startswith("image etcd 20 of 40 MB, 50 %")


def test_a_server_that_does_not_say_how_much_there_is_gives_no_percent() -> None:
    said: list[str] = []
    Progress(said.append, every_s=0.0).meter("archive x").part()(7_000_000, 0)
    assert re.fullmatch(r"archive x 7 MB, \d+ s", said[0])


def test_a_short_download_says_nothing_on_the_way() -> None:
    said: list[str] = []
    meter = Progress(said.append, every_s=60.0).meter("program runc")
    meter.part()(1, 2)
    assert said == []
    meter.note("status 503; tried again in 1 s")
    assert said == ["program runc has trouble: status 503; tried again in 1 s"]
