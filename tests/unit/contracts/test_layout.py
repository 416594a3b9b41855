# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each helper lies in a package, each package imports in one direction, each file has a test of its own name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.contracts import imports, tree

# Each package may import those to its right; floors may be skipped, none goes back, and no wing reaches into another.
WINGS = {
    "module_utils": (
        ("_cluster", "_jobs", "_job_status", "_job_kinds", "_gangs", "_job_model", "_pods", "_kube"),
        ("_host", "_control_plane"),
        ("_host", "_bundle"),
        ("_lab",),
    ),
    "plugin_utils": (
        ("_preflight", "_nodes"),
        ("_preflight", "_bundle"),
        ("_bundle_build", "_bundle", "_download"),
        ("_lab", "_actions"),
        ("_manifests",),
        ("_docs",),
    ),
}
GROUND = "_common"
MOST_WITHOUT_OWN_TEST = 17
# Helpers whose neighbours' tests still cover them. Their packages are being rewritten; the list only shrinks.
WITHOUT_OWN_TEST: frozenset[str] = frozenset(
    {
        "module_utils/_cluster/read.py",
        "module_utils/_cluster/uninstall.py",
        "module_utils/_gangs/backend.py",
        "module_utils/_gangs/backend_kube_batch.py",
        "module_utils/_gangs/backend_native.py",
        "module_utils/_gangs/backend_scheduler_plugins.py",
        "module_utils/_gangs/backend_volcano.py",
        "module_utils/_gangs/queue_run.py",
        "module_utils/_job_kinds/registry.py",
        "module_utils/_job_model/cause.py",
        "module_utils/_job_model/job.py",
        "module_utils/_job_model/kind.py",
        "module_utils/_job_model/state.py",
        "module_utils/_jobs/keys_places.py",
        "module_utils/_jobs/module.py",
        "module_utils/_pods/log.py",
        "module_utils/_pods/schema_data.py",
    }
)
MOST_PACKAGES = {"module_utils": 16, "plugin_utils": 12}
MOST_FILES = 25


def helpers(kind: str) -> list[Path]:
    """Return all files of module_utils or plugin_utils."""
    return sorted((tree.ROOT / "plugins" / kind).glob("**/*.py"))


def packages(kind: str) -> set[str]:
    return {path.parent.name for path in helpers(kind)}


def test_all_helpers_are_seen() -> None:
    assert sum(len(helpers(kind)) for kind in WINGS) > 200


@pytest.mark.parametrize("kind", WINGS)
def test_packages_are_few_and_small(kind: str) -> None:
    folder = tree.ROOT / "plugins" / kind
    assert [path.name for path in helpers(kind) if path.parent.parent != folder] == []
    assert packages(kind) == {name for wing in WINGS[kind] for name in wing} | {GROUND}
    assert len(packages(kind)) <= MOST_PACKAGES[kind]
    sizes = {name: len(list((folder / name).glob("*.py"))) for name in packages(kind)}
    assert {name: size for name, size in sizes.items() if size > MOST_FILES} == {}


def wrong_imports(path: Path, imported: frozenset[str]) -> list[str]:
    """Return what a helper imports against the direction of its wing."""
    kind, package = path.relative_to(tree.ROOT / "plugins").parts[:2]
    wrong = []
    for name in imported:
        if not name.startswith(imports.OWN):
            continue
        its_kind, _dot, rest = name[len(imports.OWN) :].partition(".")
        its_package = rest.partition(".")[0]
        if its_kind == "module_utils" and kind == "plugin_utils":
            continue
        if its_kind != kind:
            wrong.append(name)
        elif its_package not in (package, GROUND):
            wings = [wing for wing in WINGS[kind] if package in wing]
            if not any(its_package in wing[wing.index(package) :] for wing in wings):
                wrong.append(name)
    return sorted(wrong)


@pytest.mark.parametrize("kind", WINGS)
def test_imports_go_one_way(kind: str) -> None:
    wrong = {path.relative_to(tree.ROOT): wrong_imports(path, imports.of(path)) for path in helpers(kind)}
    assert {str(path): found for path, found in wrong.items() if found} == {}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("module_utils/_kube/store.py", "module_utils._pods.demand"),
        ("module_utils/_common/problem.py", "module_utils._kube.names"),
        ("module_utils/_host/info.py", "module_utils._kube.names"),
        ("module_utils/_bundle/files.py", "module_utils._control_plane.files"),
        ("module_utils/_jobs/run.py", "plugin_utils._common.lock"),
        ("plugin_utils/_download/web.py", "plugin_utils._bundle.item"),
    ],
)
def test_a_wrong_import_is_found(path: str, name: str) -> None:
    assert wrong_imports(tree.ROOT / "plugins" / path, frozenset({imports.OWN + name})) == [imports.OWN + name]


def test_every_helper_of_modules_is_reached_from_a_module() -> None:
    reached: set[Path] = set()
    waiting = sorted((tree.ROOT / "plugins" / "modules").glob("*.py"))
    while waiting:
        names = [name for name in imports.of(waiting.pop()) if name.startswith(imports.OWN)]
        new = {imports.file_of(name) for name in names} - reached
        reached |= new
        waiting += new
    assert [str(path.relative_to(tree.ROOT)) for path in helpers("module_utils") if path not in reached] == []


def test_no_helper_names_its_own_collection() -> None:
    named = [path for kind in WINGS for path in helpers(kind) if "ansible_collections.trainyard" in path.read_text()]
    assert not named, f"import relatively in {tree.names(named)}"


def own_test(helper: Path) -> Path:
    """Return where the test of a helper lies: same path, same name."""
    kind, package, name = helper.relative_to(tree.ROOT / "plugins").parts
    return tree.ROOT / "tests" / "unit" / "plugins" / kind / package / f"test_{name}"


def test_every_helper_has_a_test_file_of_its_own_name() -> None:
    without = {
        str(path.relative_to(tree.ROOT / "plugins"))
        for kind in WINGS
        for path in helpers(kind)
        if not own_test(path).is_file()
    }
    assert sorted(without - WITHOUT_OWN_TEST) == [], "write tests/unit/plugins/<kind>/<package>/test_<name>.py"
    assert sorted(WITHOUT_OWN_TEST - without) == [], "take these out of WITHOUT_OWN_TEST: they have a test, or are gone"
    assert len(WITHOUT_OWN_TEST) <= MOST_WITHOUT_OWN_TEST


@pytest.mark.parametrize("kind", WINGS)
def test_every_test_file_of_helpers_holds_a_test(kind: str) -> None:
    files = sorted((tree.ROOT / "tests" / "unit" / "plugins" / kind).glob("*/test_*.py"))
    assert files
    assert tree.names([path for path in files if "def test_" not in path.read_text()]) == ""
