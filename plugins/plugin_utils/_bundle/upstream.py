# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The `upstream` section of a release: where its contents are downloaded from, and their sums."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ...module_utils._common.problem import Problem, report
from .._common.command import BuildError

ARCHITECTURES = ("amd64", "arm64")
ANY = "any"
"""What a sum is written under when its download is the same for all architectures."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_HOLDERS = ("programs", "manifests", "data")


@dataclass(frozen=True)
class Source:
    """One download.

    name: in section upstream.downloads. address, published: of the file, and of the sums beside it (empty: there are
    none). pin: what its sum is written under. sha256: the pinned sum, empty when there is none.
    tree: the sum is that of this folder of an archive, empty when it is that of the file.
    """

    name: str
    address: str
    published: str
    pin: str
    sha256: str
    tree: str

    @property
    def file_name(self) -> str:
        """Return the last part of the address."""
        return posixpath.basename(urlsplit(self.address).path)


def source(release: Mapping[str, Any], name: str, architecture: str) -> Source:
    """Return a download of a release for an architecture. The section was checked before."""
    entry = release["upstream"]["downloads"][name]
    values = {"version": release["components"][entry["component"]], "arch": architecture}
    address = entry["address"].format(**values)
    pin = architecture if "{arch}" in entry["address"] else ANY
    return Source(
        name=name,
        address=address,
        published=entry.get("published", "").format(address=address, **values),
        pin=pin,
        sha256=entry.get("sha256", {}).get(pin, ""),
        tree=entry.get("tree", ""),
    )


def image_pin(release: Mapping[str, Any], name: str, architecture: str) -> str:
    """Return the pinned digest of an image, empty when there is none."""
    return str(release["upstream"].get("images", {}).get(name, {}).get(architecture, ""))


def check(release: Mapping[str, Any]) -> None:
    """Raise BuildError that says everything that is wrong with the section, also what it lacks."""
    problems = upstream_problems(release)
    if problems:
        raise BuildError(report(problems))


def upstream_problems(release: Mapping[str, Any]) -> list[Problem]:
    """Return what is wrong with the section, also what it lacks."""
    field = f"release {release['release']}: upstream"
    section = release.get("upstream")
    if not isinstance(section, Mapping) or not isinstance(section.get("downloads"), Mapping):
        rule = "must be a mapping with downloads, programs, manifests, data and images"
        way_out = "Copy it from a release of the collection, or set mlstack_bundle_source: build"
        return [Problem(field, str(section), rule, way_out)]
    problems = []
    for name, entry in section["downloads"].items():
        problems += _download_problems(f"{field}.downloads.{name}", entry, release["components"])
    for kind in _HOLDERS:
        problems += _holder_problems(field, kind, release, section)
    problems += _image_problems(f"{field}.images", section.get("images", {}), release["images"])
    return problems


def published_sum(text: str, file_name: str) -> str:
    """Return the sum of a file from the text of a list of sums, empty when it is not there.

    Knows a bare sum, lines of sum and name as sha256sum writes them, and those of BSD.
    """
    found = {}
    for line in text.splitlines():
        bsd = re.fullmatch(r"SHA256 \((.+)\) = ([0-9a-f]{64})", line.strip())
        plain = re.fullmatch(r"([0-9a-f]{64})(?:\s+\*?(\S+))?", line.strip())
        if bsd:
            found[bsd.group(1)] = bsd.group(2)
        elif plain:
            found[posixpath.basename(plain.group(2) or file_name)] = plain.group(1)
    return found.get(file_name, "")


def _download_problems(field: str, entry: Any, components: Mapping[str, str]) -> list[Problem]:
    if not isinstance(entry, Mapping):
        return [Problem(field, str(entry), "must be a mapping with component and address", "Write both")]
    problems = []
    if entry.get("component") not in components:
        rule = "must name one of components: " + ", ".join(components)
        problems.append(Problem(f"{field}.component", str(entry.get("component")), rule, "Name one of these"))
    for key, known in (("address", ("version", "arch")), ("published", ("address", "version", "arch"))):
        problems += _template_problems(f"{field}.{key}", entry.get(key, "" if key == "published" else None), known)
    sums = entry.get("sha256", {})
    pins = ARCHITECTURES if "{arch}" in str(entry.get("address")) else (ANY,)
    if not isinstance(sums, Mapping) or any(pin not in pins or not _SHA256.fullmatch(str(sums[pin])) for pin in sums):
        rule = f"must hold sums of 64 hexadecimal digits under {' and '.join(pins)}"
        problems.append(Problem(f"{field}.sha256", str(sums), rule, "playbooks/pin_release.yml writes them"))
    return problems


def _template_problems(field: str, value: Any, known: Sequence[str]) -> list[Problem]:
    if value == "":
        return []
    starts = ("https://", "http://", "{address}") if "address" in known else ("https://", "http://")
    try:
        if str(value).startswith(starts) and str(value).format(**dict.fromkeys(known, "")):
            return []
    except (KeyError, ValueError, IndexError):
        pass  # another name in braces, or a brace alone
    rule = f"must be an address, in which {', '.join(f'{{{name}}}' for name in known)} may stand"
    return [Problem(field, str(value), rule, "Write it as in a release of the collection")]


def _holder_problems(field: str, kind: str, release: Mapping[str, Any], section: Mapping[str, Any]) -> list[Problem]:
    holders = section.get(kind, {})
    problems = []
    for name in release[kind]:
        place = f"{field}.{kind}.{name}"
        holder = holders.get(name) if isinstance(holders, Mapping) else None
        if not isinstance(holder, Mapping):
            rule = f"is missing, but the release has {kind} {name}"
            problems.append(Problem(place, "nothing", rule, "Write download: and its name in upstream.downloads"))
        elif holder.get("download") not in section["downloads"]:
            rule = "must name one of upstream.downloads: " + ", ".join(section["downloads"])
            problems.append(Problem(f"{place}.download", str(holder.get("download")), rule, "Name one of these"))
    return problems


def _image_problems(field: str, pins: Any, images: Mapping[str, str]) -> list[Problem]:
    if not isinstance(pins, Mapping):
        return [Problem(field, str(pins), "must be a mapping of images to digests", "Write {} when there is nothing")]
    problems = []
    for name, digests in pins.items():
        if name not in images:
            rule = "must name one of images: " + ", ".join(images)
            problems.append(Problem(f"{field}.{name}", name, rule, "Name one of these"))
        elif not isinstance(digests, Mapping) or not all(
            architecture in ARCHITECTURES and str(digest).startswith("sha256:") and _SHA256.fullmatch(str(digest)[7:])
            for architecture, digest in digests.items()
        ):
            rule = f"must hold digests (sha256:...) under {' and '.join(ARCHITECTURES)}"
            problems.append(Problem(f"{field}.{name}", str(digests), rule, "playbooks/pin_release.yml writes them"))
    return problems
