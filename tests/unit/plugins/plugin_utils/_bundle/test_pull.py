# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An image in a bundle is what its registry has, byte for byte, for the platform that was asked for."""

from __future__ import annotations

import base64
import json
import re
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.progress import Progress
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.pull import pulled_image_item
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.download import Downloader, Patience
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Http, Network
from tests.support.fake_registry import DOCKER, DOCKER_LIST, OCI, OCI_LIST, FakeRegistry, digest
from tests.support.fake_upstream import certificate, running

QUICK = Patience(first_wait_s=0.01, longest_wait_s=0.05)
REF = "registry.example.org/team/pause:3.10"


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def registry(pem: tuple[Path, Path]) -> Iterator[FakeRegistry]:
    with running(FakeRegistry(pem[0])) as server:
        assert isinstance(server, FakeRegistry)
        yield server


class Pulled:
    """An archive, opened."""

    def __init__(self, path: Path, facts: Any) -> None:
        self.facts = facts
        with tarfile.open(path) as archive:
            self.files = {
                member.name: archive.extractfile(member).read() for member in archive  # type: ignore[union-attr]
            }
        [self.descriptor] = json.loads(self.files["index.json"])["manifests"]


Pull = Callable[..., Pulled]


@pytest.fixture
def pull(registry: FakeRegistry, pem: tuple[Path, Path], tmp_path: Path) -> Pull:
    """Return a function that pulls an image through a mapping of its registry to the fake one."""

    def run(
        ref: str = REF, architecture: str = "amd64", pin: str = "", credentials: str = "", prefix: str = ""
    ) -> Pulled:
        name = ref.partition("/")[0]
        network = Network(
            ca_certificates=(str(pem[1]),), registries={name: registry.address + prefix}, credentials=credentials
        )
        downloader = Downloader(Http(network), tmp_path / "partial", QUICK)
        item = pulled_image_item("pause", ref, architecture, pin, downloader, Progress(lambda _line: None))
        output = tmp_path / "output"
        return Pulled(output, item.build(output, {}))

    return run


@pytest.mark.parametrize("media_type", [OCI, DOCKER])
def test_an_archive_holds_the_manifest_as_it_is(pull: Pull, registry: FakeRegistry, media_type: str) -> None:
    wanted = registry.image("team/pause", "3.10", media_type=media_type)
    pulled = pull()
    assert pulled.facts == {"digest": wanted, "sum": "published"}
    assert (pulled.descriptor["digest"], pulled.descriptor["mediaType"]) == (wanted, media_type)
    assert pulled.descriptor["annotations"]["io.containerd.image.name"] == REF
    blobs = {name: content for name, content in pulled.files.items() if name.startswith("blobs/")}
    assert len(blobs) == 4
    assert all(name == f"blobs/{digest(content).replace(':', '/')}" for name, content in blobs.items())


@pytest.mark.parametrize("media_type", [OCI_LIST, DOCKER_LIST])
@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
def test_the_image_for_the_nodes_is_chosen_from_a_list(
    pull: Pull, registry: FakeRegistry, media_type: str, architecture: str
) -> None:
    images = {f"linux/{name}": registry.image("team/pause", "", name) for name in ("amd64", "arm64")}
    registry.index("team/pause", "3.10", {"windows/amd64": digest(b"w"), **images}, media_type)
    assert pull(architecture=architecture).facts["digest"] == images[f"linux/{architecture}"]


def test_a_platform_that_is_missing_is_refused_with_those_that_there_are(pull: Pull, registry: FakeRegistry) -> None:
    image = registry.image("team/pause", "", "amd64")
    platforms = {"linux/amd64": image, "windows/amd64": image, "unknown/unknown": image}
    registry.index("team/pause", "3.10", platforms)
    with pytest.raises(BuildError, match=r"has no image for linux/arm64; it has: linux/amd64, windows/amd64$"):
        pull(architecture="arm64")


def test_an_image_without_a_list_must_be_for_the_platform(pull: Pull, registry: FakeRegistry) -> None:
    registry.image("team/pause", "3.10", "amd64")
    with pytest.raises(BuildError, match=r"pause:3\.10: has no image for linux/arm64; it has: linux/amd64"):
        pull(architecture="arm64")


def test_a_pinned_image_is_asked_for_by_its_digest(pull: Pull, registry: FakeRegistry) -> None:
    old = registry.image("team/pause", "3.10", layers=1)
    registry.image("team/pause", "3.10", layers=3)
    assert pull(pin=old).facts == {"digest": old, "sum": "pinned"}
    assert not registry.times("/v2/team/pause/manifests/3.10")


def test_a_manifest_that_is_not_the_pinned_one_is_refused(pull: Pull, registry: FakeRegistry) -> None:
    pinned = registry.image("team/pause", "3.10")
    registry.files[f"/v2/team/pause/manifests/{pinned}"].content += b" "
    with pytest.raises(BuildError, match=rf"digest is wrong, so it is not taken\nwanted {pinned}\ngot    sha256:"):
        pull(pin=pinned)


def test_a_blob_that_is_not_what_its_digest_says_is_refused(pull: Pull, registry: FakeRegistry) -> None:
    registry.image("team/pause", "3.10")
    registry.blob("layer 1").content = b"evil"
    with pytest.raises(BuildError, match="sum is wrong"):
        pull()


def test_a_blob_goes_on_where_it_broke(pull: Pull, registry: FakeRegistry) -> None:
    registry.image("team/pause", "3.10")
    layer = registry.blob("layer 1")
    layer.cut, layer.etag = 100, ""
    pull()
    assert "bytes=100-" in [asked.range for asked in registry.asked]


def test_an_image_that_is_not_there_is_named(pull: Pull, registry: FakeRegistry) -> None:
    with pytest.raises(BuildError, match=rf"{registry.address}/v2/team/pause/manifests/3\.10: status 404"):
        pull()


def test_a_mirror_may_have_a_path(pull: Pull, registry: FakeRegistry) -> None:
    registry.image("cache/team/pause", "3.10")
    assert pull(prefix="/cache").facts["digest"]


def test_a_registry_without_a_login_may_still_want_a_token(pull: Pull, registry: FakeRegistry) -> None:
    registry.login = "bearer"
    registry.image("team/pause", "3.10")
    pull()
    assert registry.tokens[0].startswith("repository:team/pause:pull")


def test_a_token_that_ran_out_is_fetched_anew(pull: Pull, registry: FakeRegistry) -> None:
    registry.login = "bearer"
    registry.image("team/pause", "3.10")
    layer = registry.blob("layer 1")
    layer.cut = 100
    serve = registry.serve

    def serve_and_expire(handler: Any, file: Any) -> None:
        if file is layer:
            registry.expired = 1
        serve(handler, file)

    registry.serve = serve_and_expire  # type: ignore[method-assign]
    pull()
    assert len(registry.tokens) == 2


def credentials(folder: Path, registry: FakeRegistry, user: str) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps({"auths": {registry.name: {"auth": base64.b64encode(user.encode()).decode()}}}))
    return str(path)


@pytest.mark.parametrize("login", ["bearer", "basic"])
def test_a_login_is_taken_from_the_file(pull: Pull, registry: FakeRegistry, tmp_path: Path, login: str) -> None:
    registry.login, registry.user = login, "someone:secret"
    registry.image("team/pause", "3.10")
    assert pull(credentials=credentials(tmp_path, registry, "someone:secret")).facts["digest"]


@pytest.mark.parametrize("login", ["bearer", "basic"])
def test_a_wrong_login_is_refused_without_showing_it(
    pull: Pull, registry: FakeRegistry, tmp_path: Path, login: str
) -> None:
    registry.login, registry.user = login, "someone:secret"
    registry.image("team/pause", "3.10")
    with pytest.raises(BuildError, match="status 401") as refused:
        pull(credentials=credentials(tmp_path, registry, "someone:guessed"))
    assert not re.search("guessed|someone|Z3Vlc3NlZA", str(refused.value))


def test_a_file_with_logins_that_cannot_be_read_is_named(pull: Pull, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"mlstack_bundle_registry_auth: .*none\.json cannot be read"):
        pull(credentials=str(tmp_path / "none.json"))


def test_without_a_pin_an_unsafe_registry_is_not_trusted(tmp_path: Path) -> None:
    with running(FakeRegistry()) as server:
        assert isinstance(server, FakeRegistry)
        pinned = server.image("team/pause", "3.10")
        ref = "registry.example.org/team/pause:3.10"
        network = Network(registries={"registry.example.org": server.address})
        downloader = Downloader(Http(network), tmp_path / "partial", QUICK)
        progress = Progress(lambda _line: None)
        with pytest.raises(BuildError, match=r"no digest is pinned, .* write it into the release as .*\.pause\.amd64"):
            pulled_image_item("pause", ref, "amd64", "", downloader, progress).build(tmp_path / "output", {})
        item = pulled_image_item("pause", ref, "amd64", pinned, downloader, progress)
        assert item.build(tmp_path / "output", {})["digest"] == pinned
