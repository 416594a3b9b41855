# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of the site that a Debian host trusts. Python 3.8, standard library only."""

from __future__ import annotations

import hashlib
import os
import re
import textwrap
from typing import Dict, List, Sequence

from .._common.command import Runner, must
from .._common.host import Host
from .._common.owned_files import FileChange, apply, plan

FOLDER = "/usr/local/share/ca-certificates"
PREFIX = "mlstack-"
LINKS = "/etc/ssl/certs"
BUNDLE = LINKS + "/ca-certificates.crt"

BLOCK = re.compile(r"-----BEGIN CERTIFICATE-----\s+(.*?)\s+-----END CERTIFICATE-----", re.DOTALL)


def certificates(text: str) -> List[str]:
    """Return the certificates of a PEM text, each as base64 without white space."""
    return ["".join(body.split()) for body in BLOCK.findall(text)]


def wanted_files(host: Host, texts: Sequence[str]) -> List[Dict[str, str]]:
    """Return the files that update-ca-certificates shall read: one for each certificate, as it asks for.

    texts: PEM texts of one or more certificates each. A file is named after its certificate, so that neither the order
        nor a certificate that is given twice changes anything.
    """
    files = {}
    for body in (body for text in texts for body in certificates(text)):
        digest = hashlib.sha256(body.encode()).hexdigest()[:16]
        path = host.path(f"{FOLDER}/{PREFIX}{digest}.crt")
        lines = ["-----BEGIN CERTIFICATE-----"] + textwrap.wrap(body, 64) + ["-----END CERTIFICATE-----"]
        files[path] = {"path": path, "content": "\n".join(lines) + "\n"}
    return list(files.values())


def make_plan(host: Host, texts: Sequence[str]) -> List[FileChange]:
    """Return the changes of the files; files of an earlier run that are no longer given go."""
    return plan(wanted_files(host, texts), [host.path(f"{FOLDER}/{PREFIX}*.crt")])


def dangling_links(host: Host) -> List[str]:
    """Return the links to files of ours that are gone; update-ca-certificates leaves such links in place."""
    links = [host.path(f"{LINKS}/{name}") for name in host.names(LINKS) if name.startswith(PREFIX)]
    return [link for link in links if not os.path.exists(link)]


def stale(host: Host, texts: Sequence[str]) -> bool:
    """Say whether the host's bundle does not follow the files: a run may have been killed between the two."""
    trusted = set(certificates(host.text_or_none(BUNDLE) or ""))
    lacking = [body for text in texts for body in certificates(text) if body not in trusted]
    return bool(lacking or dangling_links(host))


def carry_out(host: Host, run: Runner, changes: Sequence[FileChange]) -> None:
    """Change the files and let the bundle follow. Raises CommandError."""
    apply(changes)
    must(run, ["update-ca-certificates"])
    # Last, since a link that is left over is what tells the next run that this one did not come to its end.
    for link in dangling_links(host):
        os.unlink(link)
