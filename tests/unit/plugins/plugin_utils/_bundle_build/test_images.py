# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images: base layers from packages, the program on top, and pause, which is run for real."""

from __future__ import annotations

import dataclasses
import json
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Item, Made, in_order
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.store import Store
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build import base as bundle_base
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build import images as bundle_images
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.deb import Apt, Package
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.images import (
    Recipe,
    image_item,
    pause_item,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.layer import unpack

PAUSE_SOURCE = Path(__file__).parents[5] / "builds/pause.c"
CONTROL = "Package: {name}\nVersion: 1.0\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n"


class FewPackages(Apt):
    """Package sources with a package of certificate authorities."""

    def fetch(self, names: Sequence[str], dependencies: bool) -> list[Package]:
        folder = self._root / "tree"
        authorities = folder / "usr/share/ca-certificates/mozilla"
        authorities.mkdir(parents=True, exist_ok=True)
        (authorities / "B.crt").write_text("two\n")
        (authorities / "A.crt").write_text("one\n")
        (folder / "DEBIAN").mkdir(exist_ok=True)
        (folder / "DEBIAN/control").write_text(CONTROL.format(name=names[0]))
        path = self._root / "ca-certificates_1.0_all.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", folder, path], check=True, capture_output=True)
        return [Package(names[0], "1.0", path)]


def program(content: str = "kubelet") -> Item:
    def build(output: Path, _made: Mapping[str, Made]) -> Mapping[str, str]:
        output.write_text(content)
        return {}

    return Item("program kubelet", {"content": content}, build)


def build(root: Path, item: Item) -> Made:
    made: dict[str, Made] = {}
    for part in in_order((item,)):
        made[part.name], _built = Store(root / "store").make(part, made)
    return made[item.name]


def test_a_package_layer_has_users_a_place_for_files_links_and_authorities(tmp_path: Path) -> None:
    recipe = {"packages": ["ca-certificates"], "links": {"usr/local/bin/python": "/usr/bin/python3"}}
    made = build(tmp_path, bundle_base.package_layer_item("static", recipe, FewPackages(tmp_path), "debian 12"))
    root = tmp_path / "root"
    root.mkdir()
    unpack(made.path, root)
    assert (root / "etc/ssl/certs/ca-certificates.crt").read_text() == "one\ntwo\n"
    assert (root / "etc/passwd").read_text().startswith("root:x:0:0:")
    assert (root / "usr/local/bin/python").readlink() == Path("/usr/bin/python3")
    assert (root / "lib").readlink() == Path("usr/lib")
    assert (root / "tmp").stat().st_mode & 0o777 == 0o777
    assert json.loads(made.facts["packages"]) == {"ca-certificates": "1.0"}


def test_a_layer_depends_on_its_recipe_and_on_the_controllers_system(tmp_path: Path) -> None:
    recipe = {"packages": ["iptables"]}
    layers = [
        bundle_base.package_layer_item("iptables", recipe, Apt(tmp_path), "debian 12"),
        bundle_base.package_layer_item("iptables", recipe, Apt(tmp_path), "ubuntu 24.04"),
        bundle_base.package_layer_item("iptables", {**recipe, "links": {"a": "b"}}, Apt(tmp_path), "debian 12"),
    ]
    assert len({layer.key({}) for layer in layers}) == 3


def test_an_image_holds_its_program_where_manifests_expect_it(tmp_path: Path) -> None:
    recipe = Recipe(layers=(), program=program(), path="usr/local/bin/kubelet", env=("LANG=C.UTF-8",))
    made = build(tmp_path, image_item("kubelet", "example.org/kubelet:v1", recipe, "amd64"))
    with tarfile.open(made.path) as archive:
        blobs = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    assert json.loads(blobs["index.json"])["manifests"][0]["digest"] == made.facts["digest"]
    manifest = json.loads(blobs["blobs/sha256/" + made.facts["digest"].removeprefix("sha256:")])
    config = json.loads(blobs["blobs/sha256/" + manifest["config"]["digest"].removeprefix("sha256:")])["config"]
    assert "/usr/local/bin" in config["Env"][0].removeprefix("PATH=").split(":")
    assert config["Env"][1] == "LANG=C.UTF-8"
    assert "Entrypoint" not in config
    (tmp_path / "layer").write_bytes(blobs["blobs/sha256/" + manifest["layers"][0]["digest"].removeprefix("sha256:")])
    (tmp_path / "root").mkdir()
    unpack(tmp_path / "layer", tmp_path / "root")
    assert (tmp_path / "root/usr/local/bin/kubelet").stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in made.path.parent.iterdir()) == ["meta.json", "output"]


def test_an_image_depends_on_its_name_its_recipe_and_its_program(tmp_path: Path) -> None:
    recipe = Recipe(layers=(), program=program(), path="pause", entrypoint=True)
    variants = [
        image_item("pause", "example.org/pause:1", recipe, "amd64"),
        image_item("pause", "example.org/pause:2", recipe, "amd64"),
        image_item("pause", "example.org/pause:1", recipe, "arm64"),
        image_item("pause", "example.org/pause:1", dataclasses.replace(recipe, entrypoint=False), "amd64"),
        image_item("pause", "example.org/pause:1", dataclasses.replace(recipe, cmd=("-v",)), "amd64"),
    ]
    first = {"program kubelet": Made(tmp_path, "1", 1, {}, 0)}
    second = {"program kubelet": Made(tmp_path, "2", 1, {}, 0)}
    assert len({image.key(first) for image in variants}) == 5
    assert variants[0].key(first) != variants[0].key(second)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def catches(pid: int, number: signal.Signals) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught >> (number - 1) & 1)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc, which role bundle installs")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_pause_collects_orphans_and_ends_when_asked(tmp_path: Path, end: signal.Signals) -> None:
    pause = build(tmp_path, pause_item(PAUSE_SOURCE)).path
    # The shell starts a child and becomes pause, which so inherits a child that it never started.
    process = subprocess.Popen(["sh", "-c", 'sleep 0.1 & exec "$0"', str(pause)])
    wait_until(lambda: Path(f"/proc/{process.pid}/exe").resolve() == pause and catches(process.pid, signal.SIGCHLD))
    wait_until(lambda: Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text() == "")
    assert process.poll() is None
    process.send_signal(end)
    assert process.wait(10) == 0


def test_every_part_of_the_code_that_writes_layers_is_in_their_keys() -> None:
    assert len(set(bundle_base.sources(bundle_images.__file__).split(","))) == 3
