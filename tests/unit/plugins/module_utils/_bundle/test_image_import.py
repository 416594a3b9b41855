# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives are checked, imported one by one and removed; what goes wrong is told with the way out."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle import image_import
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.fetch import Server
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.image_import import (
    Image,
    from_folder,
    from_server,
    import_all,
    pin,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import WorkError
from tests.support.fake_upstream import serving


class Ctr:
    """Stands for `ctr images`; remembers what it was told."""

    def __init__(self, status: int = 0, errors: str = "") -> None:
        self.calls: list[list[str]] = []
        self._answer = (status, "", errors)

    def __call__(self, arguments: list[str]) -> tuple[int, str, str]:
        self.calls.append(arguments)
        return self._answer


def image(name: str) -> Image:
    content = name.encode()
    digest = hashlib.sha256(content).hexdigest()
    ref = f"example.org/{name}:1"
    return {"name": name, "ref": ref, "path": f"images/{name}.tar", "sha256": digest, "size": len(content)}


def sent(folder: Path, *images: Image) -> str:
    for one in images:
        (folder / one["sha256"]).write_bytes(one["name"].encode())
    return str(folder)


def nothing(_line: str) -> None:
    pass


def test_archives_that_were_sent(tmp_path: Path) -> None:
    ctr, lines = Ctr(), []
    one, two = image("one"), image("two")
    import_all(ctr, from_folder(sent(tmp_path, one, two)), [one, two], lines.append, str(tmp_path))
    assert ctr.calls == [["import", str(tmp_path / item["sha256"])] for item in (one, two)]
    assert lines == ["import 1/2 example.org/one:1", "import 2/2 example.org/two:1"]
    assert list(tmp_path.iterdir()) == []


def test_archives_that_are_fetched_take_room_one_at_a_time(tmp_path: Path) -> None:
    one, two = image("one"), image("two")
    seen: list[int] = []

    def ctr(_arguments: list[str]) -> tuple[int, str, str]:
        seen.append(len(list((tmp_path / "in").iterdir())))
        return 0, "", ""

    with serving({"/images/one.tar": b"one", "/images/two.tar": b"two"}) as served:
        server = Server(served.address, settings={}, folder=str(tmp_path / "in"))
        import_all(ctr, from_server(server, [one, two]), [one, two], nothing, str(tmp_path))
    assert seen == [1, 1]


def test_an_altered_archive_on_the_server_is_refused(tmp_path: Path) -> None:
    ctr, one = Ctr(), image("one")
    with serving({"/images/one.tar": b"oNe"}) as served:
        server = Server(served.address, settings={}, folder=str(tmp_path / "in"))
        with pytest.raises(WorkError, match=rf"one\.tar has sha256 .*index says {one['sha256']}.*server again"):
            import_all(ctr, from_server(server, [one]), [one], nothing, str(tmp_path))
    assert ctr.calls == []


@pytest.mark.parametrize("content", [b"oNe", None])
def test_an_archive_that_arrived_altered_or_not_at_all(tmp_path: Path, content: bytes | None) -> None:
    one = image("one")
    if content:
        (tmp_path / one["sha256"]).write_bytes(content)
    with pytest.raises(WorkError, match="arrived altered or not at all"):
        import_all(Ctr(), from_folder(str(tmp_path)), [one], nothing, str(tmp_path))


def test_a_disk_that_is_too_small_for_the_archives_is_told_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctr, huge = Ctr(), dict(image("one"), size=1 << 60)
    with pytest.raises(WorkError, match="nothing was imported: no room for 1 images on the disk at /"):
        import_all(ctr, from_folder(str(tmp_path)), [huge], nothing, str(tmp_path))
    assert ctr.calls == []


def test_a_disk_that_fills_up_is_told_with_what_was_free_and_what_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = dict(image("one"), size=3)
    monkeypatch.setattr(image_import, "free_bytes", lambda path: 5_000_000)
    ctr = Ctr(1, "warning: old\nctr: failed to extract layer: write /x: no space left on device\n")
    with pytest.raises(WorkError, match=r"image example\.org/one:1 on the disk at .*: 5 MB are free, at least 6 MB"):
        import_all(ctr, from_folder(sent(tmp_path, one)), [one], nothing, str(tmp_path))


def test_any_other_refusal_is_handed_on(tmp_path: Path) -> None:
    one = image("one")
    with pytest.raises(WorkError, match=r"containerd refused example\.org/one:1: it is broken"):
        import_all(Ctr(1, "it is broken\n"), from_folder(sent(tmp_path, one)), [one], nothing, str(tmp_path))


def test_a_pin_that_fails_is_told() -> None:
    with pytest.raises(WorkError, match=r"example\.org/one:1 cannot be pinned: gone"):
        pin(Ctr(1, "gone"), [image("one")])
