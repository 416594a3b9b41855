# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real registry as a plain process, with HTTPS and a login."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import urllib3

from tests.integration.support.processes import Process, free_port
from tests.support.fake_upstream import certificate

USER = "someone:only-for-this-test"
_HTPASSWD = "someone:$2a$05$bHZTKQxL8DfGyOCtYc4SbeoUpcBtiRARsS7HKDPid97Jtun3RB3nG\n"


class RealRegistry:
    """The registry. Everything is written and read with a user and a password."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        key, self.authority = certificate(folder)
        (folder / "htpasswd").write_text(_HTPASSWD)
        self.name = f"localhost:{free_port()}"
        config = {
            "version": 0.1,
            "log": {"level": "warn"},
            "storage": {"filesystem": {"rootdirectory": str(folder / "storage")}},
            "http": {"addr": self.name, "tls": {"certificate": str(self.authority), "key": str(key)}},
            "auth": {"htpasswd": {"realm": "tests", "path": str(folder / "htpasswd")}},
        }
        # JSON is YAML, too.
        (folder / "config.yml").write_text(json.dumps(config))
        self._pool = urllib3.PoolManager(ca_certs=str(self.authority), headers=urllib3.make_headers(basic_auth=USER))
        self._process = Process("registry", ["serve", str(folder / "config.yml")], folder)
        self._process.until(self._ready)

    def stop(self) -> None:
        self._process.stop()

    def push(self, archive: Path, repository: str, tag: str) -> str:
        """Push the image of an OCI archive and return its digest."""
        with tarfile.open(archive) as opened:
            files = {member.name: opened.extractfile(member).read() for member in opened}  # type: ignore[union-attr]
        [descriptor] = json.loads(files["index.json"])["manifests"]
        manifest = files[_place(descriptor["digest"])]
        document = json.loads(manifest)
        for part in [document["config"], *document["layers"]]:
            self._push_blob(repository, part["digest"], files[_place(part["digest"])])
        self.push_manifest(repository, tag, manifest, descriptor["mediaType"])
        return str(descriptor["digest"])

    def push_manifest(self, repository: str, tag: str, content: bytes, media_type: str) -> None:
        """Push a manifest or a list of them."""
        self._send("PUT", f"/v2/{repository}/manifests/{tag}", content, media_type)

    def _push_blob(self, repository: str, digest: str, content: bytes) -> None:
        place = self._send("POST", f"/v2/{repository}/blobs/uploads/").headers["Location"]
        self._send("PUT", f"{place}&digest={digest}", content, "application/octet-stream")

    def _send(
        self, method: str, path: str, content: bytes = b"", media_type: str = ""
    ) -> urllib3.response.BaseHTTPResponse:
        address = path if path.startswith("https://") else f"https://{self.name}{path}"
        answer = self._pool.request(
            method, address, body=content, headers={**self._pool.headers, "Content-Type": media_type}
        )
        assert answer.status in (201, 202), answer.data
        return answer

    def _ready(self) -> bool:
        try:
            return self._pool.request("GET", f"https://{self.name}/v2/", retries=False).status == 200
        except urllib3.exceptions.HTTPError:
            return False


def _place(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"
