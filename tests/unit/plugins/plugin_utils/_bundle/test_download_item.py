# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloaded items: which sum counts, and what is taken out of an archive."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.download_item import (
    download_item,
    gunzip_item,
    member_item,
    tree_sum,
    unpack_folder,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Item, Made
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.progress import Progress
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.upstream import Source
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.download import Downloader, Patience
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Http, Network
from tests.support.fake_release import archive
from tests.support.fake_upstream import Upstream, certificate, running

CONTENT = b"program"
SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A key with its certificate, and the authority to trust."""
    return certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def upstream(pem: tuple[Path, Path]) -> Iterator[Upstream]:
    with running(Upstream(pem[0])) as server:
        server.put("/tool", CONTENT)
        yield server


@pytest.fixture
def downloader(tmp_path: Path, pem: tuple[Path, Path]) -> Downloader:
    network = Network(ca_certificates=(str(pem[1]),))
    return Downloader(Http(network), tmp_path / "partial", Patience(first_wait_s=0.01, longest_wait_s=0.05))


def build(source: Source, downloader: Downloader, folder: Path) -> tuple[bytes, dict[str, str]]:
    """Build the item of a source and return its content and facts."""
    item = download_item("program tool", source, downloader, Progress(lambda _line: None))
    facts = item.build(folder / "output", {})
    return (folder / "output").read_bytes(), dict(facts)


def tool(upstream: Upstream) -> Source:
    return Source("tool", f"{upstream.address}/tool", "", "amd64", SUM, "")


def test_a_pinned_sum_counts_and_no_other_is_asked_for(
    upstream: Upstream, downloader: Downloader, tmp_path: Path
) -> None:
    source = dataclasses.replace(tool(upstream), published=f"{upstream.address}/sums")
    assert build(source, downloader, tmp_path) == (CONTENT, {"sum": "pinned"})
    assert upstream.times("/sums") == 0


def test_without_a_pin_the_published_sum_counts(upstream: Upstream, downloader: Downloader, tmp_path: Path) -> None:
    sums = upstream.put("/sums", f"{SUM}  tool\n".encode())
    source = dataclasses.replace(tool(upstream), sha256="", published=sums)
    assert build(source, downloader, tmp_path) == (CONTENT, {"sum": "published"})


@pytest.mark.parametrize(
    ("published", "message"),
    [
        ("", "no sum is pinned and none is published beside it"),
        ("http://127.0.0.1:1/sums", "no sum is pinned, and http://127.0.0.1:1/sums is not https"),
        ("other", "/other holds no sha256 sum of tool"),
    ],
)
def test_a_sum_that_cannot_be_trusted_is_refused_with_the_way_out(
    upstream: Upstream, downloader: Downloader, tmp_path: Path, published: str, message: str
) -> None:
    if published == "other":
        published = upstream.put("/other", f"{SUM}  another\n".encode())
    source = dataclasses.replace(tool(upstream), sha256="", published=published)
    with pytest.raises(BuildError) as refused:
        build(source, downloader, tmp_path)
    assert message in str(refused.value)
    assert str(refused.value).endswith("write it into the release as upstream.downloads.tool.sha256.amd64")


def test_the_sum_of_a_folder_counts_for_an_archive(upstream: Upstream, downloader: Downloader, tmp_path: Path) -> None:
    packed = archive({"op-1/manifests/a/b.yaml": b"b", "op-1/other": b"o"})
    address = upstream.put("/op.tar.gz", packed)
    line = f"{hashlib.sha256(b'b').hexdigest()}  a/b.yaml\n"
    source = Source("op", address, "", "any", hashlib.sha256(line.encode()).hexdigest(), "manifests")
    assert build(source, downloader, tmp_path) == (packed, {"sum": "pinned"})
    wrong = dataclasses.replace(source, sha256="0" * 64)
    with pytest.raises(BuildError, match=rf"sum of its folder manifests is wrong.*\nwanted sha256 {'0' * 64}\ngot "):
        build(wrong, downloader, tmp_path)


def packed_item(folder: Path, content: bytes) -> tuple[Item, dict[str, Made]]:
    """Return the item of an archive, and what was made of it."""
    path = folder / "archive"
    path.write_bytes(content)
    item = Item("archive tool", {}, lambda _output, _needs: {})
    return item, {item.name: Made(path, "", len(content), {}, 0.0)}


@pytest.mark.parametrize("name", ["bin/tool", "./bin/tool"])
def test_a_member_is_taken_out_of_an_archive(tmp_path: Path, name: str) -> None:
    packed, needs = packed_item(tmp_path, archive({"README": b"r", name: CONTENT}))
    member_item("program tool", packed, "bin/tool").build(tmp_path / "output", needs)
    assert (tmp_path / "output").read_bytes() == CONTENT


def test_a_member_that_is_missing_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    packed, needs = packed_item(tmp_path, archive({"b": b"", "a": b""}))
    with pytest.raises(BuildError, match=r"^archive tool holds no bin/tool; it has: a, b$"):
        member_item("program tool", packed, "bin/tool").build(tmp_path / "output", needs)


def test_a_file_is_decompressed(tmp_path: Path) -> None:
    packed, needs = packed_item(tmp_path, gzip.compress(CONTENT))
    gunzip_item("data digits", packed).build(tmp_path / "output", needs)
    assert (tmp_path / "output").read_bytes() == CONTENT


def test_only_the_named_folder_is_unpacked_and_nothing_leaves_it(tmp_path: Path) -> None:
    path, target = tmp_path / "op.tar", tmp_path / "in" / "target"
    path.write_bytes(archive({"op/m/a": b"a", "op/mm/b": b"b", "op/m/../../../evil": b"e", "op/m/c/../d": b"d"}))
    unpack_folder(path, "m", target)
    found = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
    assert found == {"op.tar", "in/target/m/a", "in/target/m/d"}
    with pytest.raises(BuildError, match=r"op\.tar holds no folder x"):
        unpack_folder(path, "x", target)


def test_the_sum_of_a_folder_is_the_documented_command(tmp_path: Path) -> None:
    for name in ("b", "a/z", "a-b", "B"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    command = "find . -type f | sed s,^./,, | LC_ALL=C sort | xargs sha256sum | sha256sum"
    told = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert tree_sum(tmp_path) == told.split()[0]
