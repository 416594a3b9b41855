# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bundle's folder (_bundle_folder) is brought to what the index says, and an altered file is put back."""

from __future__ import annotations

import errno
import hashlib
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import (
    Entry,
    Index,
    read_index,
    verify,
    write_index,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.item import Item, Made, Target
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.progress import Progress
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.run import Outcome, Runner
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.store import Store
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError


def target(name: str, content: str = "x", kind: str = "program", facts: Mapping[str, str] | None = None) -> Target:
    def build(output: Path, _made: Mapping[str, Made]) -> Mapping[str, str]:
        output.write_text(content)
        return facts or {}

    item = Item(f"{kind} {name}", {"content": content}, build)
    return Target(item, kind, name, f"{kind}s/{name}", "0755" if kind == "program" else "0644")


class Bench:
    """A store and a bundle's folder; `run` brings the folder up to date and returns what was done."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "bundle"
        self.store = root / "store"
        self.said: list[str] = []

    def runner(self) -> Runner:
        return Runner(Store(self.store), "2026.11", "amd64", Progress(self.said.append))

    def run(self, *targets: Target) -> Outcome:
        outcome = Outcome()
        self.runner().run({self.folder: targets}, outcome)
        return outcome

    def predict(self, *targets: Target) -> Outcome:
        outcome = Outcome()
        self.runner().predict({self.folder: targets}, outcome)
        return outcome

    def put_right(self, outcome: Outcome) -> list[tuple[str, str]]:
        return [(change.what, change.path) for change in outcome.changes[str(self.folder)]]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_new_bundle_is_whole_and_right(bench: Bench) -> None:
    outcome = bench.run(target("kubelet"), target("pause", "image", "image", {"digest": "sha256:1"}))
    assert outcome.changed
    assert verify(str(bench.folder)) == []
    image, program = read_index(str(bench.folder)).files
    assert (image.path, image.digest, image.mode, image.source) == ("images/pause", "sha256:1", "0644", "build")
    assert (program.path, program.digest, program.mode) == ("programs/kubelet", None, "0755")
    assert (bench.folder / "programs/kubelet").stat().st_mode & 0o777 == 0o755


def test_each_item_is_shown_with_its_place_and_time(bench: Bench) -> None:
    bench.run(target("kubelet"), target("kubeadm"))
    assert bench.said == [
        "[1/2] program kubelet is being built",
        "[1/2] program kubelet built in 0 s",
        "[2/2] program kubeadm is being built",
        "[2/2] program kubeadm built in 0 s",
    ]


def test_a_second_run_changes_nothing_and_says_nothing(bench: Bench) -> None:
    bench.run(target("kubelet"))
    bench.said.clear()
    index = bench.folder / "index.json"
    before = index.stat()
    assert not bench.run(target("kubelet")).changed
    assert bench.said == []
    assert index.stat() == before


def test_an_altered_file_is_put_back_and_named(bench: Bench) -> None:
    bench.run(target("kubelet"))
    path = bench.folder / "programs/kubelet"
    path.write_text("y")
    outcome = bench.run(target("kubelet"))
    assert bench.put_right(outcome) == [("altered", "programs/kubelet")]
    assert path.read_text() == "x"
    assert f"{path} was altered; put back what was built" in bench.said
    assert verify(str(bench.folder)) == []


def test_a_file_that_lost_its_mode_is_put_back(bench: Bench) -> None:
    bench.run(target("kubelet"))
    (bench.folder / "programs/kubelet").chmod(0o600)
    assert bench.run(target("kubelet")).changed
    assert (bench.folder / "programs/kubelet").stat().st_mode & 0o777 == 0o755


def test_an_altered_store_is_not_copied_but_built_again(bench: Bench) -> None:
    bench.run(target("kubelet"))
    (bench.folder / "programs/kubelet").unlink()
    [kept] = bench.store.glob("*/output")
    kept.write_text("y")
    outcome = bench.run(target("kubelet"))
    assert list(outcome.built) == ["program kubelet"]
    assert (bench.folder / "programs/kubelet").read_text() == "x"


def test_another_content_replaces_and_what_is_no_longer_named_goes(bench: Bench) -> None:
    bench.run(target("kubelet"), target("old"))
    (bench.folder / "own-notes").write_text("not in any index")
    outcome = bench.run(target("kubelet", "new"))
    assert bench.put_right(outcome) == [("outdated", "programs/kubelet"), ("surplus", "programs/old")]
    assert not (bench.folder / "programs/old").exists()
    assert (bench.folder / "own-notes").exists()
    assert verify(str(bench.folder)) == []


def test_a_bundle_whose_index_was_never_written_is_finished(bench: Bench) -> None:
    bench.run(target("kubelet"))
    (bench.folder / "index.json").unlink()
    bench.run(target("kubelet"))
    assert verify(str(bench.folder)) == []


def test_check_mode_tells_and_does_nothing(bench: Bench) -> None:
    outcome = bench.predict(target("kubelet"))
    assert outcome.built == {"program kubelet": None}
    assert bench.put_right(outcome) == [("to be built", "programs/kubelet")]
    assert not bench.folder.exists()
    assert not bench.store.exists()


def test_check_mode_on_a_whole_bundle_predicts_nothing_and_sees_an_altered_file(bench: Bench) -> None:
    bench.run(target("kubelet"))
    assert not bench.predict(target("kubelet")).changed
    (bench.folder / "programs/kubelet").write_text("y")
    assert bench.put_right(bench.predict(target("kubelet"))) == [("altered", "programs/kubelet")]
    assert (bench.folder / "programs/kubelet").read_text() == "y"


def test_a_failed_build_names_the_item_and_keeps_the_old_bundle(bench: Bench) -> None:
    def fails(_output: Path, _made: Mapping[str, Made]) -> Mapping[str, str]:
        raise BuildError("command: go build\nstatus: 1")

    bench.run(target("kubelet"))
    broken = Target(Item("program kubelet", {"content": "2"}, fails), "program", "kubelet", "programs/kubelet", "0755")
    with pytest.raises(BuildError, match="program kubelet could not be built\ncommand: go build"):
        bench.run(broken)
    assert verify(str(bench.folder)) == []


def test_the_packages_of_another_playbook_stay(bench: Bench) -> None:
    bench.run(target("kubelet"), target("old"))
    package = bench.folder / "packages/debian-12-amd64/socat.deb"
    package.parent.mkdir(parents=True)
    package.write_text("x")
    digest = hashlib.sha256(b"x").hexdigest()
    entry = Entry("packages/debian-12-amd64/socat.deb", "package", "socat", digest, 1, "0644", "upstream")
    index = read_index(str(bench.folder))
    write_index(str(bench.folder), Index(index.release, index.architecture, [entry, *index.files]))
    assert not bench.run(target("kubelet"), target("old")).changed
    assert bench.put_right(bench.run(target("kubelet"))) == [("surplus", "programs/old")]
    assert bench.put_right(bench.predict(target("kubelet"))) == []
    assert [found.path for found in read_index(str(bench.folder)).files] == [entry.path, "programs/kubelet"]
    package.write_text("y")
    assert not bench.run(target("kubelet")).changed
    [problem] = verify(str(bench.folder))
    assert "bundle_packages" in problem.way_out


def download(name: str, needs_s: float = 0.0, failure: Exception | None = None) -> Target:
    def build(output: Path, _made: Mapping[str, Made]) -> Mapping[str, str]:
        if failure is not None:
            raise failure
        time.sleep(needs_s)
        output.write_text(name)
        return {}

    item = Item(f"program {name}", {}, build, download=True)
    return Target(item, "program", name, f"programs/{name}", "0755", source="upstream", download=item)


def test_downloads_come_first_and_at_the_same_time(bench: Bench) -> None:
    bench.run(target("built"), *(download(f"number{number}", 0.2) for number in range(6)))
    begun = [line for line in bench.said if line.endswith("is being downloaded")]
    assert bench.said[: len(begun)] == begun
    assert bench.said[-2:] == ["[1/7] program built is being built", "[1/7] program built built in 0 s"]
    assert "[2/7] program number0 is being downloaded" in bench.said
    assert "[2/7] program number0 0 MB downloaded in 0 s" in bench.said


def test_one_failed_download_does_not_end_the_others(bench: Bench) -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/cache/x")
    with pytest.raises(BuildError) as failed:
        bench.run(download("a", failure=BuildError("status 404")), download("b", 0.1), download("c", failure=full))
    assert str(failed.value) == (
        "2 of 3 downloads failed:\nprogram a could not be downloaded\nstatus 404\n"
        "program c could not be downloaded\n[Errno 28] No space left on device: '/cache/x'"
    )
    assert len(list(bench.store.glob("*/output"))) == 1


def test_an_interrupted_run_stops_its_downloads(bench: Bench) -> None:
    stopped: list[bool] = []
    runner = Runner(
        Store(bench.store), "2026.11", "amd64", Progress(bench.said.append), lambda: stopped.append(True)
    )
    with pytest.raises(KeyboardInterrupt):
        runner.run({bench.folder: [download("a", failure=KeyboardInterrupt())]}, Outcome())
    assert stopped == [True]
