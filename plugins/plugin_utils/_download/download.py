# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One file from upstream: tried again after failures, resumed where it broke, taken only with the right sum."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ...module_utils._bundle.index import sha256_of
from .._common.command import BuildError
from .._common.lock import locked
from .web import Auth, Http, HttpError, reason, shown

# Http says that it is missing before anything is asked.
with contextlib.suppress(ImportError):
    import urllib3

T = TypeVar("T")
Bytes = Callable[[int, int], None]
"""Told how many bytes are there and how many there will be (0: the server does not say)."""
Note = Callable[[str], None]

_BLOCK = 1 << 18
_MUCH = 1 << 20
_NO_SUCH_RANGE = 416
_STALE_S = 7 * 24 * 3600


@dataclass(frozen=True)
class Patience:
    """How much trouble a download may have.

    attempts: failures in a row that end it; more than a megabyte got in between begins the count anew.
    first_wait_s, longest_wait_s: the pause after a failure, doubled each time.
    slow_s, slow_bytes_s: a server that sends less than that rate for that long counts as gone.
    """

    attempts: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0
    slow_s: float = 30.0
    slow_bytes_s: float = 1024.0

    def wait_s(self, failures: int, asked: float | None) -> float:
        """Return the pause after so many failures in a row. asked: what the server wants."""
        return min(self.longest_wait_s, asked if asked is not None else self.first_wait_s * 2.0 ** (failures - 1))


@dataclass(frozen=True)
class Wanted:
    """A file to download.

    address: upstream's own; a mirror is put in front of it by `Downloader`. mirrored: whether it may be.
    sha256: hexadecimal; None when the caller judges the content. auth: signs the requests.
    """

    address: str
    sha256: str | None
    mirrored: bool = True
    auth: Auth | None = None


class Stopped(BuildError):
    """The run was interrupted."""


class Downloader:
    """Downloads files, a few at a time. Safe to use from several threads."""

    def __init__(self, http: Http, partial: Path, patience: Patience = Patience(), at_once: int = 4) -> None:
        """partial: folder for what is not whole yet, kept from run to run. at_once: connections that carry files."""
        self.http = http
        self._partial = partial
        self._patience = patience
        self._slots = threading.BoundedSemaphore(at_once)
        self._stop = threading.Event()

    def stop(self) -> None:
        """Make all downloads end soon."""
        self._stop.set()

    def fetch(
        self, wanted: Wanted, path: Path, on_bytes: Bytes = lambda _done, _total: None, note: Note = lambda _text: None
    ) -> None:
        """Put the file at `path`. Raises BuildError, also when the sum is wrong.

        note: told of each failure that is not the end.
        """
        address = self.http.network.mirrored(wanted.address) if wanted.mirrored else wanted.address
        part = _Part(self._partial, f"{wanted.address} {wanted.sha256}")
        with locked(part.lock):
            self._complete(address, wanted, part, on_bytes, note)
            path.unlink(missing_ok=True)
            part.move(path)

    def text(self, address: str, limit: int = 1 << 20) -> str:
        """Return a small text, such as a list of sums. Raises BuildError."""
        address = self.http.network.mirrored(address)

        return self.patiently(lambda: self.http.read(address, limit)[0].decode(errors="replace"))

    def patiently(self, ask: Callable[[], T], note: Note = lambda _text: None) -> T:
        """Return what `ask` returns, asked again after failures that may pass. Raises BuildError."""
        failures = 0
        while True:
            try:
                return ask()
            except HttpError as error:
                failures += 1
                self._pause(error, failures, note)

    def sweep(self) -> None:
        """Remove what was left unfinished long ago."""
        for path in self._partial.glob("*"):
            if path.stat().st_mtime < time.time() - _STALE_S:
                path.unlink(missing_ok=True)

    def _complete(self, address: str, wanted: Wanted, part: _Part, on_bytes: Bytes, note: Note) -> None:
        failures = 0
        while not (part.size and wanted.sha256 and sha256_of(str(part.path)) == wanted.sha256):
            before = part.size
            try:
                resumed = self._transfer(address, wanted, part, on_bytes)
            except HttpError as error:
                if error.status == _NO_SUCH_RANGE and before:
                    part.drop()
                    continue
                failures = 1 if part.size - before > _MUCH else failures + 1
                self._pause(error, failures, note)
                continue
            if wanted.sha256 is None:
                return
            got = sha256_of(str(part.path))
            if got == wanted.sha256:
                return
            part.drop()
            if not resumed:
                raise BuildError(
                    f"{shown(address)}: sum is wrong, so the file is not taken\n"
                    f"wanted sha256 {wanted.sha256}\ngot    sha256 {got}"
                )
            note("what was resumed has a wrong sum; it is downloaded anew")

    def _transfer(self, address: str, wanted: Wanted, part: _Part, on_bytes: Bytes) -> bool:
        """Get what is missing. Returns whether something of an earlier attempt is part of it. Raises HttpError."""
        offset = part.size
        with self._slot(), self._answer(address, part.range_headers(wanted.sha256 is not None), wanted.auth) as answer:
            resumed = answer.status == 206 and _range_start(answer.headers) == offset and offset > 0
            if answer.status == 206 and not resumed:
                part.drop()
                raise HttpError(f"{shown(address)}: sends another range than the one asked for", False)
            start = offset if resumed else 0
            length = int(answer.headers.get("Content-Length") or 0)
            total = start + length if length else 0
            if not resumed:
                part.begin(answer.headers)
            self._write(address, answer, part, start, total, on_bytes)
        return resumed

    def _write(
        self, address: str, answer: urllib3.BaseHTTPResponse, part: _Part, done: int, total: int, on_bytes: Bytes
    ) -> None:
        speed = _Speed(self._patience)
        # Unbuffered: what a killed run has got is what the next one need not get.
        with open(part.path, "ab", buffering=0) as sink:
            while True:
                if self._stop.is_set():
                    raise Stopped("interrupted")
                try:
                    block = answer.read1(_BLOCK)
                except urllib3.exceptions.HTTPError as error:
                    raise HttpError(f"{shown(address)}: {reason(error)} at {megabytes(done, total)}", False) from error
                if not block:
                    break
                sink.write(block)
                done += len(block)
                on_bytes(done, total)
                if speed.too_slow(len(block)):
                    rule = f"under {self._patience.slow_bytes_s / 1000:.0f} kB/s for {self._patience.slow_s:.0f} s"
                    raise HttpError(f"{shown(address)}: too slow, {rule}, at {megabytes(done, total)}", False)

    @contextlib.contextmanager
    def _answer(
        self, address: str, headers: Mapping[str, str], auth: Auth | None
    ) -> Iterator[urllib3.BaseHTTPResponse]:
        answer = self.http.get(address, headers, auth)
        try:
            yield answer
        finally:
            # Not put back into the pool: what was not read to its end would be taken for the next answer.
            answer.close()

    @contextlib.contextmanager
    def _slot(self) -> Iterator[None]:
        with self._slots:
            if self._stop.is_set():
                raise Stopped("interrupted")
            yield

    def _pause(self, error: HttpError, failures: int, note: Note) -> None:
        if error.permanent:
            raise BuildError(str(error)) from error
        if failures >= self._patience.attempts:
            raise BuildError(f"{error}\ngiven up after {failures} attempts") from error
        wait_s = self._patience.wait_s(failures, error.wait_s)
        note(f"{error}; tried again in {wait_s:.0f} s")
        if self._stop.wait(wait_s):
            raise Stopped("interrupted")


class _Part:
    """A file that is not whole yet, and how the server called the version it belongs to."""

    def __init__(self, folder: Path, identity: str) -> None:
        name = hashlib.sha256(identity.encode()).hexdigest()[:32]
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / name
        self.lock = folder / f"{name}.lock"
        self._about = folder / f"{name}.json"

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def range_headers(self, sum_known: bool) -> dict[str, str]:
        """Return what asks for the rest, if it still is the same file. Empty when there is nothing to go on from."""
        if not self.size:
            return {}
        try:
            validator = str(json.loads(self._about.read_text())["validator"])
        except (OSError, ValueError, KeyError):
            validator = ""
        if validator:
            return {"Range": f"bytes={self.size}-", "If-Range": validator}
        # Without a validator only the sum can tell in the end whether both halves belong together.
        return {"Range": f"bytes={self.size}-"} if sum_known else {}

    def begin(self, headers: Mapping[str, str]) -> None:
        self.path.write_bytes(b"")
        tag = headers.get("ETag", "")
        # A weak tag says that two files mean the same, not that their bytes are the same.
        validator = tag if tag.startswith('"') else headers.get("Last-Modified", "")
        self._about.write_text(json.dumps({"validator": validator}))

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)
        self._about.unlink(missing_ok=True)

    def move(self, path: Path) -> None:
        self.path.replace(path)
        self._about.unlink(missing_ok=True)


class _Speed:
    """Whether the bytes come too slowly, looked at once in a while."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._since = time.monotonic()
        self._bytes = 0

    def too_slow(self, more: int) -> bool:
        self._bytes += more
        seconds = time.monotonic() - self._since
        if seconds < self._patience.slow_s:
            return False
        slow = self._bytes < self._patience.slow_bytes_s * seconds
        self._since, self._bytes = time.monotonic(), 0
        return slow


def megabytes(done: int, total: int) -> str:
    """Return how far a download is, for example `12 of 60 MB`."""
    return f"{done / 1e6:.0f} of {total / 1e6:.0f} MB" if total else f"{done / 1e6:.0f} MB"


def _range_start(headers: Mapping[str, str]) -> int:
    start = headers.get("Content-Range", "").partition(" ")[2].partition("-")[0]
    return int(start) if start.isdigit() else -1
