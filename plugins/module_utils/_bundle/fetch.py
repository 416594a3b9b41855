# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetch files of a bundle from a web server, by their sum. Python 3.8, standard library only."""

from __future__ import annotations

import errno
import http.client
import os
import shutil
import ssl
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Iterable, List, Mapping, NamedTuple, Optional
from urllib.parse import quote

from .._common.disk import full_disk, lacking_room
from .._common.proxies import Proxies, read_proxies
from .place import sha256_of

# Kept from run to run, so that what a killed run has of a large file is not fetched again.
FOLDER = "/var/cache/mlstack/incoming"
CHUNK = 1 << 20
ATTEMPTS = 5
TIMEOUT_S = 60.0
TELL_EVERY_S = 10.0
_ANEW = "Copy the bundle to the server again and run the playbook again"
# Answers after which it is worth while to ask again.
_PASSING = (408, 425, 429, 500, 502, 503, 504)

Say = Callable[[str], None]


class FetchError(Exception):
    """A file could not be fetched; the text is for the user as it stands."""


class Wanted(NamedTuple):
    """A file of the bundle. path: in the bundle. size: in bytes."""

    path: str
    sha256: str
    size: int


class _Broken(Exception):
    """The transfer broke off; what came so far is good."""


def make_opener(certificates: Iterable[str], settings: Mapping[str, str]) -> urllib.request.OpenerDirector:
    """Return what opens addresses. certificates, settings: as for `Server`."""
    context = ssl.create_default_context()
    for text in certificates:
        context.load_verify_locations(cadata=text)
    return urllib.request.build_opener(Proxies(settings), urllib.request.HTTPSHandler(context=context))


class Server:
    """A web server that serves a bundle's folder."""

    def __init__(
        self,
        url: str,
        certificates: Iterable[str] = (),
        settings: Optional[Mapping[str, str]] = None,
        folder: str = FOLDER,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """url: of the folder. certificates: PEM texts that are trusted besides the host's own.

        settings: proxies, as `_common.proxies` reads them; those of this host when None.
        """
        self._url = url.rstrip("/")
        self.folder = folder
        self._sleep = sleep
        self._opener = make_opener(certificates, read_proxies() if settings is None else settings)

    def tidy(self, wanted: Iterable[Wanted]) -> None:
        """Make the folder, without what earlier runs left of other files."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        keep = {item.sha256 for item in wanted}
        for name in os.listdir(self.folder):
            if name not in keep:
                os.unlink(os.path.join(self.folder, name))

    def clear(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def fetch(self, wanted: Wanted, say: Say) -> str:
        """Return the path of the file, fetched and checked. say: is told how far it is. Raises FetchError."""
        target = os.path.join(self.folder, wanted.sha256)
        url = f"{self._url}/{quote(wanted.path)}"
        resumed = _size(target) > 0
        problem = lacking_room({self.folder: max(0, wanted.size - _size(target))}, wanted.path)
        if problem:
            raise FetchError(problem)
        try:
            self._complete(url, wanted, target, say)
            found = sha256_of(target)
            if found != wanted.sha256 and resumed:
                # What an earlier run had left did not belong to this file.
                os.unlink(target)
                self._complete(url, wanted, target, say)
                found = sha256_of(target)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise FetchError(full_disk(self.folder, wanted.size, wanted.path)) from error
            raise
        if found != wanted.sha256:
            os.unlink(target)
            raise FetchError(
                f"{url} has sha256 {found}, the bundle's index says {wanted.sha256}. {_ANEW}"
            )
        return target

    def _complete(self, url: str, wanted: Wanted, target: str, say: Say) -> None:
        """Bring the file to its full length, in as many requests as it takes."""
        failures: List[str] = []
        most = _size(target)
        while _size(target) != wanted.size or not os.path.exists(target):
            try:
                self._request(url, wanted, target, say)
            except _Broken as error:
                # Only those without progress count: a line that breaks often still comes to its end.
                failures = [str(error)] if _size(target) > most else failures + [str(error)]
                most = max(most, _size(target))
                if len(failures) >= ATTEMPTS:
                    raise FetchError(
                        f"{url} cannot be fetched: {failures[-1]}. Put the server or the way to it right "
                        "(mlstack_bundle_url) and run the playbook again"
                    ) from error
                self._sleep(2.0 ** (len(failures) - 1))

    def _request(self, url: str, wanted: Wanted, target: str, say: Say) -> None:
        have = _size(target)
        request = urllib.request.Request(url)
        if 0 < have < wanted.size:
            request.add_header("Range", f"bytes={have}-")
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as response:
                # A server that does not know ranges answers with the whole file.
                start = have if response.status == 206 and _starts_at(response, have) else 0
                with open(target, "r+b" if os.path.exists(target) else "w+b") as sink:
                    sink.truncate(start)
                    sink.seek(start)
                    _copy(response, sink, wanted, say)
        except urllib.error.HTTPError as error:
            if error.code == 416:
                os.unlink(target)
            if error.code not in (*_PASSING, 416):
                raise FetchError(
                    f"{url} cannot be fetched: the server answers {error.code} {error.reason}. "
                    "It must serve the bundle's folder as it is (mlstack_bundle_url)"
                ) from error
            raise _Broken(f"the server answers {error.code} {error.reason}") from error
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                raise
            raise _Broken(str(getattr(error, "reason", error))) from error


def _copy(response: Any, sink: Any, wanted: Wanted, say: Say) -> None:
    """Append the answer to the file. Raises FetchError when there is more of it than there should be."""
    told = time.monotonic()
    for block in iter(lambda: response.read(CHUNK), b""):
        if sink.tell() + len(block) > wanted.size:
            sink.truncate(0)
            raise FetchError(
                f"{response.url} is longer than the {wanted.size} bytes that the bundle's index names. {_ANEW}"
            )
        sink.write(block)
        if time.monotonic() - told >= TELL_EVERY_S:
            told = time.monotonic()
            say(f"{wanted.path}: {sink.tell() / 1e6:.0f} of {wanted.size / 1e6:.0f} MB")
    if sink.tell() < wanted.size:
        raise _Broken(f"it ended after {sink.tell()} of {wanted.size} bytes")


def _starts_at(response: Any, offset: int) -> bool:
    return str(response.headers.get("Content-Range", "")).startswith(f"bytes {offset}-")


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
