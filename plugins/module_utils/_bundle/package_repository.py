# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flat apt repository inside a bundle: names and texts. Pure. Python 3.8, standard library only."""

from __future__ import annotations

import gzip
import hashlib
import re
from typing import Dict, List, Mapping, NamedTuple, Sequence
from urllib.parse import unquote

ROOT = "packages"
# What apt reads besides the packages themselves. It only asks that there is a date; what it never changes with is a
# second run over the same packages.
LISTS = ("Packages", "Packages.gz", "Release")
_DATE = "Thu, 01 Jan 1970 00:00:00 UTC"
_URI = re.compile(r"^'(?P<uri>[^']+)' (?P<file>\S+) (?P<size>\d+) (?:SHA256:(?P<sha256>[0-9a-f]{64}))?")


class Deb(NamedTuple):
    """A Debian package. size: in bytes."""

    name: str
    version: str
    architecture: str
    sha256: str
    size: int

    @property
    def file(self) -> str:
        """Return its file's name, without an epoch: a colon would be written in a different way in each address."""
        return f"{self.name}_{self.version.split(':', 1)[-1]}_{self.architecture}.deb"

    @property
    def label(self) -> str:
        """Return what apt takes for exactly this package."""
        return f"{self.name}:{self.architecture}={self.version}" if self.architecture != "all" else (
            f"{self.name}={self.version}"
        )


def folder_name(distribution: str, version: str, architecture: str) -> str:
    """Return the repository's folder in the bundle for one system, such as packages/debian-12-amd64."""
    return f"{ROOT}/{distribution}-{version or 'rolling'}-{architecture}"


def apt_options(settings: Mapping[str, str]) -> List[str]:
    """Return settings of apt as options of its commands."""
    return [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]


def parse_uris(text: str) -> List[Deb]:
    """Read what `apt-get --print-uris` prints with SHA256 as its hash."""
    found = []
    for match in (_URI.match(line) for line in text.splitlines()):
        if match:
            name, version, architecture = match["file"][: -len(".deb")].split("_")
            found.append(Deb(name, unquote(version), architecture, match["sha256"] or "", int(match["size"])))
    return found


def packages_text(controls: Mapping[str, str], debs: Sequence[Deb]) -> str:
    """Return the list Packages. controls: sha256 -> the control fields of that package."""
    return "".join(f"{controls[deb.sha256].strip()}\n{_file_fields(deb)}\n" for deb in sorted(debs))


def _file_fields(deb: Deb) -> str:
    return f"Filename: ./{deb.file}\nSize: {deb.size}\nSHA256: {deb.sha256}\n"


def controls_of(packages: str) -> Dict[str, str]:
    """Return sha256 -> control fields, out of a list Packages that `packages_text` made."""
    found = {}
    for stanza in packages.split("\n\n"):
        lines = stanza.strip().splitlines()
        if len(lines) > 3 and lines[-1].startswith("SHA256: "):
            found[lines[-1][len("SHA256: ") :]] = "\n".join(lines[:-3])
    return found


def list_files(packages: str, architecture: str) -> Dict[str, bytes]:
    """Return the contents of LISTS, name to bytes; the same for the same packages."""
    plain = packages.encode()
    packed = gzip.compress(plain, mtime=0)
    sums = "".join(
        f" {hashlib.sha256(content).hexdigest()} {len(content)} {name}\n"
        for name, content in (("Packages", plain), ("Packages.gz", packed))
    )
    release = f"Origin: trainyard.mlstack\nLabel: trainyard.mlstack\nArchitectures: {architecture}\nDate: {_DATE}\n"
    return {"Packages": plain, "Packages.gz": packed, "Release": f"{release}SHA256:\n{sums}".encode()}
