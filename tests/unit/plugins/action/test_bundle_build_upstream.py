# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole bundle is downloaded (_bundle_download) as a task asks for it, from servers in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.action.bundle_build import ActionModule
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index, verify
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.controller import controller_architecture
from tests.support.fake_release import NAME, FakeRelease, fake_release

CONTROLLER = controller_architecture()
OTHER = {"amd64": "arm64", "arm64": "amd64"}[CONTROLLER]
RECIPES = Path(__file__).parents[4] / "builds"


@pytest.fixture
def pinned(tmp_path: Path) -> Iterator[FakeRelease]:
    with fake_release(tmp_path / "releases") as release:
        yield release


@pytest.fixture
def unpinned(tmp_path: Path) -> Iterator[FakeRelease]:
    with fake_release(tmp_path / "releases", pinned=False) as release:
        yield release


class Task:
    """Runs the task; keeps what was shown and warned of."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bundle = root / "bundle"
        self.shown: list[str] = []
        self.warnings: list[str] = []

    def run(self, release: FakeRelease, check: bool = False, **more: Any) -> dict[str, Any]:
        arguments = {
            "source": "upstream",
            "release": NAME,
            "release_dirs": [str(release.folder)],
            "architecture": "amd64",
            "network": release.options(),
            "recipes": str(RECIPES),
            "cache": str(self.root / "cache"),
            "bundle": str(self.bundle),
            "pip": ["pip"],
            **more,
        }
        task: Any = SimpleNamespace(args=arguments, check_mode=check, async_val=0, action="bundle_build")
        action = ActionModule(task, MagicMock(), MagicMock(), MagicMock(), MagicMock(), MagicMock())
        action._display = MagicMock()
        try:
            return action.run(task_vars={})
        finally:
            self.shown = [call.args[0] for call in action._display.display.call_args_list]
            self.warnings = [call.args[0] for call in action._display.warning.call_args_list]


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return Task(tmp_path)


def entries(task: Task) -> dict[str, tuple[str, str | None]]:
    return {entry.path: (entry.source, entry.sum) for entry in read_index(str(task.bundle)).files}


def test_a_bundle_is_downloaded_whole(task: Task, pinned: FakeRelease) -> None:
    assert task.run(pinned)["changed"]
    assert set(entries(task).values()) == {("upstream", "pinned")}
    assert verify(str(task.bundle)) == []
    assert (task.bundle / "bin/tool").read_text() == "amd64"
    assert (task.bundle / "bin/tool").stat().st_mode & 0o777 == 0o755
    assert (task.bundle / "data/digits.csv").read_text() == "1,2,3\n"
    manifest = (task.bundle / "manifests/training-operator.yaml").read_text()
    assert '"newName": "registry.example.org/pause", "newTag": "3.10"' in manifest
    assert manifest.endswith("x: 1\n")
    assert read_index(str(task.bundle)).named("image", "pause").digest == pinned.images["amd64"]
    assert task.warnings == []
    assert any("program kubectl 0 MB downloaded in" in line for line in task.shown)


def test_a_second_run_asks_nobody_and_changes_nothing(task: Task, pinned: FakeRelease) -> None:
    task.run(pinned)
    pinned.server.stop()
    pinned.registry.stop()
    result = task.run(pinned)
    assert (result["changed"], result["built"], result["files"]) == (False, [], [])


def test_check_mode_asks_nobody(task: Task, pinned: FakeRelease) -> None:
    result = task.run(pinned, check=True)
    assert result["changed"]
    assert "program kubectl" in [item["name"] for item in result["built"]]
    assert "bin/tool: to be built" in result["diff"][0]["before"]
    assert (pinned.server.asked, pinned.registry.asked) == ([], [])
    assert not task.bundle.exists()


def test_an_altered_file_is_put_back_without_a_download(task: Task, pinned: FakeRelease) -> None:
    task.run(pinned)
    (task.bundle / "bin/kubectl").write_text("evil")
    asked = len(pinned.server.asked)
    assert [found["was"] for found in task.run(pinned)["files"]] == ["altered"]
    assert (len(pinned.server.asked), verify(str(task.bundle))) == (asked, [])


def test_a_bundle_for_another_architecture(task: Task, pinned: FakeRelease) -> None:
    task.run(pinned, architecture="arm64")
    assert read_index(str(task.bundle)).architecture == "arm64"
    assert (task.bundle / "bin/tool").read_text() == "arm64"
    assert read_index(str(task.bundle)).named("image", "pause").digest == pinned.images["arm64"]
    # One runs on the nodes, the other one renders the manifest here.
    assert pinned.server.times("/v1.0.0/arm64/kubectl") == 1
    assert pinned.server.times(f"/v1.0.0/{CONTROLLER}/kubectl") == 1


def test_one_archive_is_downloaded_once(task: Task, pinned: FakeRelease) -> None:
    pinned.document["programs"]["tool2"] = "kubernetes"
    pinned.document["upstream"]["programs"]["tool2"] = {"download": "tool", "member": "bin/tool"}
    pinned.write()
    task.run(pinned)
    assert pinned.server.times("/v1.0.0/amd64/tool.tgz") == 1


def test_without_pins_published_sums_are_used_and_said(task: Task, unpinned: FakeRelease) -> None:
    task.run(unpinned)
    found = entries(task)
    assert found["bin/kubectl"] == found["bin/tool"] == found["images/pause.tar"] == ("upstream", "published")
    assert found["data/digits.csv"] == ("upstream", "pinned")
    [warning] = task.warnings
    assert warning.startswith("release 2027.01 pins no sum of bin/kubectl, bin/tool, images/pause.tar")
    assert "playbooks/pin_release.yml" in warning
    task.run(unpinned)
    assert len(task.warnings) == 1


def test_a_release_that_pins_later_does_not_warn(task: Task, tmp_path: Path) -> None:
    with fake_release(tmp_path / "releases", pinned=False) as release:
        task.run(release)
        before = (task.bundle / "bin/tool").read_bytes()
        release._pin()
        release.write()
        task.run(release)
        assert set(entries(task).values()) == {("upstream", "pinned")}
        assert (task.bundle / "bin/tool").read_bytes() == before
        assert task.warnings == []


def test_all_failures_are_listed_at_once_and_the_bundle_stays(task: Task, pinned: FakeRelease) -> None:
    task.run(pinned)
    downloads = pinned.document["upstream"]["downloads"]
    downloads["kubectl"]["sha256"]["amd64"] = "0" * 64
    downloads["digits"]["address"] += ".gone"
    pinned.document["upstream"]["images"]["pause"]["amd64"] = f"sha256:{'1' * 64}"
    pinned.write()
    with pytest.raises(AnsibleActionFail) as failed:
        task.run(pinned)
    text = str(failed.value)
    assert text.startswith("3 of 6 downloads failed:\n")
    wrong = f"{pinned.server.address}/v1.0.0/amd64/kubectl: sum is wrong"
    assert f"program kubectl could not be downloaded\n{wrong}" in text
    assert "digits.csv.gz.gone: status 404" in text
    assert "image pause could not be downloaded" in text
    assert verify(str(task.bundle)) == []


def test_a_changed_manifest_folder_is_refused(task: Task, pinned: FakeRelease) -> None:
    pinned.document["upstream"]["downloads"]["operator"]["sha256"]["any"] = "0" * 64
    pinned.write()
    with pytest.raises(AnsibleActionFail, match="sum of its folder manifests is wrong, so the file is not taken"):
        task.run(pinned)


def test_a_published_sum_that_is_not_https_is_not_trusted(task: Task, unpinned: FakeRelease) -> None:
    entry = unpinned.document["upstream"]["downloads"]["kubectl"]
    entry["published"] = "http://dl.example.org/kubectl.sha256"
    unpinned.write()
    with pytest.raises(AnsibleActionFail, match=r"is not https, so .* upstream\.downloads\.kubectl\.sha256\.amd64"):
        task.run(unpinned)


def test_a_list_of_sums_without_the_file_is_no_sum(task: Task, unpinned: FakeRelease) -> None:
    unpinned.server.put("/v1.0.0/amd64/kubectl.sha256", f"{'0' * 64}  kubelet\n".encode())
    with pytest.raises(AnsibleActionFail, match=r"kubectl\.sha256 holds no sha256 sum of kubectl; write it"):
        task.run(unpinned)


def test_a_release_without_addresses_says_everything_that_it_lacks(task: Task, pinned: FakeRelease) -> None:
    del pinned.document["upstream"]["programs"]["tool"]
    pinned.document["upstream"]["manifests"]["training-operator"] = {"download": "operatr"}
    pinned.document["upstream"]["downloads"]["digits"]["sha256"] = {"any": "12"}
    pinned.write()
    with pytest.raises(AnsibleActionFail) as refused:
        task.run(pinned)
    text = str(refused.value)
    assert text.startswith("3 problems, nothing was changed:")
    for expected in ("upstream.programs.tool", "must name one of upstream.downloads: kubectl, tool", "64 hexadecimal"):
        assert expected in text


def test_another_architecture_is_not_built(task: Task, pinned: FakeRelease) -> None:
    expected = f"cannot be built on {CONTROLLER}: set mlstack_bundle_source: upstream"
    with pytest.raises(AnsibleActionFail, match=expected):
        task.run(pinned, source="build", architecture=OTHER)


def test_a_certificate_that_cannot_be_read_is_named(task: Task, pinned: FakeRelease) -> None:
    with pytest.raises(AnsibleActionFail, match=r"mlstack_ca_certificates: /nowhere/ca\.pem cannot be read"):
        task.run(pinned, network={**pinned.options(), "ca_certificates": ["/nowhere/ca.pem"]})


def test_an_authority_that_is_not_trusted_is_refused_at_once(task: Task, pinned: FakeRelease) -> None:
    with pytest.raises(AnsibleActionFail, match=r"certificate verify failed.*mlstack_ca_certificates names more"):
        task.run(pinned, network={"registries": pinned.registries})


def test_a_manifest_that_is_the_download_itself_comes_with_its_scheduler(pinned: FakeRelease, tmp_path: Path) -> None:
    document, upstream = pinned.document, pinned.document["upstream"]
    upstream["downloads"]["volcano"] = pinned._one("volcano.yaml", b"kind: Namespace\n")
    upstream["manifests"]["volcano"] = {"download": "volcano"}
    document["manifests"]["volcano"] = "kubernetes"
    document["only_with_gang_scheduler"] = {"volcano": "volcano"}
    pinned.write()
    task = Task(tmp_path)
    task.run(pinned)
    assert not (task.bundle / "manifests/volcano.yaml").exists()
    task.run(pinned, gang_scheduler="volcano")
    assert (task.bundle / "manifests/volcano.yaml").read_bytes() == b"kind: Namespace\n"
    (entry,) = (one for one in read_index(str(task.bundle)).files if one.path == "manifests/volcano.yaml")
    assert (entry.source, entry.sum) == ("upstream", "pinned")
    assert verify(str(task.bundle)) == []
