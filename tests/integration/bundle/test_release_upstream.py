# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The newest release, downloaded whole through a mirror that has a file under each of its addresses."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.action.bundle_build import ActionModule
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle import upstream
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle_build.controller import controller_architecture
from tests.support.fake_registry import FakeRegistry
from tests.support.fake_release import archive
from tests.support.fake_upstream import Upstream, certificate, running
from tests.support.paths import RELEASE, ROOT, bundle_dir

pytestmark = pytest.mark.api

RECIPES = ROOT / "builds"
CONTROLLER = controller_architecture()
# The other one: it needs files for both.
ARCHITECTURE = {"amd64": "arm64", "arm64": "amd64"}[CONTROLLER]


def operator_source() -> bytes:
    """Return the operator's source as an archive of its tag, from the module that its program is built from."""
    version = RELEASE["components"]["training_operator"]
    go = shutil.which("go") or str(Path("~/.cache/trainyard/tools/bin/go").expanduser())
    argv = [go, "mod", "download", "-json", "github.com/kubeflow/training-operator"]
    folder = RECIPES / "go" / "training_operator" / version
    answer = subprocess.run(argv, cwd=folder, capture_output=True, check=True)
    module = Path(json.loads(answer.stdout)["Dir"])
    paths = [path for path in (module / "manifests").rglob("*") if path.is_file()]
    return archive({f"trainer-{version}/{path.relative_to(module)}": path.read_bytes() for path in paths})


def content_of(name: str, architecture: str) -> bytes:
    """Return a stand-in for a download, with the members that the release takes from it."""
    if name == "kubectl" and architecture == CONTROLLER:
        return (bundle_dir() / "bin/kubectl").read_bytes()
    if name == "training_operator":
        return operator_source()
    if name == "digits":
        return gzip.compress((bundle_dir() / "data/digits.csv").read_bytes(), mtime=0)
    if name == "volcano":
        return b"kind: Namespace\n"
    holders = RELEASE["upstream"]["programs"].values()
    members = [holder["member"] for holder in holders if holder["download"] == name and "member" in holder]
    return archive({member: f"{member} {architecture}".encode() for member in members} or {name: b"x"})


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def mirror(pem: tuple[Path, Path]) -> Iterator[Upstream]:
    server = Upstream(pem[0])
    for name in RELEASE["upstream"]["downloads"]:
        for architecture in upstream.ARCHITECTURES:
            source = upstream.source(RELEASE, name, architecture)
            content = content_of(name, architecture)
            server.put("/" + source.address.removeprefix("https://"), content)
            line = f"{hashlib.sha256(content).hexdigest()}  {source.file_name}\n"
            path = "/" + source.published.removeprefix("https://")
            before = server.files[path].content if path in server.files and path.endswith("runc.sha256sum") else b""
            server.put(path, before + line.encode())
    with running(server):
        yield server


@pytest.fixture
def registry(pem: tuple[Path, Path]) -> Iterator[FakeRegistry]:
    server = FakeRegistry(pem[0])
    for ref in RELEASE["images"].values():
        repository, _colon, tag = ref.rpartition(":")
        server.image(repository, tag, ARCHITECTURE)
    with running(server):
        yield server


def test_every_address_of_the_release_is_asked_for(
    mirror: Upstream, registry: FakeRegistry, pem: tuple[Path, Path], tmp_path: Path
) -> None:
    release = yaml.safe_load((ROOT / f"releases/{RELEASE['release']}.yml").read_text())
    for entry in release["upstream"]["downloads"].values():
        # These files are stand-ins, but the operator's manifests are the real ones.
        if "tree" not in entry:
            entry.pop("sha256", None)
    # Nobody publishes sums of these beside them.
    for name in ("digits", "volcano"):
        sums = {"any": hashlib.sha256(content_of(name, ARCHITECTURE)).hexdigest()}
        release["upstream"]["downloads"][name]["sha256"] = sums
    (tmp_path / f"{RELEASE['release']}.yml").write_text(yaml.safe_dump(release))
    hosts = {ref.partition("/")[0] for ref in RELEASE["images"].values()}
    arguments = {
        "source": "upstream",
        "release": RELEASE["release"],
        "release_dirs": [str(tmp_path)],
        "architecture": ARCHITECTURE,
        # With all that a release can bring.
        "gang_scheduler": "volcano",
        "network": {
            "ca_certificates": [str(pem[1])],
            "mirror": mirror.address,
            "registries": {host: f"{registry.address}/{host}" for host in hosts},
        },
        "recipes": str(RECIPES),
        "cache": str(tmp_path / "cache"),
        "bundle": str(tmp_path / "bundle"),
        "pip": ["pip"],
    }
    task: Any = SimpleNamespace(args=arguments, check_mode=False, async_val=0, action="bundle_build")
    ActionModule(task, MagicMock(), MagicMock(), MagicMock(), MagicMock(), MagicMock()).run(task_vars={})

    index = read_index(str(tmp_path / "bundle"))
    assert {entry.source for entry in index.files} == {"upstream"}
    version = RELEASE["components"]["kubernetes"]
    paths = [asked.path for asked in mirror.asked]
    assert f"/dl.k8s.io/release/v{version}/bin/linux/{ARCHITECTURE}/kubelet" in paths
    assert f"/dl.k8s.io/release/v{version}/bin/linux/{ARCHITECTURE}/kubelet.sha256" in paths
    assert f"/dl.k8s.io/release/v{version}/bin/linux/{CONTROLLER}/kubectl" in paths
    for name, holder in RELEASE["upstream"]["programs"].items():
        if "member" in holder:
            found = (tmp_path / "bundle/bin" / name).read_text()
            assert found == f"{holder['member']} {ARCHITECTURE}"
    assert (tmp_path / "bundle/manifests/volcano.yaml").read_bytes() == content_of("volcano", ARCHITECTURE)
    # The same manifest, whichever way it came.
    for path in ("manifests/training-operator.yaml", "data/digits.csv"):
        assert (tmp_path / "bundle" / path).read_bytes() == (bundle_dir() / path).read_bytes()
