# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files come whole and right from a web server, or not at all, whatever the server and the line do."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle import fetch as _fetch
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.fetch import FetchError, Server, Wanted
from tests.support.fake_upstream import Upstream, certificate, running, serving

CONTENT = bytes(range(256)) * 5000
PATH = "bin/a+b%3a1"
URL_PATH = "/bin/a%2Bb%253a1"
WANTED = Wanted(PATH, hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))


@pytest.fixture
def served() -> Iterator[Upstream]:
    with serving({URL_PATH: CONTENT}) as server:
        yield server


@pytest.fixture
def fetch(served: Upstream, tmp_path: Path) -> Callable[..., bytes]:
    """Return a function that fetches the file and returns its content."""

    def run(wanted: Wanted = WANTED) -> bytes:
        server = Server(served.address + "/", settings={}, folder=str(tmp_path / "in"), sleep=lambda seconds: None)
        server.tidy([wanted])
        return Path(server.fetch(wanted, lambda line: None)).read_bytes()

    return run


def left(tmp_path: Path) -> list[str]:
    return os.listdir(tmp_path / "in")


def test_a_file_comes_in_one_request(served: Upstream, fetch: Callable[..., bytes]) -> None:
    assert fetch() == CONTENT
    assert served.requests == [(URL_PATH, "")]


@pytest.mark.parametrize("ranges", [True, False])
def test_a_line_that_breaks_is_taken_up_again(served: Upstream, fetch: Callable[..., bytes], ranges: bool) -> None:
    # More breaks than attempts: those that bring something do not count.
    served.put(URL_PATH, CONTENT, ranges=ranges, cut=100_000, cuts=8, later=1)
    assert fetch() == CONTENT
    resumed = [span for _path, span in served.requests if span]
    assert resumed[0] == "bytes=100000-"


@pytest.mark.parametrize("ranges", [True, False])
def test_what_a_killed_run_has_left_is_used(
    served: Upstream, fetch: Callable[..., bytes], tmp_path: Path, ranges: bool
) -> None:
    served.files[URL_PATH].ranges = ranges
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / WANTED.sha256).write_bytes(CONTENT[:700_000])
    assert fetch() == CONTENT
    assert served.requests == [(URL_PATH, "bytes=700000-")]


def test_a_whole_file_of_a_killed_run_is_not_fetched_again(
    served: Upstream, fetch: Callable[..., bytes], tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / WANTED.sha256).write_bytes(CONTENT)
    assert fetch() == CONTENT
    assert served.requests == []


@pytest.mark.parametrize("size", [10, len(CONTENT), len(CONTENT) + 10])
def test_wrong_remains_are_replaced(served: Upstream, fetch: Callable[..., bytes], tmp_path: Path, size: int) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / WANTED.sha256).write_bytes(b"x" * size)
    (tmp_path / "in" / "other").write_bytes(b"of another file")
    assert fetch() == CONTENT
    assert left(tmp_path) == [WANTED.sha256]


def test_one_altered_byte_is_refused_and_nothing_is_left(
    served: Upstream, fetch: Callable[..., bytes], tmp_path: Path
) -> None:
    altered = b"x" + CONTENT[1:]
    served.put(URL_PATH, altered)
    with pytest.raises(FetchError) as refused:
        fetch()
    sums = (hashlib.sha256(altered).hexdigest(), WANTED.sha256)
    for word in (served.address, *sums, "Copy the bundle to the server again"):
        assert word in str(refused.value)
    assert left(tmp_path) == []


def test_a_longer_file_is_refused_before_all_of_it_is_there(served: Upstream, fetch: Callable[..., bytes]) -> None:
    served.put(URL_PATH, CONTENT + b"more")
    with pytest.raises(FetchError, match=f"longer than the {len(CONTENT)} bytes"):
        fetch()


@pytest.mark.parametrize("ranges", [True, False])
def test_a_shorter_file_ends_in_a_refusal(served: Upstream, fetch: Callable[..., bytes], ranges: bool) -> None:
    served.put(URL_PATH, CONTENT[:-1], ranges=ranges)
    with pytest.raises(FetchError, match=f"cannot be fetched: .*{len(CONTENT)}|416"):
        fetch()
    assert len(served.requests) <= 2 * _fetch.ATTEMPTS


def test_a_server_that_is_busy_is_asked_again(served: Upstream, fetch: Callable[..., bytes]) -> None:
    served.files[URL_PATH].fail = [503, 429, 500]
    assert fetch() == CONTENT


def test_a_server_that_stays_ill_is_given_up(served: Upstream, fetch: Callable[..., bytes]) -> None:
    served.files[URL_PATH].fail = [503] * 20
    with pytest.raises(FetchError, match=r"answers 503.*mlstack_bundle_url"):
        fetch()
    assert len(served.requests) == _fetch.ATTEMPTS


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_of_the_server_is_not_repeated(served: Upstream, fetch: Callable[..., bytes], status: int) -> None:
    served.files[URL_PATH].fail = [status] * 2
    with pytest.raises(FetchError, match=f"answers {status}.*It must serve the bundle's folder"):
        fetch()
    assert len(served.requests) == 1


def test_a_redirect_is_followed(served: Upstream, fetch: Callable[..., bytes]) -> None:
    served.put("/elsewhere", CONTENT)
    served.put(URL_PATH, redirect="/elsewhere")
    assert fetch() == CONTENT


def test_nobody_answers(tmp_path: Path) -> None:
    server = Server("http://127.0.0.1:9", settings={}, folder=str(tmp_path), sleep=lambda seconds: None)
    with pytest.raises(FetchError, match=r"http://127\.0\.0\.1:9/.*refused.*mlstack_bundle_url"):
        server.fetch(WANTED, lambda line: None)


def test_a_proxy_is_used_and_left_out_where_it_must_be(served: Upstream, tmp_path: Path) -> None:
    def fetch(no_proxy: str) -> None:
        settings = {"HTTP_PROXY": served.address, "NO_PROXY": no_proxy}
        server = Server("http://files.example.org", settings=settings, folder=str(tmp_path), sleep=lambda seconds: None)
        Path(server.fetch(WANTED, lambda line: None)).unlink()

    whole = f"http://files.example.org{URL_PATH}"
    served.put(whole, CONTENT)
    fetch("example.com")
    assert served.times(whole) == 1
    with pytest.raises(FetchError):
        fetch("example.org")
    assert served.times(whole) == 1


def test_the_sites_certificate_is_trusted_and_another_is_not(served: Upstream, tmp_path: Path) -> None:
    key, authority = certificate(tmp_path)
    with running(Upstream(tls=key)) as secure:
        secure.put(URL_PATH, CONTENT)

        def server(*certificates: str) -> Server:
            return Server(secure.address, certificates, settings={}, folder=str(tmp_path), sleep=lambda seconds: None)

        with pytest.raises(FetchError, match="certificate verify failed"):
            server().fetch(WANTED, lambda line: None)
        assert Path(server(authority.read_text()).fetch(WANTED, lambda line: None)).read_bytes() == CONTENT


def test_a_full_disk_is_told_before_and_in_the_middle(
    fetch: Callable[..., bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FetchError, match=r"no room for bin/big on the disk at /.* MB are free, at least"):
        fetch(WANTED._replace(path="bin/big", size=1 << 60))

    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_fetch, "_copy", full)
    with pytest.raises(FetchError, match=f"no room for {PATH.replace('+', '.')}"):
        fetch()


def test_it_says_how_far_it_is(served: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_fetch, "TELL_EVERY_S", 0.0)
    lines: list[str] = []
    Server(served.address, settings={}, folder=str(tmp_path)).fetch(WANTED, lines.append)
    assert lines[-1] == f"{PATH}: 1 of 1 MB"


def test_the_folder_goes_when_all_is_done(tmp_path: Path) -> None:
    server = Server("http://127.0.0.1:9", settings={}, folder=str(tmp_path / "in"))
    server.tidy([])
    assert (tmp_path / "in").stat().st_mode & 0o777 == 0o700
    server.clear()
    assert not (tmp_path / "in").exists()
