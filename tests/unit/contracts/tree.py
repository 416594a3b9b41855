"""What the contract tests read: the checkout as it is, without what git ignores."""

from __future__ import annotations

import ast
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[3]
ROLES = sorted(path.name for path in (ROOT / "roles").iterdir() if (path / "tasks").is_dir())
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py"))
ACTIONS = sorted(path.stem for path in (ROOT / "plugins" / "action").glob("*.py"))
PLAYBOOKS = sorted(path.stem for path in (ROOT / "playbooks").glob("*.yml"))
RELEASES = sorted(path.stem for path in (ROOT / "releases").glob("*.yml"))
DOCUMENTS = ("DOCUMENTATION", "EXAMPLES", "RETURN")


@lru_cache(maxsize=None)
def files() -> list[Path]:
    """Return every file that is, or may yet be, in a commit."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


@lru_cache(maxsize=None)
def load(path: Path) -> Any:
    """Return what a YAML file holds."""
    return yaml.load(path.read_text(), yaml.CSafeLoader)


@lru_cache(maxsize=None)
def module_documents(name: str) -> dict[str, Any]:
    """Return a module's three documents, parsed."""
    documents = {}
    for node in ast.parse((ROOT / "plugins" / "modules" / f"{name}.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in DOCUMENTS:
            documents[ast.unparse(node.targets[0])] = yaml.load(ast.literal_eval(node.value), yaml.CSafeLoader)
    return documents


def names(paths: list[Path]) -> str:
    """Return paths as text for a message."""
    return ", ".join(str(path.relative_to(ROOT)) for path in paths)
