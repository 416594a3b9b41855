# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user makes a bundle of a small release with the playbooks; upstream is played by servers in this process."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index, verify
from tests.support.fake_release import NAME, FakeRelease, fake_release
from tests.support.kill_tree import kill_tree
from tests.support.paths import ROOT

UNCHANGED = re.compile(r"localhost\s.*changed=0\s.*failed=0")


class User:
    """Somebody with an inventory, a cache and a bundle of their own."""

    def __init__(self, root: Path, release: FakeRelease) -> None:
        self.bundle = root / "bundle"
        self._variables = root / "variables.json"
        self.release = release
        self.given: dict[str, Any] = {
            **release.variables(),
            "mlstack_cache_dir": str(root / "cache"),
            "mlstack_bundle_dir": str(self.bundle),
        }

    def start(self, playbook: str, *options: str) -> subprocess.Popen[str]:
        """Start a playbook."""
        self._variables.write_text(json.dumps(self.given))
        command = [str(Path(sys.executable).parent / "ansible-playbook"), str(ROOT / f"playbooks/{playbook}.yml")]
        command += ["-e", f"@{self._variables}", *options]
        environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "LC_ALL": "C.UTF-8"}
        return subprocess.Popen(
            command,
            cwd="/",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, playbook: str, *options: str) -> str:
        """Run a playbook to its good end and return what was on the screen."""
        process = self.start(playbook, *options)
        screen = process.communicate(timeout=300)[0]
        assert process.returncode == 0, screen
        return screen


def begun(path: Path, content: bytes) -> bytes:
    """Return what a file holds when that is how `content` begins, else nothing."""
    found = path.read_bytes() if path.exists() else b""
    return found if content.startswith(found) else b""


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    with fake_release(tmp_path / "releases") as release:
        yield User(tmp_path, release)


def test_a_bundle_is_made_found_whole_and_put_right(user: User) -> None:
    asked = user.release.server.asked
    screen = user.run("bundle", "--check", "--diff")
    assert "bin/kubectl: to be built" in screen
    assert (asked, user.bundle.exists()) == ([], False)

    screen = user.run("bundle")
    assert re.search(r"bundle  \[ ?\d+/\d+\] program kubectl 0 MB downloaded in \d s", screen)
    assert verify(str(user.bundle)) == []
    assert {(entry.source, entry.sum) for entry in read_index(str(user.bundle)).files} == {("upstream", "pinned")}

    asked.clear()
    (user.bundle / "bin/tool").write_text("evil")
    screen = user.run("bundle", "--diff")
    assert f"{user.bundle}/bin/tool was altered" in screen
    assert (verify(str(user.bundle)), asked) == ([], [])

    assert UNCHANGED.search(user.run("bundle"))
    assert asked == []


def test_a_run_that_was_killed_in_a_download_goes_on_there(user: User) -> None:
    user.given["mlstack_architecture"] = "arm64"
    slow = user.release.server.files["/v1.0.0/arm64/kubectl"]
    slow.byte_s = 0.2
    process = user.start("bundle")
    until = time.monotonic() + 120
    partial = Path(user.given["mlstack_cache_dir"], "partial")
    while not any(0 < len(begun(path, slow.content)) < len(slow.content) for path in partial.glob("*")):
        assert time.monotonic() < until
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.05)
    kill_tree(process.pid)
    process.communicate()

    slow.byte_s = 0
    user.run("bundle")
    ranges = [asked.range for asked in user.release.server.asked if asked.path == "/v1.0.0/arm64/kubectl"]
    assert re.fullmatch(r"bytes=[1-9]\d*-", ranges[-1])
    assert verify(str(user.bundle)) == []
    assert (user.bundle / "bin/tool").read_text() == "arm64"


def test_a_release_is_pinned(tmp_path: Path) -> None:
    with fake_release(tmp_path / "releases", pinned=False) as release:
        user = User(tmp_path, release)
        screen = user.run("bundle")
        assert "WARNING" in screen
        assert "pins no sum of" in screen
        file = release.folder / f"{NAME}.yml"
        before = file.read_text()
        screen = user.run("pin_release", "--check", "--diff")
        assert f"+      amd64: {release.images['amd64']}" in screen
        assert file.read_text() == before
        user.run("pin_release")
        assert UNCHANGED.search(user.run("pin_release"))
        assert "pins no sum of" not in user.run("bundle")
        assert {entry.sum for entry in read_index(str(user.bundle)).files} == {"pinned"}


def test_no_secret_is_on_the_screen(user: User, tmp_path: Path) -> None:
    registry = user.release.registry
    registry.login, registry.user = "bearer", "someone:a-word-that-nobody-may-read"
    signed = base64.b64encode(registry.user.encode()).decode()
    (tmp_path / "config.json").write_text(json.dumps({"auths": {registry.name: {"auth": signed}}}))
    user.given["mlstack_bundle_registry_auth"] = str(tmp_path / "config.json")
    screen = user.run("bundle", "-vvv", "--diff")
    assert len(registry.tokens) > 0
    for secret in ("a-word-that-nobody-may-read", signed, *registry.tokens):
        assert secret not in screen
