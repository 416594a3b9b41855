# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One component at a time, and back when it does not come up, against a kubelet that is played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Mapping, Sequence, Tuple

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.kubeadm import Layout
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_apply import (
    Tools,
    pending,
    renew_certificate,
    restart,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.settings_plan import SettingsError
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.static_pod import Probe

API_SERVER = "kube-apiserver"


def manifest(argument: str) -> str:
    probe = "    readinessProbe:\n      httpGet:\n        path: /readyz\n        port: 6443\n        scheme: HTTPS\n"
    return f"spec:\n  containers:\n  - command:\n    - kube-apiserver\n    - {argument}\n{probe}"


GOOD, BETTER, BAD = manifest("--v=1"), manifest("--v=2"), manifest("--no-such-flag")


class Kubelet:
    """Makes a container for each manifest that it sees; one of a bad manifest ends at once, again and again."""

    def __init__(self, layout: Layout) -> None:
        self._path = Path(layout.manifest(API_SERVER))
        self._seen = ""
        self.now = 1000
        self.containers: list[dict[str, object]] = []
        self.said: list[str] = []
        # Container -> what its log is instead of an error; None for one that is gone already.
        self.logs: dict[str, str | None] = {}
        self.look()

    @property
    def tools(self) -> Tools:
        return Tools(run=self.run, ready=self.ready, say=self.said.append, clock=self.clock, sleep=self.sleep)

    def clock(self) -> int:
        self.now += 1
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += int(seconds * 1e9)
        self.look()

    def look(self) -> None:
        text = self._path.read_text(encoding="utf-8")
        if text == self._seen and "no-such-flag" not in text:
            return
        self._seen = text
        for container in self.containers:
            container["state"] = "CONTAINER_EXITED"
        state = "CONTAINER_EXITED" if "no-such-flag" in text else "CONTAINER_RUNNING"
        self.containers.append({"id": f"c{len(self.containers)}", "state": state, "createdAt": str(self.now)})

    def run(self, command: Sequence[str], _environment: Mapping[str, str]) -> Tuple[str, str]:
        if "logs" in command:
            log = self.logs.get(command[-1], "Error: unknown flag: --no-such-flag\n")
            if log is None:
                raise SettingsError("crictl logs: no such container")
            return log, ""
        return json.dumps({"containers": self.containers}), ""

    def ready(self, _probe: Probe) -> bool:
        return self.containers[-1]["state"] == "CONTAINER_RUNNING"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    for folder in ("manifests", "mlstack", "pki"):
        (tmp_path / folder).mkdir()
    layout = Layout(kubernetes=str(tmp_path))
    Path(layout.manifest(API_SERVER)).write_text(GOOD, encoding="utf-8")
    return layout


def there(layout: Layout) -> str:
    return Path(layout.manifest(API_SERVER)).read_text(encoding="utf-8")


def test_a_good_manifest_stays_and_leaves_no_journal(layout: Layout) -> None:
    kubelet = Kubelet(layout)
    restart(layout, kubelet.tools, API_SERVER, BETTER, 60)
    assert there(layout) == BETTER
    assert pending(layout) is None
    assert [path.name for path in Path(layout.kubernetes, "manifests").iterdir()] == [f"{API_SERVER}.yaml"]


def test_a_bad_manifest_gives_way_to_the_old_one_with_the_programs_last_words(layout: Layout) -> None:
    kubelet = Kubelet(layout)
    with pytest.raises(SettingsError) as caught:
        restart(layout, kubelet.tools, API_SERVER, BAD, 60)
    text = str(caught.value)
    assert "unknown flag: --no-such-flag" in text
    assert "+ - --no-such-flag" in text
    assert "kubernetes_*_arguments" in text
    assert there(layout) == GOOD
    assert kubelet.ready(Probe(True, "", 0, ""))
    assert pending(layout) is None


@pytest.mark.parametrize("newest", ["", None])
def test_the_words_of_an_older_try_count_when_the_newest_has_none(layout: Layout, newest: str | None) -> None:
    kubelet = Kubelet(layout)
    kubelet.logs = {"c2": newest}
    with pytest.raises(SettingsError, match="unknown flag: --no-such-flag"):
        restart(layout, kubelet.tools, API_SERVER, BAD, 60)


def test_a_program_that_never_spoke_is_told_as_such(layout: Layout) -> None:
    kubelet = Kubelet(layout)
    kubelet.logs = dict.fromkeys((f"c{number}" for number in range(9)), "")
    with pytest.raises(SettingsError, match="ended without a word"):
        restart(layout, kubelet.tools, API_SERVER, BAD, 60)


def test_a_run_that_was_killed_still_knows_the_old_manifest(layout: Layout) -> None:
    kubelet = Kubelet(layout)

    class Killed(Exception):
        pass

    def killed(_seconds: float) -> None:
        raise Killed

    with pytest.raises(Killed):
        restart(layout, kubelet.tools._replace(sleep=killed), API_SERVER, BAD, 60)
    assert there(layout) == BAD
    assert pending(layout) == API_SERVER
    with pytest.raises(SettingsError, match="runs with those before again"):
        restart(layout, kubelet.tools, API_SERVER, BAD, 60)
    assert there(layout) == GOOD


def test_after_a_kill_other_settings_may_come_and_the_last_good_ones_are_still_known(layout: Layout) -> None:
    kubelet = Kubelet(layout)
    Path(layout.journal).write_text(
        json.dumps({"component": API_SERVER, "previous": GOOD, "since": 0}), encoding="utf-8"
    )
    Path(layout.manifest(API_SERVER)).write_text(BAD, encoding="utf-8")
    with pytest.raises(SettingsError):
        restart(layout, kubelet.tools, API_SERVER, BAD.replace("no-such-flag", "no-such-flag-either"), 60)
    assert there(layout) == GOOD


def test_a_new_certificate_is_in_place_with_its_key_closed(layout: Layout, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    (fresh / "apiserver.key").write_text("key", encoding="utf-8")
    (fresh / "apiserver.crt").write_text("certificate", encoding="utf-8")
    renew_certificate(layout, str(fresh))
    assert Path(layout.pki("apiserver.crt")).read_text(encoding="utf-8") == "certificate"
    assert Path(layout.pki("apiserver.key")).stat().st_mode & 0o777 == 0o600
