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
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Item, Made
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.images import (
    Recipe,
    image_item,
    pause_item,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.layer import unpack
from tests.unit.plugins.plugin_utils._bundle_build.built_items import build

PAUSE_SOURCE = Path(__file__).parents[5] / "builds/pause.c"


def program(content: str = "kubelet") -> Item:
    def build(output: Path, _made: Mapping[str, Made]) -> Mapping[str, str]:
        output.write_text(content)
        return {}

    return Item("program kubelet", {"content": content}, build)


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
