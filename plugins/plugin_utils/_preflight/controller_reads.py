# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the run takes from the controller: the release and the bundle."""

from __future__ import annotations

import os
from typing import Any

from ...module_utils._bundle.index import INDEX, read_index, sha256_of, verify
from ...module_utils._common.problem import Problem, Rule
from .._bundle.release import ReleaseError, load_release

MAKE = "Make it: ansible-playbook -i <inventory> trainyard.mlstack.bundle"
NO_BUNDLE = Rule("mlstack_bundle_dir", "it must hold a finished bundle, and has no index.json", MAKE)
UNREADABLE_BUNDLE = Rule("mlstack_bundle_dir", "its index.json cannot be read ({error})", MAKE)
OTHER_RELEASE = Rule("mlstack_bundle_dir", "it must hold release {release}, and holds {found}", MAKE)


def read_text(path: str) -> str | None:
    """Return the file's text, or None when it cannot be read as text."""
    try:
        with open(path, encoding="utf-8") as handle:
            return handle.read()
    except (OSError, UnicodeDecodeError):
        return None


def release_problems(name: Any, folders: list[str]) -> list[Problem]:
    """Return what is wrong with the release; one that is no text is a matter of the check `options`."""
    if not isinstance(name, str):
        return []
    try:
        load_release(name, folders)
    except ReleaseError as error:
        return error.problems
    return []


def kubernetes_version(name: Any, folders: list[str]) -> str:
    """Return the version of Kubernetes in a release, empty when there is no such release."""
    try:
        return str(load_release(name, folders)["components"]["kubernetes"]) if isinstance(name, str) else ""
    except ReleaseError:
        return ""


def read_bundle(folder: str, release: Any) -> tuple[str, list[Problem]]:
    """Return the architecture of the bundle in the folder (empty when there is none) and what is wrong with it."""
    try:
        index = read_index(folder)
    except FileNotFoundError:
        return "", [NO_BUNDLE.broken(folder)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return "", [UNREADABLE_BUNDLE.broken(folder, error=repr(error))]
    if index.release != release:
        return index.architecture, [OTHER_RELEASE.broken(folder, release=release, found=index.release)]
    return index.architecture, verify(folder, index.files)


def bundle_sum(folder: str) -> str:
    """Return the sum of the index of a bundle that `read_bundle` could read."""
    return sha256_of(os.path.join(folder, INDEX))
