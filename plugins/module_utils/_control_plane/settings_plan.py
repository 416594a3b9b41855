# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a control plane would be if it were made today, and what differs. Python 3.8, standard library only.

kubeadm itself renders, into a folder of its own, so nothing of what it does is done twice here.
"""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .api_server_files import stale_files
from .certificate_names import names_of_pem
from .kubeadm import Layout
from .static_pod import COMPONENTS, with_membership_of

# Runs a command with further environment and returns its two outputs. Raises SettingsError when it fails.
Runner = Callable[[Sequence[str], Mapping[str, str]], Tuple[str, str]]


class SettingsError(Exception):
    """The settings cannot be rendered or applied, for a reason that the user can read as it stands."""


class Plan(NamedTuple):
    """manifests: component -> text there and text wanted, of those that differ, in the order of their change.

    names: what the API server's certificate is good for now and what it shall be, None when that is the same.
    stale: files that the API server read with former settings.
    """

    manifests: Dict[str, Tuple[str, str]]
    names: Optional[Tuple[FrozenSet[str], FrozenSet[str]]]
    stale: List[str]

    def diff(self, layout: Layout) -> List[Dict[str, str]]:
        """Return the plan in the form that Ansible shows."""
        shown = []
        if self.names is not None:
            before, after = ("".join(f"{name}\n" for name in sorted(names)) for names in self.names)
            path = layout.pki("apiserver.crt")
            shown.append({"before_header": path, "after_header": path, "before": before, "after": after})
        for component, (before, after) in self.manifests.items():
            path = layout.manifest(component)
            shown.append({"before_header": path, "after_header": path, "before": before, "after": after})
        gone = [{"before_header": path, "after_header": path, "before": read(path), "after": ""} for path in self.stale]
        return shown + gone


def make_plan(layout: Layout, documents: Sequence[Mapping[str, Any]], scratch: str, run: Runner) -> Plan:
    """Return what differs. scratch: an empty folder of root's own."""
    manifests = {}
    rendered = _rendered(layout, documents, scratch, run)
    for component, wanted in rendered.items():
        live = read(layout.manifest(component))
        if component == "etcd":
            wanted = with_membership_of(wanted, live)
        if live != wanted:
            manifests[component] = (live, wanted)
    stale = stale_files(os.path.join(layout.own, "apiserver"), rendered["kube-apiserver"])
    return Plan(manifests, _names(layout, documents, scratch, run), stale)


def new_certificate(layout: Layout, documents: Sequence[Mapping[str, Any]], scratch: str, run: Runner) -> str:
    """Let kubeadm make a certificate of the API server and its key in a folder, and return that folder."""
    folder = os.path.join(scratch, "pki")
    os.mkdir(folder, 0o700)
    for name in ("ca.crt", "ca.key"):
        os.symlink(layout.pki(name), os.path.join(folder, name))
    moved = [
        {**document, "certificatesDir": folder} if document["kind"] == "ClusterConfiguration" else document
        for document in documents
    ]
    config = write_documents(os.path.join(scratch, "certificate.yaml"), moved)
    run([layout.kubeadm, "init", "phase", "certs", "apiserver", "--config", config], {})
    return folder


def read(path: str) -> str:
    """Return the text of a file, empty when there is none."""
    try:
        with open(path, encoding="utf-8") as handle:
            return handle.read()
    except FileNotFoundError:
        return ""


def _rendered(layout: Layout, documents: Sequence[Mapping[str, Any]], scratch: str, run: Runner) -> Dict[str, str]:
    config = write_documents(os.path.join(scratch, "kubeadm.yaml"), documents)
    folder = os.path.join(scratch, "manifests")
    os.mkdir(folder, 0o700)
    for phase in (["etcd", "local"], ["control-plane", "all"]):
        command = [layout.kubeadm, "init", "phase", *phase, "--dry-run", "--config", config]
        run(command, {"KUBEADM_INIT_DRYRUN_DIR": folder})
    return {component: read(os.path.join(folder, f"{component}.yaml")) for component in COMPONENTS}


def _names(
    layout: Layout, documents: Sequence[Mapping[str, Any]], scratch: str, run: Runner
) -> Optional[Tuple[FrozenSet[str], FrozenSet[str]]]:
    # An authority that is kept elsewhere signs its certificates there.
    if not os.path.exists(layout.pki("ca.key")):
        return None
    folder = new_certificate(layout, documents, scratch, run)
    pems = (read(layout.pki("apiserver.crt")), read(os.path.join(folder, "apiserver.crt")))
    live, wanted = (names_of_pem(pem) if pem else frozenset() for pem in pems)
    return None if live == wanted else (live, wanted)


def write_documents(path: str, documents: Sequence[Mapping[str, Any]]) -> str:
    """Write documents for kubeadm, whose YAML may be JSON."""
    with open(path, "w", encoding="utf-8") as handle:
        for document in documents:
            handle.write("---\n" + json.dumps(document) + "\n")
    return path
