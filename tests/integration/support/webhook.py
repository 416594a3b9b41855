# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small admission webhook, for what only a real one can show."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Callable

from tests.integration.support.reviews import Reviews, authority, make_certificate

_NAME = "IP:127.0.0.1"


class Webhook(Reviews):
    """Answers for ConfigMaps of one namespace. seen: the names it was asked about."""

    def __init__(self, folder: Path, deny: Callable[[dict[str, Any]], bool]) -> None:
        super().__init__(folder, _NAME, self._judge)
        self._deny = deny
        self.seen: list[str] = []

    def _judge(self, request: dict[str, Any]) -> str:
        self.seen.append(request["object"]["metadata"]["name"])
        return "not this one" if self._deny(request["object"]) else ""

    @staticmethod
    def any_certificate() -> str:
        """Return a CA bundle that is well formed."""
        with tempfile.TemporaryDirectory() as folder:
            return authority(make_certificate(Path(folder), _NAME)[1])

    def configuration(self, name: str, namespace: str, group: str = "", resource: str = "configmaps") -> dict[str, Any]:
        """Return the configuration that sends the server here with new objects of one kind."""
        client = {"url": f"https://{self.address}:{self.port}/", "caBundle": self.authority}
        rule = {"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": [resource]}
        hook = {
            "name": f"{name}.example.test",
            "clientConfig": client,
            "rules": [rule],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "failurePolicy": "Fail",
        }
        kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
        return {**kind, "metadata": {"name": name}, "webhooks": [hook]}
