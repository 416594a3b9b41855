"""Python environments for what tests run beside the collection's own, made once and kept outside the checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.paths import CACHE


def make_environment(name: str, *wanted: str) -> Path:
    """Return the folder of programs of an environment. name: changes with what is wanted. wanted: pip's arguments."""
    environment = CACHE / "tests" / name
    complete = environment / "complete"
    if not complete.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
        subprocess.run([environment / "bin/python", "-m", "pip", "install", "-q", *wanted], check=True)
        complete.touch()
    return environment / "bin"
