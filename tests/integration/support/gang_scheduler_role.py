# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbook gang_scheduler against a server of which there is only a kubeconfig."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from tests.integration.support.api_server import ApiServer
from tests.support.paths import ROOT
from tests.support.volcano import MANIFEST

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ENVIRONMENT = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "LC_ALL": "C.UTF-8"}


def command(server: ApiServer, folder: Path, *arguments: str, **variables: Any) -> list[str]:
    """Return the command that runs the playbook without any host."""
    nobody = folder / "hosts.ini"
    nobody.touch()
    values = {
        "mlstack_kubeconfig": str(server.kubeconfig),
        "gang_scheduler_manifest": str(MANIFEST),
        "gang_scheduler_timeout": 60,
        # No node is there, so no room for a pod could be found.
        "gang_scheduler_scheduler_resources": {},
        **variables,
    }
    playbook = str(ROOT / "playbooks" / "gang_scheduler.yml")
    program = str(Path(sys.executable).parent / "ansible-playbook")
    return [program, "-i", str(nobody), playbook, "-e", json.dumps(values), *arguments]


def play(server: ApiServer, folder: Path, *arguments: str, **variables: Any) -> tuple[int, str]:
    """Run it; return the status and the screen as one line."""
    done = subprocess.run(
        command(server, folder, *arguments, **variables),
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    return done.returncode, " ".join((done.stdout + done.stderr).split())


@contextmanager
def quiet(server: ApiServer) -> Iterator[None]:
    """Fail when anything is written inside the block; asking what one may do leaves nothing behind."""
    mark = server.audit_mark()
    yield
    assert [write for write in server.writes(mark) if "selfsubject" not in write] == []


def names(server: ApiServer, path: str) -> set[str]:
    """Return the names of a collection's objects; none where nobody serves it."""
    try:
        return {item["metadata"]["name"] for item in server.client.call("GET", path)["items"]}
    except ApiError as error:
        if error.not_found:
            return set()
        raise
