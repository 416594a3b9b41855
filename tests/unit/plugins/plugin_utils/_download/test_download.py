# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file arrives whole and right through every fault that passes, and every other one is named."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.download import (
    Downloader,
    Patience,
    Stopped,
    Wanted,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Http, Network, Timeouts
from tests.support.fake_upstream import Upstream, running

CONTENT = bytes(range(256)) * 2000
QUICK = Patience(first_wait_s=0.01, longest_wait_s=0.05, slow_s=0.2, slow_bytes_s=1000.0)


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with running(Upstream()) as server:
        yield server


class Bench:
    """Downloads into one folder and keeps what was said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self.seen: list[tuple[int, int]] = []
        # Long: a loaded machine must not look like a server that says nothing.
        self.timeouts = Timeouts(20.0, 20.0)

    def downloader(self, network: Network | None = None) -> Downloader:
        return Downloader(Http(network or Network(), self.timeouts), self.folder / "partial", QUICK)

    def fetch(
        self, address: str, content: bytes = CONTENT, known: bool = True, network: Network | None = None
    ) -> bytes:
        wanted = Wanted(address, hashlib.sha256(content).hexdigest() if known else None)
        path = self.folder / "file"
        self.downloader(network).fetch(wanted, path, lambda *size: self.seen.append(size), self.notes.append)
        return path.read_bytes()

    def left(self) -> list[str]:
        return [path.name for path in (self.folder / "partial").glob("*") if path.suffix != ".lock"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_file_arrives_and_leaves_nothing_behind(bench: Bench, upstream: Upstream) -> None:
    assert bench.fetch(upstream.put("/f", CONTENT)) == CONTENT
    assert bench.seen[-1] == (len(CONTENT), len(CONTENT))
    assert (bench.notes, bench.left()) == ([], [])


@pytest.mark.parametrize("validators", [{"etag": '"v1"'}, {"etag": "", "modified": "Sat, 01 Aug 2026 00:00:00 GMT"}])
def test_a_broken_download_goes_on_where_it_broke(bench: Bench, upstream: Upstream, validators: dict[str, str]) -> None:
    address = upstream.put("/f", CONTENT, cut=100_000, cuts=3, **validators)
    assert bench.fetch(address) == CONTENT
    starts = [int(asked.range.strip("bytes=-") or 0) for asked in upstream.asked]
    assert starts == sorted(set(starts))
    assert len(starts) == 4
    assert {asked.headers.get("if-range") for asked in upstream.asked[1:]} == set(filter(None, validators.values()))
    assert re.fullmatch(
        rf"{address}: .* at \d of \d MB; tried again in \d s", bench.notes[0]
    ), bench.notes[0]


def test_an_answer_of_unknown_length_that_breaks_is_noticed(bench: Bench, upstream: Upstream) -> None:
    address = upstream.put("/f", CONTENT, chunked=True, cut=100_000, etag="")
    assert bench.fetch(address, known=False) == CONTENT
    assert len(upstream.asked) == 2


def test_bytes_are_taken_as_they_lie_there(bench: Bench, upstream: Upstream) -> None:
    packed = gzip.compress(CONTENT)
    assert bench.fetch(upstream.put("/f", packed, headers={"Content-Encoding": "gzip"}), packed) == packed


def test_what_a_killed_run_got_is_used_by_the_next(bench: Bench, upstream: Upstream) -> None:
    address = upstream.put("/f", CONTENT, cut=100_000, cuts=99)
    with pytest.raises(BuildError, match="given up after 5 attempts"):
        bench.fetch(address)
    upstream.files["/f"].cut = None
    upstream.asked.clear()
    assert bench.fetch(address) == CONTENT
    assert upstream.asked[0].range.startswith("bytes=")


def test_a_server_that_knows_no_parts_sends_it_all_again(bench: Bench, upstream: Upstream) -> None:
    assert bench.fetch(upstream.put("/f", CONTENT, cut=100_000, ranges=False)) == CONTENT
    assert len(upstream.asked) == 2


def test_a_file_that_changed_meanwhile_is_taken_anew(bench: Bench, upstream: Upstream) -> None:
    new = CONTENT[::-1]
    address = upstream.put("/f", CONTENT, cut=100_000, cuts=99)
    with pytest.raises(BuildError):
        bench.fetch(address, new)
    upstream.put("/f", new, etag='"v2"')
    assert bench.fetch(address, new) == new


def test_two_halves_that_do_not_fit_are_downloaded_anew(bench: Bench, upstream: Upstream) -> None:
    new = CONTENT[::-1]
    address = upstream.put("/f", CONTENT, cut=100_000, cuts=99, etag="")
    with pytest.raises(BuildError):
        bench.fetch(address, new)
    upstream.put("/f", new, etag="")
    assert bench.fetch(address, new) == new
    assert bench.notes[-1] == "what was resumed has a wrong sum; it is downloaded anew"


def test_without_a_sum_and_a_validator_nothing_is_put_together(bench: Bench, upstream: Upstream) -> None:
    assert bench.fetch(upstream.put("/f", CONTENT, cut=100_000, etag='W/"v1"'), known=False) == CONTENT
    assert [asked.range for asked in upstream.asked] == ["", ""]


def test_a_file_that_was_whole_when_the_run_was_killed_is_not_asked_for(bench: Bench, upstream: Upstream) -> None:
    address = upstream.put("/f", CONTENT)

    def killed(done: int, total: int) -> None:
        if done == total:
            raise KeyboardInterrupt

    wanted = Wanted(address, hashlib.sha256(CONTENT).hexdigest())
    with pytest.raises(KeyboardInterrupt):
        bench.downloader().fetch(wanted, bench.folder / "file", killed)
    assert bench.fetch(address) == CONTENT
    assert len(upstream.asked) == 1


def test_more_than_the_server_has_is_begun_anew(bench: Bench, upstream: Upstream) -> None:
    address = upstream.put("/f", CONTENT, cut=100_000, cuts=99, etag="")
    with pytest.raises(BuildError):
        bench.fetch(address, b"short")
    upstream.put("/f", b"short", etag="")
    assert bench.fetch(address, b"short") == b"short"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_trouble_that_may_pass_is_waited_for(bench: Bench, upstream: Upstream, status: int) -> None:
    assert bench.fetch(upstream.put("/f", CONTENT, fail=[status, status])) == CONTENT
    assert len(bench.notes) == 2
    assert f"status {status}" in bench.notes[0]


def test_the_wait_is_what_the_server_asks_for_up_to_a_bound() -> None:
    patience = Patience()
    assert [patience.wait_s(failures, None) for failures in (1, 2, 3, 4, 9)] == [1.0, 2.0, 4.0, 8.0, 30.0]
    assert (patience.wait_s(1, 7.0), patience.wait_s(1, 9999.0)) == (7.0, 30.0)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_refusal_is_final(bench: Bench, upstream: Upstream, status: int) -> None:
    address = upstream.put("/f", CONTENT, fail=[status])
    with pytest.raises(BuildError, match=rf"^{address}: status {status}"):
        bench.fetch(address)
    assert len(upstream.asked) == 1


def test_trouble_that_does_not_pass_ends(bench: Bench, upstream: Upstream) -> None:
    address = upstream.put("/f", fail=[503] * 99)
    with pytest.raises(BuildError, match=r"status 503.*\ngiven up after 5 attempts"):
        bench.fetch(address)
    assert len(upstream.asked) == 5


def test_a_wrong_sum_is_refused_with_address_wanted_and_got(bench: Bench, upstream: Upstream) -> None:
    address = upstream.put("/f", b"evil")
    with pytest.raises(BuildError) as refused:
        bench.fetch(address)
    text = str(refused.value)
    assert text.startswith(f"{address}: sum is wrong")
    assert f"wanted sha256 {hashlib.sha256(CONTENT).hexdigest()}" in text
    assert f"got    sha256 {hashlib.sha256(b'evil').hexdigest()}" in text
    assert bench.left() == []
    assert not (bench.folder / "file").exists()


@pytest.mark.parametrize(
    ("how", "expected"),
    [({"silent": True}, "the server says nothing"), ({"byte_s": 0.01}, "too slow, under 1 kB/s for 0 s")],
)
def test_a_server_that_stands_still_ends_in_an_error(
    bench: Bench, upstream: Upstream, how: dict[str, float], expected: str
) -> None:
    bench.timeouts = Timeouts(20.0, 0.3)
    with pytest.raises(BuildError, match=expected):
        bench.fetch(upstream.put("/f", CONTENT, **how))


def test_a_server_that_is_not_there_is_named(bench: Bench, upstream: Upstream) -> None:
    upstream.stop()
    with pytest.raises(BuildError, match=rf"^{upstream.address}/f: .*refused.*\ngiven up after 5 attempts"):
        bench.fetch(f"{upstream.address}/f")


def test_files_are_downloaded_at_the_same_time_up_to_the_bound(bench: Bench, upstream: Upstream) -> None:
    downloader = Downloader(Http(Network()), bench.folder / "partial", QUICK, at_once=2)
    inside: list[int] = []
    most: list[int] = []

    def count(_done: int, _total: int) -> None:
        inside.append(1)
        most.append(len(inside))
        threading.Event().wait(0.02)
        inside.pop()

    def one(number: int) -> None:
        address = upstream.put(f"/{number}", CONTENT)
        wanted = Wanted(address, hashlib.sha256(CONTENT).hexdigest())
        downloader.fetch(wanted, bench.folder / str(number), count)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 2
    assert all((bench.folder / str(number)).read_bytes() == CONTENT for number in range(5))


def test_an_interrupted_run_stops_waiting(bench: Bench, upstream: Upstream) -> None:
    downloader = Downloader(Http(Network()), bench.folder / "partial", Patience(first_wait_s=60.0))
    address = upstream.put("/f", fail=[503] * 9)
    failed: list[BaseException] = []

    def fetch() -> None:
        try:
            downloader.fetch(Wanted(address, None), bench.folder / "file")
        except BuildError as error:
            failed.append(error)

    thread = threading.Thread(target=fetch)
    thread.start()
    downloader.stop()
    thread.join(5)
    assert [type(error) for error in failed] == [Stopped]


def test_what_was_left_long_ago_is_removed(bench: Bench, upstream: Upstream) -> None:
    with pytest.raises(BuildError):
        bench.fetch(upstream.put("/f", CONTENT, cut=100, cuts=99))
    assert bench.left()
    downloader = bench.downloader()
    downloader.sweep()
    assert bench.left()
    for path in (bench.folder / "partial").glob("*"):
        os.utime(path, (0, 0))
    downloader.sweep()
    assert bench.left() == []


def test_a_mirror_is_put_in_front_of_the_address(bench: Bench, upstream: Upstream) -> None:
    upstream.put("/cache/dl.k8s.io/release/f", CONTENT)
    network = Network(mirror=f"{upstream.address}/cache/")
    assert bench.fetch("https://dl.k8s.io/release/f", network=network) == CONTENT


@pytest.mark.parametrize("chunked", [False, True])
def test_a_small_text_that_breaks_off_is_asked_for_again(bench: Bench, upstream: Upstream, chunked: bool) -> None:
    """Taken as whole, half a list of sums would hold no sum of the file that is looked for."""
    content = b"0123456789abcdef  file\n" * 100
    address = upstream.put("/SHA256SUMS", content, cut=50, cuts=1, chunked=chunked)
    assert bench.downloader().text(address) == content.decode()
    assert len(upstream.asked) == 2


def test_a_small_text_that_always_breaks_off_is_refused(bench: Bench, upstream: Upstream) -> None:
    address = upstream.put("/SHA256SUMS", b"x" * 100, cut=50, cuts=99)
    with pytest.raises(BuildError, match="connection broke"):
        bench.downloader().text(address)
