"""Modules run where Python may be 3.8 and nothing is installed besides it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.unit.contracts import imports, tree

API_MODULES = tree.load(tree.ROOT / "meta" / "runtime.yml")["action_groups"]["api"]


def with_own_imports(path: Path) -> dict[Path, set[str]]:
    """Return a file and all of the collection that it reaches by imports, each with what it imports from elsewhere."""
    reached: dict[Path, set[str]] = {}
    waiting = [path]
    while waiting:
        current = waiting.pop()
        if current in reached:
            continue
        found = imports.of(current)
        reached[current] = {name for name in found if not name.startswith(imports.OWN)}
        waiting += [imports.file_of(name) for name in found if name.startswith(imports.OWN)]
    return reached


@pytest.mark.parametrize("module", tree.MODULES)
def test_module_is_python_38_with_its_standard_library(module: str) -> None:
    allowed = set(sys.stdlib_module_names)
    if module in API_MODULES:
        allowed |= {"kubernetes", "urllib3"}  # they run on the API host, whose Python has the Kubernetes client
    for path, names in with_own_imports(tree.ROOT / "plugins" / "modules" / f"{module}.py").items():
        foreign = {name for name in names if name.split(".")[0] not in allowed}
        foreign = {name for name in foreign if not name.startswith("ansible.module_utils.")}
        assert not foreign, f"{path.relative_to(tree.ROOT)} imports {foreign}"


@pytest.mark.parametrize("module", tree.MODULES)
def test_module_imports_only_what_travels_with_it(module: str) -> None:
    for path in with_own_imports(tree.ROOT / "plugins" / "modules" / f"{module}.py"):
        folder = path.relative_to(tree.ROOT / "plugins").parts[0]
        assert folder in ("modules", "module_utils"), f"{module} imports {path.relative_to(tree.ROOT)}"
