# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sums and digests that a release lacks, asked of upstream."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ...module_utils._bundle.index import sha256_of
from .._common.command import BuildError
from .._common.lock import locked
from .._download.download import Downloader, Wanted
from .._download.registry import Ref, Registry
from . import upstream
from .download_item import published, tree_sum_of

Pins = dict[tuple[str, ...], str]
_AT_ONCE = 8


def missing_pins(release: Mapping[str, Any], downloader: Downloader, cache: Path) -> Pins:
    """Return what the release lacks: path in its file to value, for all architectures.

    A sum is the one published beside its file; where none is published, the file is downloaded and summed.
    cache: folder for these downloads. Raises BuildError with everything that could not be found.
    """
    upstream.check(release)
    pins: Pins = {}
    failures = []
    with _scratch(cache) as folder, ThreadPoolExecutor(_AT_ONCE) as pool:
        questions = {**_download_questions(release, downloader, folder), **_image_questions(release, downloader)}
        answers = {path: pool.submit(ask) for path, ask in questions.items()}
        for path, answer in answers.items():
            try:
                pins[path] = answer.result()
            except BuildError as error:
                failures.append(f"{'.'.join(path)}: {error}")
    if failures:
        raise BuildError(f"{len(failures)} of {len(questions)} were not found:\n" + "\n".join(failures))
    return pins


@contextlib.contextmanager
def _scratch(cache: Path) -> Iterator[Path]:
    """Yield an empty folder; what an interrupted run has left in it is removed with it."""
    folder = cache / "pin"
    with locked(cache / "pin.lock"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _download_questions(
    release: Mapping[str, Any], downloader: Downloader, folder: Path
) -> dict[tuple[str, ...], Callable[[], str]]:
    questions: dict[tuple[str, ...], Callable[[], str]] = {}
    for name in release["upstream"]["downloads"]:
        for architecture in upstream.ARCHITECTURES:
            source = upstream.source(release, name, architecture)
            if not source.sha256:
                path = ("upstream", "downloads", name, "sha256", source.pin)
                questions[path] = lambda source=source: _sum(source, downloader, folder)  # type: ignore[misc]
    return questions


def _image_questions(release: Mapping[str, Any], downloader: Downloader) -> dict[tuple[str, ...], Callable[[], str]]:
    questions: dict[tuple[str, ...], Callable[[], str]] = {}
    for name, ref in release["images"].items():
        for architecture in upstream.ARCHITECTURES:
            if not upstream.image_pin(release, name, architecture):
                registry = Registry(Ref.parse(ref), downloader)
                path = ("upstream", "images", name, architecture)
                questions[path] = lambda registry=registry, name=name, architecture=architecture: (  # type: ignore[misc]
                    registry.trusted_manifest(name, architecture).digest
                )
    return questions


def _sum(source: upstream.Source, downloader: Downloader, folder: Path) -> str:
    if source.published:
        return published(source, downloader)
    if not downloader.http.network.mirrored(source.address).startswith("https://"):
        raise BuildError(f"{source.address} is not https, so that anybody on the way could change it")
    with tempfile.TemporaryDirectory(dir=folder) as own:
        path = Path(own, "download")
        downloader.fetch(Wanted(source.address, None), path)
        return tree_sum_of(source, path) if source.tree else sha256_of(str(path))
