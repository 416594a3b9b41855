# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the image of the lab's nodes is made of. Pure.

A bare Debian, plus what makes its apt reach what this machine's apt reaches.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from typing import Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

REPOSITORY = "localhost/trainyard/lab-node"
_ARCHIVE_KEYRINGS = "/usr/share/keyrings/debian-archive-"
_ONE_LINE = re.compile(r"deb\s+(\[(?P<options>[^]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<components>[^#]+)")
_PARTS = ("updates", "security", "backports")
_COMPONENTS = {"main", "contrib", "non-free", "non-free-firmware"}
# How apt connects and how strict it is about clocks; nothing about what it installs.
_APT_SETTINGS = re.compile(r"Acquire::((https?)::|Check-|Retries\b)")

SOURCES_PATH = "etc/apt/sources.list.d/debian.sources"
SETTINGS_PATH = "etc/apt/apt.conf.d/90site"
CERTIFICATES_PATH = "usr/local/share/ca-certificates"
# Not in the setup script: while an image is built, its /etc/hosts is the builder's.
_HOSTS = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n"


class Recipe(NamedTuple):
    """All that the image depends on.

    base: image to start from where it can be pulled. suite: the Debian to bootstrap where it cannot.
    packages: what a fresh cloud image of Debian has beyond the bare minimum.
    files: path below the image's root to content. setup: the shell script that finishes the image.
    """

    base: str
    suite: str
    packages: Tuple[str, ...]
    files: Mapping[str, str]
    setup: str

    @property
    def image(self) -> str:
        """Return the image's name with a tag that stands for the whole recipe."""
        whole = json.dumps([self, containerfile(self.base, self.packages)])
        return f"{REPOSITORY}:{hashlib.sha256(whole.encode()).hexdigest()[:12]}"


def containerfile(base: str, packages: Sequence[str]) -> str:
    """Return the instructions that make the image from base, which may have the packages already.

    The build context holds the recipe's files in root/ and its script as setup.sh.
    """
    names = " ".join(packages)
    return f"""\
FROM {base}
COPY root/ /
COPY setup.sh /setup.sh
RUN dpkg-query --show {names} >/dev/null 2>&1 \
|| {{ apt-get update && apt-get install --yes --no-install-recommends {names}; }}
RUN sh -eu /setup.sh && rm /setup.sh
"""


def bootstrap_script(recipe: Recipe, memory: str, settings: str) -> str:
    """Return a shell script that writes a bare Debian with the recipe's packages to its output, as a tar archive.

    It reads the apt sources from its input.
    memory: a folder on which it mounts a file system in memory, since unpacking thousands of small files to a disk
    takes longer than all the rest; run it in a mount namespace of its own.
    settings: path of a file of apt settings, which may hold a proxy's password.
    """
    folder = shlex.quote(memory)
    command = [
        "mmdebstrap",
        "--mode=root",
        "--variant=minbase",
        "--format=tar",
        "--dpkgopt=force-unsafe-io",
        f"--aptopt={settings}",
        f"--include={','.join(recipe.packages)}",
        recipe.suite,
        "-",
        "-",
    ]
    return f"mount -t tmpfs -o size=3g tmpfs {folder} && TMPDIR={folder} exec {shlex.join(command)}"


def root_files(
    suite: str,
    own_suite: str,
    sources: Mapping[str, str],
    apt_dump: str,
    proxies: Mapping[str, str],
    certificates: Mapping[str, str],
) -> Dict[str, str]:
    """Return the files of the image, path below its root to text: its apt shall work as this machine's does.

    A machine that is another Debian hands its sources on under the other suite's name, since a mirror has them all.
    One that is no Debian hands none on: an image that was pulled brings its own.

    suite, own_suite: code names of the image's Debian and of the machine's.
    sources: the machine's apt sources, file name to text. apt_dump: what `apt-config dump` prints.
    proxies: scheme to address, out of the environment.
    certificates: file name to PEM text of the site's own authorities.
    """
    stanzas = [stanza for name, text in sorted(sources.items()) for stanza in _stanzas(name, text, suite, own_suite)]
    stanzas = list(dict.fromkeys(stanzas))
    settings = "".join(f"{line};\n" for line in _settings(apt_dump, proxies))
    return {
        "etc/hosts": _HOSTS,
        **({SOURCES_PATH: "\n".join(stanzas)} if stanzas else {}),
        SETTINGS_PATH: settings,
        **{f"{CERTIFICATES_PATH}/{name}": text for name, text in certificates.items()},
    }


def _stanzas(name: str, text: str, suite: str, own_suite: str) -> Iterator[str]:
    """Return those entries of one file of apt sources that offer Debian itself, for this suite, as deb822 stanzas."""
    for entry in _one_line(text) if name.endswith(".list") else _deb822(text):
        for there in dict.fromkeys([suite, own_suite]):
            if _is_debian(entry, there):
                suites = [re.sub(f"^{re.escape(there)}", suite, each) for each in entry["Suites"].split()]
                renamed = {**entry, "Suites": " ".join(suites)}
                yield "".join(f"{field}: {value}\n" for field, value in renamed.items())


def _one_line(text: str) -> Iterator[Dict[str, str]]:
    for line in text.splitlines():
        found = _ONE_LINE.match(line)
        if found and "signed-by" not in (found["options"] or ""):
            yield {
                "Types": "deb",
                "URIs": found["uri"],
                "Suites": found["suite"],
                "Components": found["components"].strip(),
                "Signed-By": f"{_ARCHIVE_KEYRINGS}keyring.gpg",
            }


def _deb822(text: str) -> Iterator[Dict[str, str]]:
    for stanza in re.split(r"\n\s*\n", text):
        lines = [line for line in stanza.splitlines() if ":" in line and not line.startswith("#")]
        fields = [line.partition(":")[::2] for line in lines]
        yield {name.strip(): value.strip() for name, value in fields}


def _is_debian(entry: Mapping[str, str], suite: str) -> bool:
    suites, components = entry.get("Suites", "").split(), entry.get("Components", "").split()
    return (
        entry.get("Enabled", "yes") != "no"
        and "deb" in entry.get("Types", "").split()
        and entry.get("Signed-By", "").startswith(_ARCHIVE_KEYRINGS)
        and bool(suites)
        and set(suites) <= {suite, *(f"{suite}-{part}" for part in _PARTS)}
        and set(components) <= _COMPONENTS
    )


def _settings(dump: str, proxies: Mapping[str, str]) -> List[str]:
    found = [line.rstrip(";") for line in dump.splitlines() if _APT_SETTINGS.match(line) and not line.endswith(' "";')]
    for scheme, url in sorted(proxies.items()):
        if not any(line.startswith(f"Acquire::{scheme}::Proxy ") for line in found):
            found.append(f'Acquire::{scheme}::Proxy "{url}"')
    return found
