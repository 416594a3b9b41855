# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Container registries: names of images, manifests, logins."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.command import BuildError
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.download import Downloader, Patience
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.registry import Blob, Ref, Registry
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._download.web import Http, Network
from tests.support.fake_registry import DOCKER_LIST, OCI, FakeRegistry, digest
from tests.support.fake_upstream import running

REF = Ref("registry.example.org", "team/pause", "3.10")


@pytest.fixture
def server(pem: tuple[Path, Path]) -> Iterator[FakeRegistry]:
    with running(FakeRegistry(pem[0])) as served:
        assert isinstance(served, FakeRegistry)
        yield served


@pytest.fixture
def registry(server: FakeRegistry, pem: tuple[Path, Path], tmp_path: Path) -> Registry:
    """The client of the fake registry."""
    return client(tmp_path, REF, ca_certificates=(str(pem[1]),), registries={REF.registry: server.address})


def client(folder: Path, ref: Ref, **network: Any) -> Registry:
    """Return the client of an image's repository."""
    patience = Patience(first_wait_s=0.01, longest_wait_s=0.05)
    return Registry(ref, Downloader(Http(Network(**network)), folder / "partial", patience))


def test_a_short_name_of_docker_hub_is_in_its_library() -> None:
    assert Ref.parse("docker.io/busybox:1.37") == Ref("docker.io", "library/busybox", "1.37")
    assert Ref.parse("docker.io/tensorflow/tensorflow:2") == Ref("docker.io", "tensorflow/tensorflow", "2")
    assert Ref.parse("127.0.0.1:5000/a/b:1") == Ref("127.0.0.1:5000", "a/b", "1")
    for wrong in ("pause", "pause:3", "registry.k8s.io/pause", "registry.k8s.io:443/pause"):
        with pytest.raises(BuildError, match="must be registry/repository:tag"):
            Ref.parse(wrong)


def test_a_name_is_written_as_it_was_read() -> None:
    assert str(Ref.parse("registry.k8s.io/a/b:1")) == "registry.k8s.io/a/b:1"
    assert str(Ref.parse("docker.io/busybox:1")) == "docker.io/library/busybox:1"


@pytest.mark.parametrize(
    ("ref", "registries", "address"),
    [
        ("registry.k8s.io/pause:1", {}, "https://registry.k8s.io/v2/pause/blobs/x"),
        ("docker.io/busybox:1", {}, "https://registry-1.docker.io/v2/library/busybox/blobs/x"),
        (
            "docker.io/busybox:1",
            {"docker.io": "mirror.example.org"},
            "https://mirror.example.org/v2/library/busybox/blobs/x",
        ),
        ("quay.io/a/b:1", {"quay.io": "http://mirror:5000/quay/"}, "http://mirror:5000/v2/quay/a/b/blobs/x"),
        ("127.0.0.1:5000/a/b:1", {"docker.io": "mirror"}, "https://127.0.0.1:5000/v2/a/b/blobs/x"),
    ],
)
def test_where_a_blob_is_asked_for(tmp_path: Path, ref: str, registries: dict[str, str], address: str) -> None:
    assert client(tmp_path, Ref.parse(ref), registries=registries).blob_address(Blob("x", 1)) == address


def test_a_manifest_is_taken_as_it_is_with_all_its_blobs(registry: Registry, server: FakeRegistry) -> None:
    wanted = server.image("team/pause", "3.10", layers=3)
    found = registry.manifest("amd64")
    assert (found.digest, found.media_type, digest(found.content)) == (wanted, OCI, wanted)
    assert found.blobs[0] == found.config
    assert [server.files[f"/v2/team/pause/blobs/{blob.digest}"].sha256 for blob in found.blobs] == [
        blob.digest.partition(":")[2] for blob in found.blobs
    ]
    assert len(found.blobs) == 4


def test_a_list_is_followed_to_the_platform_by_its_digest(registry: Registry, server: FakeRegistry) -> None:
    image = server.image("team/pause", "", "arm64")
    server.index("team/pause", "3.10", {"linux/amd64": digest(b"x"), "linux/arm64": image}, DOCKER_LIST)
    assert registry.trusted_manifest("pause", "arm64").digest == image
    server.files[f"/v2/team/pause/manifests/{image}"].content += b" "
    with pytest.raises(BuildError, match="digest is wrong, so it is not taken"):
        registry.manifest("arm64")


@pytest.mark.parametrize(
    ("document", "media_type", "message"),
    [
        ({"x": 1}, "application/vnd.docker.distribution.manifest.v1+json", "is a application/vnd.docker.dist"),
        ({"x": 1}, "", "is a manifest without a type, no image"),
        ({"manifests": []}, DOCKER_LIST, r"has no image for linux/amd64; it has: $"),
        ({"config": {"digest": "md5:1", "size": 1}, "layers": []}, OCI, "digest md5:1: must be sha256: and 64"),
    ],
)
def test_what_is_no_image_is_refused(
    registry: Registry, server: FakeRegistry, document: dict[str, Any], media_type: str, message: str
) -> None:
    server.manifest("team/pause", "3.10", document, media_type)
    with pytest.raises(BuildError, match=message):
        registry.manifest("amd64")


def test_a_manifest_that_is_no_json_is_refused(registry: Registry, server: FakeRegistry) -> None:
    server.put("/v2/team/pause/manifests/3.10", b"<html>")
    with pytest.raises(BuildError, match=r"manifests/3\.10: is no manifest"):
        registry.manifest("amd64")


LOGIN = base64.b64encode(b"someone:secret").decode()


@pytest.mark.parametrize(
    ("key", "entry", "taken"),
    [
        ("{name}", {"auth": LOGIN}, True),
        ("https://{name}", {"auth": LOGIN}, True),
        ("https://{name}/v1/", {"auth": LOGIN}, True),
        ("https://{name}/v2/", {"username": "someone", "password": "secret"}, True),
        ("registry.example.org", {"auth": LOGIN}, False),
        ("{name}", {}, False),
    ],
)
def test_a_login_is_kept_under_the_name_of_who_is_asked(
    server: FakeRegistry, pem: tuple[Path, Path], tmp_path: Path, key: str, entry: dict[str, str], taken: bool
) -> None:
    server.login, server.user = "basic", "someone:secret"
    server.image("team/pause", "3.10")
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"auths": {key.format(name=server.name): entry}}))
    asked = client(
        tmp_path,
        REF,
        ca_certificates=(str(pem[1]),),
        registries={REF.registry: server.address},
        credentials=str(path),
    )
    if taken:
        assert asked.manifest("amd64").digest
    else:
        with pytest.raises(BuildError, match="status 401"):
            asked.manifest("amd64")


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_file_with_logins_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(BuildError, match=r"mlstack_bundle_registry_auth: .*config\.json cannot be read as docker's"):
        client(tmp_path, REF, credentials=str(tmp_path / "config.json"))
