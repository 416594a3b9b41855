"""Run a playbook with a kubeconfig and no host, from / as a user of an installed collection would."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.lab.support.lab import BIN, Lab
from tests.support.paths import ROOT


def run_without_hosts(
    lab: Lab, playbook: str, kubeconfig: Path, check: bool = False, **variables: Any
) -> subprocess.CompletedProcess[str]:
    """Run it to its end, whatever that is. variables: extra ones."""
    extra = {"mlstack_kubeconfig": str(kubeconfig), "mlstack_samples": [], **variables}
    command = [str(BIN / "ansible-playbook"), str(ROOT / "playbooks" / playbook), "-e", json.dumps(extra)]
    ours = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "LC_ALL": "C.UTF-8", "MLSTACK_LAB": lab.name}
    return subprocess.run(
        [*command, *(["--check"] if check else [])],
        cwd="/",
        env={**os.environ, **ours},
        stdin=subprocess.DEVNULL,
        text=True,
        capture_output=True,
        check=False,
        timeout=900,
    )
