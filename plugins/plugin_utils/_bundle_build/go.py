# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs compiled from pinned Go modules.

A module group is a folder <component>/<version> with go.mod (whose `tool` lines keep the programs in it), go.sum and
build.yml, which says which components of a release it holds and how its programs are built.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ansible.module_utils.common.yaml import yaml_load

from .._bundle.item import Item, Made
from .._common.command import BuildError, run

_PINS = ("go.mod", "go.sum")


@dataclass(frozen=True)
class Go:
    """A Go toolchain.

    path: of the `go` program. version: as `go env GOVERSION` prints it.
    architecture: what is built for, as Go names it.
    """

    path: str
    version: str
    architecture: str


@dataclass(frozen=True)
class Group:
    """One module group, as its build.yml describes it."""

    folder: Path
    components: Mapping[str, str]
    programs: Mapping[str, str]
    stamps: Mapping[str, str]
    tags: tuple[str, ...]
    cgo: bool
    linker_flags: tuple[str, ...]


def read_groups(folder: Path) -> list[Group]:
    """Return all module groups below a folder, in the order of their names."""
    groups = []
    for path in sorted(folder.glob("*/*/build.yml")):
        recipe = yaml_load(path.read_text())
        groups.append(
            Group(
                folder=path.parent,
                components=recipe["components"],
                programs=recipe["programs"],
                stamps=recipe.get("stamps", {}),
                tags=tuple(recipe.get("tags", ())),
                cgo=bool(recipe.get("cgo", False)),
                linker_flags=tuple(recipe.get("linker_flags", ())),
            )
        )
    return groups


def group_of(groups: Sequence[Group], program: str, components: Mapping[str, str]) -> Group:
    """Return the group that builds a program at the release's versions. Raises BuildError when there is none."""
    holders = [group for group in groups if program in group.programs]
    for group in holders:
        if all(components.get(name) == version for name, version in group.components.items()):
            return group
    have = "; ".join(", ".join(f"{name} {version}" for name, version in group.components.items()) for group in holders)
    raise BuildError(f"no Go module group builds {program} at the release's versions; there is: {have or 'none'}")


def program_item(go: Go, group: Group, program: str) -> Item:
    """Return the item of one program."""
    argv = ["build", "-mod=readonly", "-buildvcs=false", "-trimpath"]
    if group.tags:
        argv += ["-tags", ",".join(group.tags)]
    argv += ["-ldflags", _linker_flags(group)]
    environment = go_environment(go, group.cgo)
    inputs = {name: (group.folder / name).read_text() for name in _PINS}
    inputs.update(
        go=go.version,
        architecture=go.architecture,
        argv=json.dumps(argv),
        environment=json.dumps(environment, sort_keys=True),
        package=group.programs[program],
    )

    def build(output: Path, _needs: Mapping[str, Made]) -> Mapping[str, str]:
        run([go.path, *argv, "-o", str(output), group.programs[program]], cwd=group.folder, env=environment)
        output.chmod(0o755)
        return {}

    return Item(name=f"program {program}", inputs=inputs, build=build)


def go_environment(go: Go, cgo: bool = False) -> dict[str, str]:
    """Return the environment in which Go works, free of what a user's own settings would change in the output."""
    return {
        "CGO_ENABLED": "1" if cgo else "0",
        "GOAMD64": "v1",
        "GOARCH": go.architecture,
        "GOFLAGS": "",
        "GOOS": "linux",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }


def module_folder(go: Go, group: Group, module: str) -> Path:
    """Return the folder with a module's own files, downloaded when it is not there yet."""
    argv = [go.path, "mod", "download", "-json", module]
    return Path(json.loads(run(argv, cwd=group.folder, env=go_environment(go)))["Dir"])


def minimum_go(groups: Sequence[Group]) -> tuple[int, ...]:
    """Return the oldest version of Go that builds all groups, as their go.mod files ask for it."""
    texts = [(group.folder / "go.mod").read_text() for group in groups]
    return max(_numbers(line) for text in texts for line in re.findall(r"^go (\S+)$", text, re.MULTILINE))


def find_go(candidates: Sequence[str], minimum: tuple[int, ...], architecture: str) -> Go:
    """Return the first of some `go` programs (names or paths) that is there and not too old.

    Raises BuildError with what was found instead.
    """
    found = []
    for candidate in candidates:
        path = shutil.which(candidate)
        if path is None:
            found.append(f"{candidate}: not there")
            continue
        version = run([path, "env", "GOVERSION"], env={"GOTOOLCHAIN": "local"}).strip()
        if _numbers(version) >= minimum:
            return Go(path=path, version=version, architecture=architecture)
        found.append(f"{path}: {version}")
    wanted = ".".join(map(str, minimum))
    raise BuildError(
        f"Go {wanted} or newer is needed ({'; '.join(found)}). Put it on PATH; role bundle installs it otherwise"
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _linker_flags(group: Group) -> str:
    # Without the symbol table and debug information a program is a third smaller.
    flags = ["-s", "-w", *group.linker_flags]
    for name, value in group.stamps.items():
        flags += ["-X", f"{name}={value}"]
    if group.cgo:
        flags += ["-extldflags", "-static"]
    return " ".join(flags)
