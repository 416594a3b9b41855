"""Nothing in a commit depends on the machine on which it was written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from urllib.parse import urlsplit

from tests.unit.contracts import tree

SECRET = re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}")


def machine_hosts() -> set[str]:
    """Return the hosts by which this machine reaches registries: mirrors and proxies are nobody else's business."""
    answers = [value for name, value in os.environ.items() if name.lower().endswith("proxy")]
    for command in (["go", "env", "GOPROXY"], [sys.executable, "-m", "pip", "config", "list"]):
        try:
            answers.append(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
        except OSError:
            continue  # without the program there is no setting of it
    urls = re.findall(r"https?://[^\s,'\"|]+", " ".join(answers))
    hosts = {urlsplit(url).hostname or "" for url in urls}
    return {host for host in hosts if "." in host}


def holding(pattern: str) -> list[str]:
    """Return where a pattern stands, as file:line."""
    expression = re.compile(pattern)
    found = []
    for path in tree.files():
        if path.name in ("go.sum", "test_leaks.py") or path.suffix in (".png", ".npy"):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
            if expression.search(line):
                found.append(f"{path.relative_to(tree.ROOT)}:{number}")
    return found


def test_names_no_path_of_a_machine() -> None:
    # These are the paths' beginnings on any such machine, not one of this one; the file that says so is left out.
    assert holding(r"/work/(?!\$)|/home/\w|/root/\.(?:pyenv|venv)") == []


def test_names_no_registry_mirror() -> None:
    for host in machine_hosts():
        assert holding(re.escape(host)) == []


def test_holds_no_private_key() -> None:
    assert [path for path in tree.files() if SECRET.search(path.read_text(errors="replace"))] == []
