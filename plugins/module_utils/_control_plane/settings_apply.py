# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring changed settings to the processes of a control plane, or back again. Python 3.8, standard library only.

A journal holds the manifest that is being replaced from before the first change until the new process answers. So a
run that was killed in between is ended by the next one, with the old manifest still at hand.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from .kubeadm import Layout
from .settings_plan import Runner, SettingsError, read
from .static_pod import Probe, changed_lines, probe_of

CRICTL = "/usr/local/bin/crictl"
LAST_WORDS = 8
# One end may be the fault of another program that restarts at the same time; two are its own.
ENDS_THAT_TELL = 2


class Container(NamedTuple):
    """id: as containerd has it. running: whether it runs. created: nanoseconds since the epoch."""

    id: str
    running: bool
    created: int


class Tools(NamedTuple):
    """What the work needs from the host; a test gives others.

    ready: asks a probe. say: tells what is done now. clock: nanoseconds since the epoch. sleep: seconds.
    """

    run: Runner
    ready: Callable[[Probe], bool]
    say: Callable[[str], None]
    clock: Callable[[], int] = time.time_ns
    sleep: Callable[[float], None] = time.sleep


def pending(layout: Layout) -> Optional[str]:
    """Return the component whose change an earlier run began and did not end."""
    journal = _read_journal(layout)
    return str(journal["component"]) if journal else None


def restart(layout: Layout, tools: Tools, component: str, wanted: str, timeout: float) -> None:
    """Write a component's manifest and wait until the process made from it is ready.

    timeout: seconds. Raises SettingsError when it does not get ready; the old manifest is back in place then.
    """
    path = layout.manifest(component)
    journal = _read_journal(layout)
    if journal and journal["component"] == component and read(path) == wanted:
        since = int(journal["since"])
    else:
        since = tools.clock()
        # What a killed run was replacing is the last manifest that was known to work.
        previous = journal["previous"] if journal and journal["component"] == component else read(path)
        journal = {"component": component, "previous": previous, "since": since}
        _write(layout.journal, json.dumps(journal))
        _write(path, wanted)
    tools.say(f"{component}: waiting for the process with the new settings")
    trouble = _await_new(tools, component, wanted, since, timeout)
    if trouble is not None:
        _put_back(layout, tools, component, str(journal["previous"]), timeout)
        raise SettingsError(_failure(component, str(journal["previous"]), wanted, trouble))
    os.unlink(layout.journal)


def renew_certificate(layout: Layout, folder: str) -> None:
    """Put a new pair of certificate and key in place.

    The key goes first: until the certificate follows, the names of the old one show the next run that work is left.
    """
    for name in ("apiserver.key", "apiserver.crt"):
        mode = 0o600 if name.endswith(".key") else 0o644
        _write(layout.pki(name), read(os.path.join(folder, name)), mode)


def await_served(
    served: Callable[[Probe], Any], wanted: Any, tools: Tools, component: str, manifest: str, timeout: float
) -> None:
    """Wait until a process has taken over its new certificate by itself; else stop it, so that the kubelet starts it.

    served: what the process shows of itself. wanted: what it shall show.
    """
    probe = probe_of(manifest)
    deadline = tools.clock() + int(timeout * 1e9)
    while served(probe) != wanted:
        if tools.clock() > deadline:
            since = tools.clock()
            for container in _containers(tools.run, component):
                if container.running:
                    tools.run([CRICTL, "stop", container.id], {})
            trouble = _await_new(tools, component, manifest, since, timeout)
            if trouble is not None:
                raise SettingsError(f"{component} does not come back with its new certificate: {trouble}")
            return
        tools.sleep(0.5)


def _await_new(tools: Tools, component: str, manifest: str, since: int, timeout: float) -> Optional[str]:
    """Return None when a process younger than `since` is ready, else what is known of why there is none."""
    probe, deadline = probe_of(manifest), tools.clock() + int(timeout * 1e9)
    while True:
        young = [container for container in _containers(tools.run, component) if container.created >= since]
        if any(container.running for container in young) and tools.ready(probe):
            return None
        ended = [container for container in young if not container.running]
        if len(ended) >= ENDS_THAT_TELL or tools.clock() > deadline:
            return _last_words(tools.run, young, timeout)
        tools.sleep(0.5)


def _put_back(layout: Layout, tools: Tools, component: str, previous: str, timeout: float) -> None:
    """Write the old manifest and wait for its process, which may be the one that never went away."""
    tools.say(f"{component}: does not come up, going back to the settings before")
    bad = {container.id for container in _containers(tools.run, component)}
    since = tools.clock()
    _write(layout.manifest(component), previous)
    trouble = _await_new(tools, component, previous, since, timeout)
    still = [item for item in _containers(tools.run, component) if item.running and item.id in bad]
    if trouble is not None and not (still and tools.ready(probe_of(previous))):
        raise SettingsError(
            f"{component} came up neither with its new settings nor with those before, which are in place again: "
            f"{trouble}\nLook at the kubelet first: journalctl -u kubelet -n 50"
        )
    os.unlink(layout.journal)


def _failure(component: str, previous: str, wanted: str, trouble: str) -> str:
    changes = "\n".join(f"  {line}" for line in changed_lines(previous, wanted))
    return (
        f"{component} does not come up with its new settings and runs with those before again. The change was:\n"
        f"{changes}\n{trouble}\nCorrect it in the inventory (kubernetes_*_arguments, kubernetes_feature_gates, "
        "kubernetes_audit_policy) and run the playbook again"
    )


def _last_words(run: Runner, young: Sequence[Container], timeout: float) -> str:
    if not young:
        return f"The kubelet made no container of it within {timeout:.0f} s: journalctl -u kubelet -n 50"
    # The newest may not have come to speak yet, and the kubelet removes old ones at any time.
    for container in sorted(young, key=lambda container: container.created, reverse=True):
        lines = [line for line in _log(run, container).splitlines() if line.strip()]
        # A program that refuses to start says why in one line of its own; klog's are of use where there is none.
        errors = [line for line in lines if line.startswith(("Error", "error", "F", "E", "panic"))] or lines
        if errors:
            return "\n".join(["Its last words:", *(f"  {line}" for line in errors[-LAST_WORDS:])])
    return "It ended without a word"


def _log(run: Runner, container: Container) -> str:
    """Return the end of a container's log, nothing when the container is gone."""
    try:
        return "".join(run([CRICTL, "logs", "--tail", "40", container.id], {}))
    except SettingsError:
        return ""


def _containers(run: Runner, component: str) -> List[Container]:
    listed, _warnings = run([CRICTL, "ps", "--all", "--name", f"^{component}$", "--output", "json"], {})
    found = json.loads(listed or "{}")
    return [
        Container(item["id"], item["state"] == "CONTAINER_RUNNING", int(item["createdAt"]))
        for item in found.get("containers") or []
    ]


def _read_journal(layout: Layout) -> Dict[str, Any]:
    text = read(layout.journal)
    return dict(json.loads(text)) if text else {}


def _write(path: str, text: str, mode: int = 0o600) -> None:
    """Replace a file in one step. The kubelet looks at each file of its folder that does not begin with a dot."""
    temporary = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.mlstack-new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    os.replace(temporary, path)
