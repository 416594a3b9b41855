"""What a file of the collection imports, by the names that Python would resolve."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from tests.unit.contracts import tree

OWN = "ansible_collections.trainyard.mlstack.plugins."


def file_of(name: str) -> Path:
    """Return the file, or folder, of a Python module of the collection."""
    path = tree.ROOT / "plugins" / name[len(OWN) :].replace(".", "/")
    return path if path.is_dir() else path.with_suffix(".py")


def absolute(path: Path, node: ast.ImportFrom) -> str:
    """Return the absolute name of the module that a file imports from."""
    if not node.level:
        return node.module or ""
    folder = path.relative_to(tree.ROOT / "plugins").parts[: -node.level]
    return OWN + ".".join([*folder, *([node.module] if node.module else [])])


@lru_cache(maxsize=None)
def of(path: Path) -> frozenset[str]:
    """Return the absolute names of all modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(), filename=str(path), feature_version=(3, 8))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = absolute(path, node)
            names = {f"{module}.{alias.name}" for alias in node.names}
            found |= names if module.startswith(OWN) and file_of(module).is_dir() else {module}
    return frozenset(found)
