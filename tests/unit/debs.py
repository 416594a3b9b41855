# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that play dpkg and apt on a host, and packages that they know."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.package_repository import Deb

CONTENT = {"socat": b"socat's file", "conntrack": b"conntrack's file"}
VERSIONS = {"socat": "1.7.4.4-2", "conntrack": "1:1.4.7-1+b2"}
DEBS = [
    Deb(name, VERSIONS[name], "amd64", hashlib.sha256(CONTENT[name]).hexdigest(), len(CONTENT[name]))
    for name in sorted(CONTENT)
]


def control(deb: Deb) -> str:
    """Return what dpkg-deb shows of a package."""
    return f"Package: {deb.name}\nVersion: {deb.version}\nDescription: it\n helps"


class Apt:
    """Answers as apt and dpkg do; notes what is run. fails: what the next run of which this is a part ends with."""

    def __init__(self, fails: dict[str, str] | None = None) -> None:
        self.runs: list[list[str]] = []
        self.fails = fails or {}

    def __call__(self, argv: Sequence[str]) -> tuple[int, str, str]:
        words = list(argv)
        self.runs.append(words)
        for part, message in self.fails.items():
            if part in words:
                return 100, "", message
        if words[0] == "dpkg":
            return 0, "amd64\n", ""
        if words[0] == "dpkg-deb":
            return 0, control(next(deb for deb in DEBS if f"/{deb.name}_" in words[-1])) + "\n", ""
        if "--print-uris" in words:
            local = any(word.startswith("Dir::Etc::sourcelist") for word in words)
            return 0, "Reading lists...\n" + "".join(map(self._local if local else self._uri, DEBS)), ""
        if "download" in words:
            folder = Path(next(word for word in words if word.startswith("--chdir=")).partition("=")[2])
            for deb in DEBS:
                if deb.label in words:
                    (folder / self._file(deb)).write_bytes(CONTENT[deb.name])
        return 0, "", ""

    @staticmethod
    def _file(deb: Deb) -> str:
        return f"{deb.name}_{deb.version.replace(':', '%3a')}_amd64.deb"

    def _uri(self, deb: Deb) -> str:
        return f"'http://deb.example.org/pool/{deb.name}.deb' {self._file(deb)} {deb.size} SHA256:{deb.sha256}\n"

    def _local(self, deb: Deb) -> str:
        return f"'file:/x/repository/./{deb.file.replace('+', '%2b')}' {self._file(deb)} {deb.size} \n"
