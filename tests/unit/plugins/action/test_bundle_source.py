# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Upstream is chosen where it answers (_bundle_probe), else a build; a bundle that is there stays what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.trainyard.mlstack.plugins.action.bundle_source import ActionModule
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import Entry, Index, write_index
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle import probe as bundle_probe
from tests.support.fake_release import NAME, FakeRelease, fake_release


@pytest.fixture
def release(tmp_path: Path) -> Iterator[FakeRelease]:
    with fake_release(tmp_path / "releases") as served:
        yield served


def decide(served: FakeRelease, root: Path, source: str = "auto", **more: Any) -> tuple[dict[str, Any], list[str]]:
    arguments = {
        "source": source,
        "release": NAME,
        "release_dirs": [str(served.folder)],
        "architecture": "amd64",
        "network": served.options(),
        "cache": str(root / "cache"),
        "bundle": str(root / "bundle"),
        **more,
    }
    task: Any = SimpleNamespace(args=arguments, check_mode=False, async_val=0, action="bundle_source")
    action = ActionModule(task, MagicMock(), MagicMock(), MagicMock(), MagicMock(), MagicMock())
    action._display = MagicMock()
    result = action.run(task_vars={})
    assert result["changed"] is False
    return result, [call.args[0] for call in action._display.display.call_args_list]


@pytest.mark.parametrize("source", ["upstream", "build"])
def test_what_is_asked_for_is_taken_without_a_question(release: FakeRelease, tmp_path: Path, source: str) -> None:
    result, shown = decide(release, tmp_path, source)
    assert (result["source"], shown) == (source, [])
    assert release.server.asked == []


def test_volcano_is_refused_where_it_would_have_to_be_built(release: FakeRelease, tmp_path: Path) -> None:
    assert decide(release, tmp_path, "upstream", gang_scheduler="volcano")[0]["source"] == "upstream"
    release.server.stop()
    for source in ("build", "auto"):
        with pytest.raises(AnsibleActionFail, match=r"Volcano's Go module cannot be compiled alone") as refused:
            decide(release, tmp_path, source, gang_scheduler="volcano")
        assert "mlstack_bundle_source: upstream" in str(refused.value)


def test_upstream_where_every_host_answers_with_one_byte(release: FakeRelease, tmp_path: Path) -> None:
    release.registry.put("/v2/", b"{}")
    result, shown = decide(release, tmp_path)
    assert result["source"] == "upstream"
    assert shown == ["bundle  source is upstream: all its servers answer"]
    assert [asked.range for asked in release.server.asked] == ["bytes=0-0"]


@pytest.mark.parametrize("login", ["bearer", "basic"])
def test_a_registry_that_asks_for_a_login_is_there(release: FakeRelease, tmp_path: Path, login: str) -> None:
    release.registry.login = login
    assert decide(release, tmp_path)[0]["source"] == "upstream"


@pytest.mark.parametrize("silent", ["server", "registry"])
def test_a_build_where_one_host_does_not_answer(release: FakeRelease, tmp_path: Path, silent: str) -> None:
    server = getattr(release, silent)
    server.stop()
    result, [line] = decide(release, tmp_path)
    assert result["source"] == "build"
    assert line.startswith(f"bundle  source is build: {server.address}/")
    assert "refused" in line


def test_a_build_where_a_host_says_nothing(
    release: FakeRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle_probe, "_DEADLINE_S", 0.2)
    for file in release.server.files.values():
        file.silent = True
    result, [line] = decide(release, tmp_path)
    assert result["source"] == "build"
    assert re.fullmatch(rf"bundle  source is build: {release.server.address}/\S+: no answer within 0 s", line)


def test_a_build_where_a_gateway_answers_instead(release: FakeRelease, tmp_path: Path) -> None:
    for file in release.server.files.values():
        file.fail = [403] * 9
    assert decide(release, tmp_path)[0]["source"] == "build"


def test_a_build_for_a_release_without_addresses(release: FakeRelease, tmp_path: Path) -> None:
    del release.document["upstream"]
    release.write()
    result, [line] = decide(release, tmp_path)
    assert result["source"] == "build"
    assert "upstream = None: must be a mapping" in line


@pytest.mark.parametrize("made_of", ["upstream", "build"])
def test_a_bundle_that_is_there_keeps_its_source(release: FakeRelease, tmp_path: Path, made_of: str) -> None:
    (tmp_path / "bundle").mkdir()
    entry = Entry("bin/tool", "program", "tool", "0" * 64, 1, "0755", made_of)
    write_index(str(tmp_path / "bundle"), Index(NAME, "amd64", [entry]))
    result, shown = decide(release, tmp_path)
    assert (result["source"], len(shown)) == (made_of, 1)
    assert release.server.asked == []
    assert decide(release, tmp_path, architecture="arm64")[0]["reason"] == "all its servers answer"


def test_an_unknown_release_is_refused(release: FakeRelease, tmp_path: Path) -> None:
    with pytest.raises(AnsibleActionFail, match="no such release"):
        decide(release, tmp_path, release="2020.01")
