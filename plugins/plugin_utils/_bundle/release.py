# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Releases: one file names everything that was tested together."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Sequence, Set

from ansible.module_utils.common.yaml import yaml_load

from ...module_utils._common.problem import Problem, report

OWN_RELEASES = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "releases"))
"""The releases that come with the collection: found from this file, so that the working directory does not matter."""

SECTIONS = ("components", "programs", "images", "manifests", "data")
# Sections that a release may leave out. built_images: what nobody publishes, so only a bundle that is built has it.
# pulled_images: what clusters of others pull by name, and no bundle has. only_with_gang_scheduler: name of an image or
# manifest -> the gang scheduler with which alone a bundle has it.
OPTIONAL_SECTIONS = ("built_images", "pulled_images", "only_with_gang_scheduler")
GANG_SCHEDULERS = ("native", "none")
_NATIVE_GANGS_FROM = [1, 37]
_OF_A_COMPONENT = ("programs", "manifests", "data")


class ReleaseError(ValueError):
    """A release that cannot be used. `problems` says everything that is wrong with it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(report(problems))
        self.problems = list(problems)


def known_releases(extra_dirs: Sequence[str] = ()) -> List[str]:
    """Return the names of all releases that can be loaded, oldest first."""
    names: Set[str] = set()
    for folder in [*extra_dirs, OWN_RELEASES]:
        if os.path.isdir(folder):
            names.update(entry[: -len(".yml")] for entry in os.listdir(folder) if entry.endswith(".yml"))
    return sorted(names, key=_age)


def load_release(name: object, extra_dirs: Sequence[str] = ()) -> Dict[str, Any]:
    """Return the release called `name`.

    name: as text, for example "2026.11".
    extra_dirs: folders that are looked into before the collection's own releases.
    Raises ReleaseError when the name is not text, no such file exists, or the file breaks a rule.
    """
    path = release_path(name, extra_dirs)
    return _read(str(name), path)


def release_path(name: object, extra_dirs: Sequence[str] = ()) -> str:
    """Return the file of the release called `name`. Arguments and errors as above."""
    if not isinstance(name, str):
        raise ReleaseError([_not_text("mlstack_release", name)])
    for folder in [*extra_dirs, OWN_RELEASES]:
        path = os.path.join(folder, name + ".yml")
        if os.path.isfile(path):
            return path
    known = ", ".join(known_releases(extra_dirs)) or "none"
    raise ReleaseError(
        [
            Problem(
                field="mlstack_release",
                value=name,
                rule=f"no such release; known: {known}",
                way_out="Name one of these, or put the folder of your own release into mlstack_release_dirs",
            )
        ]
    )


def of_gang_scheduler(release: Dict[str, Any], scheduler: str) -> Dict[str, Any]:
    """Return a release with those images and manifests only that a cluster with this gang scheduler needs.

    scheduler: empty for the release's own.
    """
    only, wanted = release["only_with_gang_scheduler"], scheduler or release["gang_scheduler"]
    sections = {
        section: {name: value for name, value in release[section].items() if only.get(name, wanted) == wanted}
        for section in ("images", "manifests")
    }
    return {**release, **sections}


def lookup_path(release: Dict[str, Any], path: str) -> Any:
    """Return the value at a dotted path, for example `images.pause`.

    Raises ReleaseError when the path leads nowhere; the error lists what there is.
    """
    value: Any = release
    walked: List[str] = []
    for part in _parts(path, release):
        if not isinstance(value, dict) or part not in value:
            there = ", ".join(sorted(value)) if isinstance(value, dict) else "nothing"
            where = ".".join(walked) or "the top"
            problem = Problem(
                field=f"release {release['release']}",
                value=path,
                rule=f"has no such entry; below {where} there is: {there}",
                way_out="Name one of these",
            )
            raise ReleaseError([problem])
        value = value[part]
        walked.append(part)
    return value


def _parts(path: str, release: Dict[str, Any]) -> List[str]:
    """Split a path at its first dot only: names below a section hold dots themselves (`data.digits.csv`)."""
    head, _dot, tail = path.partition(".")
    return [head, tail] if tail and head in (*SECTIONS, *OPTIONAL_SECTIONS) else path.split(".")


def _read(name: str, path: str) -> Dict[str, Any]:
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    try:
        document = yaml_load(text)
    except (
        Exception
    ) as error:  # the YAML library is optional for Ansible's own module_utils, so its error type has no name here
        raise ReleaseError(
            [Problem(field=path, value="not YAML", rule=str(error).replace("\n", " "), way_out="Correct the file")]
        ) from error
    problems = _check(name, path, document)
    if problems:
        raise ReleaseError(problems)
    # A release of one's own need not say what its version of Kubernetes decides.
    native = _age(document["components"].get("kubernetes", "")) >= _NATIVE_GANGS_FROM
    optional: Dict[str, Any] = {section: {} for section in OPTIONAL_SECTIONS}
    return {"gang_scheduler": "native" if native else "none", **optional, **document}


def _check(name: str, path: str, document: Any) -> List[Problem]:
    if not isinstance(document, dict):
        rule = "a release is a mapping with the keys release, " + ", ".join(SECTIONS)
        return [
            Problem(
                field=path,
                value=type(document).__name__,
                rule=rule,
                way_out="Copy the newest release of the collection",
            )
        ]
    problems: List[Problem] = []
    own_name = document.get("release")
    if own_name is not None and not isinstance(own_name, str):
        problems.append(_not_text(f"{path}: release", own_name))
    elif own_name != name:
        rule = f"must be the file's name, {name}"
        problems.append(
            Problem(field=f"{path}: release", value=str(own_name), rule=rule, way_out=f'Write release: "{name}"')
        )
    for section in (*SECTIONS, *(name for name in OPTIONAL_SECTIONS if name in document)):
        problems += _check_section(path, section, document)
    gangs = document.get("gang_scheduler", "none")
    if gangs not in GANG_SCHEDULERS:
        rule = "must be one of " + ", ".join(GANG_SCHEDULERS)
        problems.append(Problem(f"{path}: gang_scheduler", str(gangs), rule, "Write one of these, or leave it out"))
    return problems


def _check_section(path: str, section: str, document: Dict[str, Any]) -> List[Problem]:
    entries = document.get(section)
    if not isinstance(entries, dict):
        rule = "must be a mapping of names to text"
        return [
            Problem(field=f"{path}: {section}", value=str(entries), rule=rule, way_out="Write {} when there is nothing")
        ]
    problems: List[Problem] = []
    components = document.get("components")
    for key, value in entries.items():
        field = f"{path}: {section}.{key}"
        if not isinstance(value, str):
            problems.append(_not_text(field, value))
        elif section in _OF_A_COMPONENT and isinstance(components, dict) and value not in components:
            rule = "must name one of components: " + ", ".join(components)
            problems.append(
                Problem(field=field, value=value, rule=rule, way_out="Name one of these, or add the component")
            )
    return problems


def _not_text(field: str, value: object) -> Problem:
    name = field.rpartition(".")[2] if ": " in field else field
    kind = "a number" if isinstance(value, (int, float)) else "not text"
    return Problem(
        field=field,
        value=str(value),
        rule=f"is {kind}, but versions and names are text (as a number, 1.10 is 1.1)",
        way_out=f'Put it in quotes: {name.rpartition(": ")[2]}: "{value}"',
    )


def _age(name: str) -> List[int]:
    return [int(number) for number in re.findall(r"\d+", name)]
