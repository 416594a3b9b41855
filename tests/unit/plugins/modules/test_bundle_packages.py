# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import time
from pathlib import Path

from tests.unit.conftest import RunModule
from tests.unit.debs import DEBS, Apt


def test_the_host_tells_what_it_found(run_module: RunModule, tmp_path: Path) -> None:
    (tmp_path / "uris").write_text(Apt()(["apt-get", "--print-uris"])[1])
    (tmp_path / "apt-get").write_text(f'#!/bin/sh\ncase "$*" in *print-uris*) cat {tmp_path}/uris;; esac\n')
    (tmp_path / "dpkg").write_text("#!/bin/sh\necho amd64\n")
    for name in ("apt-get", "dpkg"):
        (tmp_path / name).chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    known = [deb.sha256 for deb in DEBS]
    started = run_module("bundle_packages", check=True, env=env, bundle="/b", sets=[["socat"]], known=known)
    assert started["changed"] is False
    deadline = time.monotonic() + 20
    lines: list[str] = []
    while time.monotonic() < deadline and not any('"result"' in line for line in lines):
        lines = Path(started["background"]["follow"]).read_text().splitlines()
        time.sleep(0.05)
    result = json.loads(lines[-1])["result"]
    assert [deb[0] for deb in result["debs"]] == ["conntrack", "socat"]
    assert result["folder"].startswith("packages/")
    assert (result["tar"], result["controls"]) == ("", {})
