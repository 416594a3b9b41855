# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What objects are rendered for: the newest Kubernetes, or a cluster that is asked once."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

from .errors import ApiError
from .store import Store, served

# What was asked: ("serves", API version, kind) or ("is_at_least", minor version).
Question = Tuple[Any, ...]


class Cluster:
    """The newest Kubernetes with everything that it may serve: what is assumed until there is a connection."""

    def serves(self, api_version: str, kind: str) -> bool:
        """Return True if there is such a kind."""
        return True

    def is_at_least(self, minor: int) -> bool:
        """Return True if it is Kubernetes 1.minor or newer."""
        return True

    def agrees(self, answers: Mapping[Question, bool]) -> bool:
        """Return True if its own answers to these questions are the same."""
        return all(getattr(self, name)(*details) == answer for (name, *details), answer in answers.items())


NEWEST = Cluster()


class LiveCluster(Cluster):
    """A cluster that is there. It is asked only what a renderer asks, and once. Its methods raise ApiError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # None until it was read; empty where the server does not tell.
        self._minor: Optional[str] = None

    def serves(self, api_version: str, kind: str) -> bool:
        """Return True if there is such a kind."""
        return served(self._store, api_version, kind)

    def is_at_least(self, minor: int) -> bool:
        """Return True if it is Kubernetes 1.minor or newer; who may not ask is on a server of today."""
        if self._minor is None:
            self._minor = self._read_minor()
        return not self._minor or int(self._minor) >= minor

    def _read_minor(self) -> str:
        try:
            version: Mapping[str, Any] = self._store.client.call("GET", "/version")
        except ApiError as error:
            if error.status != 403:
                raise
            return ""
        # Some vendors write 26+, and builds of one's own nothing.
        return "".join(filter(str.isdigit, str(version["minor"])))


class RecordingCluster(Cluster):
    """Answers as another cluster does. answers: what was asked, and the answer."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.answers: Dict[Question, bool] = {}

    def serves(self, api_version: str, kind: str) -> bool:
        """Return what the other cluster answers."""
        answer = self.answers["serves", api_version, kind] = self._cluster.serves(api_version, kind)
        return answer

    def is_at_least(self, minor: int) -> bool:
        """Return what the other cluster answers."""
        answer = self.answers["is_at_least", minor] = self._cluster.is_at_least(minor)
        return answer
