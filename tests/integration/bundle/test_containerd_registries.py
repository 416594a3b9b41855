# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `_nodes.containerd_registries` writes makes containerd pull from real registries, as the kubelet does."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.containerd_registries import hosts_files
from tests.integration.support.containerd import ADDRESS, ADDRESS_6, NAME, Place
from tests.integration.support.registry import USER, RealRegistry
from tests.support.paths import bundle_dir

pytestmark = [
    pytest.mark.api,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can make namespaces and run containerd"),
]

USERNAME, PASSWORD = USER.split(":")
IMAGE = "team/pause:1.0"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """containerd, and two registries with one image: plain HTTP on port 5000, HTTPS with a login on port 5443."""
    folder = tmp_path_factory.mktemp("registries")
    outside = RealRegistry(folder / "outside")
    outside.push(bundle_dir() / "images/pause.tar", "team/pause", "1.0")
    outside.push(bundle_dir() / "images/pause.tar", "v2only/pause", "1.0")
    outside.stop()
    inside = Place(folder / "inside")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=site"]
    command += ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", "key.pem", "-out", "ca.pem"]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    storage = {"filesystem": {"rootdirectory": str(folder / "outside/storage")}}
    plain = {"version": 0.1, "storage": storage, "http": {"addr": ":5000"}}
    tls = {"certificate": str(folder / "ca.pem"), "key": str(folder / "key.pem")}
    auth = {"htpasswd": {"realm": "tests", "path": str(folder / "outside/htpasswd")}}
    closed = {"version": 0.1, "storage": storage, "http": {"addr": ":5443", "tls": tls}, "auth": auth}
    for name, config, port in (("plain", plain, 5000), ("closed", closed, 5443)):
        (folder / f"{name}.yml").write_text(json.dumps(config))
        inside.start_registry(name, folder / f"{name}.yml", port)
    inside.start_containerd(inside.folder / "root")
    yield inside
    inside.stop()


@pytest.fixture
def registries(place: Place) -> Iterator[Any]:
    """Return a function that makes certs.d of registries; what it makes is gone afterwards."""
    folder = place.folder / "certs.d"

    def write(*entries: dict[str, Any]) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        for file in hosts_files(entries, str(folder)):
            path = Path(file["path"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file["content"])

    yield write
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def ca(place: Place) -> str:
    return (place.folder.parent / "ca.pem").read_text()


def pulled(place: Place, ref: str) -> str:
    """Pull an image that is not there and return what was wrong, empty when nothing was."""
    place.ctr(["rm", "--sync", ref])
    done = place.pull(ref)
    return "" if done.returncode == 0 else done.stderr


@pytest.mark.parametrize("host", [f"{NAME}:5000", f"{ADDRESS}:5000", f"[{ADDRESS_6}]:5000"])
def test_a_registry_over_plain_http_by_name_and_by_address(place: Place, registries: Any, host: str) -> None:
    assert "HTTP response to HTTPS client" in pulled(place, f"{host}/{IMAGE}")
    registries({"host": host, "server": f"http://{host}"})
    assert (place.folder / "certs.d" / host / "hosts.toml").is_file()
    assert pulled(place, f"{host}/{IMAGE}") == ""


def test_other_registries_are_untouched(place: Place, registries: Any) -> None:
    registries({"host": f"{NAME}:5000", "server": f"http://{NAME}:5000"})
    assert "HTTP response to HTTPS client" in pulled(place, f"{ADDRESS}:5000/{IMAGE}")
    assert "registry-1.docker.io" in pulled(place, f"docker.io/{IMAGE}")


@pytest.mark.parametrize("registry", ["docker.io", "registry.k8s.io"])
def test_a_mirror_is_asked_first(place: Place, registries: Any, registry: str) -> None:
    registries({"host": registry, "mirrors": [f"http://{NAME}:5000"]})
    assert pulled(place, f"{registry}/{IMAGE}") == ""


def test_the_server_is_asked_when_the_mirror_does_not_answer(place: Place, registries: Any) -> None:
    host = f"{NAME}:5000"
    registries({"host": host, "server": f"http://{host}", "mirrors": [f"http://{ADDRESS}:9"]})
    assert pulled(place, f"{host}/{IMAGE}") == ""


def test_one_mirror_for_all_registries(place: Place, registries: Any) -> None:
    registries({"host": "_default", "mirrors": [f"http://{NAME}:5000"]})
    assert pulled(place, f"ghcr.io/{IMAGE}") == ""
    assert pulled(place, f"docker.io/{IMAGE}") == ""


def test_a_path_of_the_api(place: Place, registries: Any) -> None:
    registries({"host": "docker.io", "mirrors": [f"http://{NAME}:5000/v2"]})
    assert pulled(place, f"docker.io/{IMAGE}") == ""


def test_certificate_and_credentials(place: Place, registries: Any, ca: str) -> None:
    host, login = f"{NAME}:5443", {"username": USERNAME, "password": PASSWORD}
    ref = f"{host}/{IMAGE}"
    assert "certificate" in pulled(place, ref)
    registries({"host": host, "ca": ca})
    assert "401 Unauthorized" in pulled(place, ref) or "no basic auth credentials" in pulled(place, ref)
    registries({"host": host, "ca": ca, **login})
    assert pulled(place, ref) == ""
    registries({"host": host, **login})
    assert "certificate" in pulled(place, ref)
    registries({"host": host, "skip_verify": True, **login})
    assert pulled(place, ref) == ""


def test_a_mirror_with_certificate_and_credentials_of_its_own(place: Place, registries: Any, ca: str) -> None:
    mirror = {"url": f"https://{NAME}:5443", "ca": ca, "username": USERNAME, "password": PASSWORD}
    registries({"host": "docker.io", "mirrors": [mirror]})
    assert pulled(place, f"docker.io/{IMAGE}") == ""


def test_credentials_are_in_no_log(place: Place) -> None:
    """Runs after those that use them."""
    text = "".join(path.read_text(errors="replace") for path in place.folder.glob("*.log"))
    assert "PullImage" in text
    for secret in (PASSWORD, base64.b64encode(USER.encode()).decode()):
        assert secret not in text
