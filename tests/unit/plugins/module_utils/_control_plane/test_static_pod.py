# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.static_pod import (
    Probe,
    changed_lines,
    probe_of,
    with_membership_of,
)

RENDERED = """\
spec:
  containers:
  - command:
    - etcd
    - --initial-cluster=cp-1=https://10.0.0.1:2380
    - --initial-cluster-state=new
    - --snapshot-count=5000
"""
LIVE = """\
spec:
  containers:
  - command:
    - etcd
    - --initial-cluster=cp-1=https://10.0.0.1:2380,cp-2=https://10.0.0.2:2380
    - --initial-cluster-state=existing
    - --snapshot-count=10000
"""


def manifest(probe: str, fields: str, ports: str = "") -> str:
    lines = "".join(f"        {line}\n" for line in fields.split("; "))
    return (
        f"spec:\n  containers:\n  - command: [a]\n    {probe}:\n      httpGet:\n{lines}      periodSeconds: 1\n{ports}"
    )


def test_a_member_keeps_how_it_came_into_its_cluster_and_takes_the_rest() -> None:
    text = with_membership_of(RENDERED, LIVE)
    assert "--initial-cluster=cp-1=https://10.0.0.1:2380,cp-2=https://10.0.0.2:2380\n" in text
    assert "--initial-cluster-state=existing\n" in text
    assert "--snapshot-count=5000\n" in text
    assert "--initial-cluster-state=new" not in text


def test_the_only_member_is_taken_as_it_is_rendered() -> None:
    assert with_membership_of(RENDERED, "") == RENDERED
    assert with_membership_of(RENDERED, RENDERED) == RENDERED


@pytest.mark.parametrize(
    ("text", "probe"),
    [
        (
            manifest("readinessProbe", "host: 10.0.0.1; path: /readyz; port: 6443; scheme: HTTPS"),
            Probe(True, "10.0.0.1", 6443, "/readyz"),
        ),
        (
            manifest("livenessProbe", "path: /healthz; port: 2381; scheme: HTTP"),
            Probe(False, "127.0.0.1", 2381, "/healthz"),
        ),
        (
            manifest(
                "readinessProbe",
                "path: /readyz; port: probe-port; scheme: HTTP",
                "    ports:\n    - containerPort: 2381\n      name: probe-port\n",
            ),
            Probe(False, "127.0.0.1", 2381, "/readyz"),
        ),
        (
            manifest("readinessProbe", "host: 'fd00::1'; path: /readyz; port: 6443; scheme: HTTPS"),
            Probe(True, "fd00::1", 6443, "/readyz"),
        ),
    ],
)
def test_how_a_program_is_asked(text: str, probe: Probe) -> None:
    assert probe_of(text) == probe


def test_a_program_that_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ValueError, match="no probe"):
        probe_of("spec: {}\n")


def test_a_change_is_shown_without_what_surrounds_it() -> None:
    assert changed_lines("a\n  - --x=1\nb\n", "a\n  - --x=2\nb\n") == ["- - --x=1", "+ - --x=2"]
