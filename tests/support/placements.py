# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the pods of jobs get their nodes, seen by a watch: no moment between two looks is missed."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any, Callable

from kubernetes import client, config

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_job import PS_JOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB

_JOB_LABELS = (TFJOB.labels.job, PS_JOB.labels.job)
_ENDED = ("Succeeded", "Failed")


class Timeline:
    """What became of the pods of each job, from one look after another. clock: in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # Job -> uid of a pod -> when it was first seen on a node.
        self._since: dict[str, dict[str, float]] = {}
        # Job -> uids of its pods that hold a node now.
        self._holding: dict[str, set[str]] = {}
        self._most: dict[str, int] = {}

    def see(self, pod: dict[str, Any], gone: bool) -> None:
        """Take one look at a pod."""
        metadata = pod["metadata"]
        labels = metadata.get("labels") or {}
        job = next((labels[label] for label in _JOB_LABELS if label in labels), None)
        if job is None or not pod["spec"].get("nodeName"):
            return
        self._since.setdefault(job, {}).setdefault(metadata["uid"], self._clock())
        holding = self._holding.setdefault(job, set())
        if gone or pod.get("status", {}).get("phase") in _ENDED:
            holding.discard(metadata["uid"])
        else:
            holding.add(metadata["uid"])
        self._most[job] = max(self._most.get(job, 0), len(holding))

    def holding(self, job: str) -> int:
        """Return how many of a job's pods hold a node now."""
        return len(self._holding.get(job, ()))

    def most(self, job: str) -> int:
        """Return how many of a job's pods held a node at once, at most."""
        return self._most.get(job, 0)

    def placed(self, job: str) -> int:
        """Return how many pods of a job ever got a node."""
        return len(self._since.get(job, ()))

    def started(self, job: str) -> float:
        """Return when the first pod of a job got a node."""
        return min(self._since[job].values())

    def whole(self, job: str) -> float:
        """Return when the last pod of a job, so far, got a node."""
        return max(self._since[job].values())

    def partly(self, job: str, least: int) -> float:
        """Return for how many seconds a job held nodes, but fewer than it needs to go on."""
        times = sorted(self._since.get(job, {}).values())
        if not times:
            return 0.0
        return (times[least - 1] if len(times) >= least else self._clock()) - times[0]


class Placements(Timeline):
    """Follows all pods of a namespace, as long as the block goes on. clock: as above."""

    def __init__(self, kubeconfig: Path, namespace: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._pods: Any = client.CoreV1Api(config.new_client_from_config(str(kubeconfig)))
        self._namespace = namespace
        self._over = threading.Event()
        self._errors: list[Exception] = []

    def __enter__(self) -> Placements:
        # All that comes after this list is seen by the watch.
        listed = self._pods.list_namespaced_pod(self._namespace)
        assert not listed.items, f"namespace {self._namespace} has pods already"
        threading.Thread(target=self._follow, args=(listed.metadata.resource_version,), daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._over.set()
        assert not self._errors, self._errors

    def _follow(self, version: str) -> None:
        try:
            while not self._over.is_set():
                version = self._watch(version)
        except Exception as error:
            if not self._over.is_set():
                self._errors.append(error)

    def _watch(self, version: str) -> str:
        """Follow for some seconds what comes after a version; return the last one."""
        # As plain JSON: the client's own objects of thousands of pods would take more time than the pods.
        options = {"watch": True, "resource_version": version, "timeout_seconds": 5, "_preload_content": False}
        answer, rest = self._pods.list_namespaced_pod(self._namespace, **options), b""
        for chunk in answer.stream(amt=None):
            *lines, rest = (rest + chunk).split(b"\n")
            for event in (json.loads(line) for line in lines if line):
                assert event["type"] != "ERROR", event
                self.see(event["object"], event["type"] == "DELETED")
                version = event["object"]["metadata"]["resourceVersion"]
        return version
