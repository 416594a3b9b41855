# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images are pulled from a real registry, and are what was pushed to it."""

from __future__ import annotations

import base64
import json
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.progress import Progress
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.pull import pulled_image_item
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.download import Downloader
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Http, Network
from tests.integration.support.registry import USER, RealRegistry
from tests.support.fake_registry import OCI, OCI_LIST
from tests.support.paths import bundle_dir

pytestmark = pytest.mark.api


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealRegistry]:
    server = RealRegistry(tmp_path_factory.mktemp("registry"))
    yield server
    server.stop()


Pull = Callable[..., tuple[Path, Mapping[str, str]]]


@pytest.fixture
def pull(registry: RealRegistry, tmp_path: Path) -> Pull:
    """Return a function that pulls an image and returns its archive and facts."""
    signed = base64.b64encode(USER.encode()).decode()
    (tmp_path / "config.json").write_text(json.dumps({"auths": {registry.name: {"auth": signed}}}))

    def run(name: str, architecture: str, pin: str = "", login: bool = True) -> tuple[Path, Mapping[str, str]]:
        network = Network(
            ca_certificates=(str(registry.authority),), credentials=str(tmp_path / "config.json") if login else ""
        )
        downloader = Downloader(Http(network), tmp_path / "partial")
        ref = f"{registry.name}/{name}"
        item = pulled_image_item("x", ref, architecture, pin, downloader, Progress(lambda _line: None))
        return tmp_path / "archive.tar", item.build(tmp_path / "archive.tar", {})

    return run


def blobs(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as opened:
        return {
            member.name: opened.extractfile(member).read()  # type: ignore[union-attr]
            for member in opened
            if member.name.startswith("blobs/")
        }


@pytest.mark.parametrize("name", ["pause", "coredns"])
def test_what_is_pulled_is_what_was_pushed(registry: RealRegistry, pull: Pull, name: str) -> None:
    index = read_index(str(bundle_dir()))
    entry = index.named("image", name)
    digest = registry.push(bundle_dir() / entry.path, f"team/{name}", "1.0")
    assert digest == entry.digest
    archive, facts = pull(f"team/{name}:1.0", index.architecture)
    assert facts == {"digest": entry.digest, "sum": "published"}
    assert blobs(archive) == blobs(bundle_dir() / entry.path)
    _archive, pinned = pull(f"team/{name}:1.0", index.architecture, pin=digest)
    assert pinned == {"digest": entry.digest, "sum": "pinned"}


def test_a_list_is_asked_for_the_architecture(registry: RealRegistry, pull: Pull) -> None:
    index = read_index(str(bundle_dir()))
    digest = registry.push(bundle_dir() / index.named("image", "pause").path, "team/list", "part")
    size = len(blobs(bundle_dir() / index.named("image", "pause").path)[f"blobs/{digest.replace(':', '/')}"])
    platform = {"os": "linux", "architecture": index.architecture}
    entry = {"mediaType": OCI, "digest": digest, "size": size, "platform": platform}
    listed = {"schemaVersion": 2, "mediaType": OCI_LIST, "manifests": [entry]}
    registry.push_manifest("team/list", "1.0", json.dumps(listed).encode(), OCI_LIST)
    assert pull("team/list:1.0", index.architecture)[1]["digest"] == digest
    with pytest.raises(BuildError, match=rf"no image for linux/s390x; it has: linux/{index.architecture}"):
        pull("team/list:1.0", "s390x")


def test_what_is_not_there_and_who_may_not_are_named(registry: RealRegistry, pull: Pull) -> None:
    with pytest.raises(BuildError, match=r"team/gone/manifests/1\.0: status 404"):
        pull("team/gone:1.0", "amd64")
    with pytest.raises(BuildError, match="status 401"):
        pull("team/pause:1.0", "amd64", login=False)
