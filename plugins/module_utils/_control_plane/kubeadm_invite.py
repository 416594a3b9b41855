# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a control plane does before another host becomes one too. Python 3.8, standard library only."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Callable, Dict, Iterator, List, Sequence, Tuple

from .._common.owned_files import FileState, write
from .etcd_client import Etcd, EtcdError
from .etcd_members import plan
from .kubeadm import KUBECTL, Layout

# What all control planes have in common; kubeadm makes the rest from these.
AUTHORITIES = (
    "ca.crt", "ca.key", "sa.pub", "sa.key", "front-proxy-ca.crt", "front-proxy-ca.key", "etcd/ca.crt", "etcd/ca.key",
)
PAUSE_SECONDS = 3.0
# Runs a command; returns its status, output and errors, as AnsibleModule.run_command does.
Runner = Callable[[List[str]], Tuple[int, str, str]]


class InviteError(Exception):
    """No control plane can join now, for a reason that the user can read as it stands."""


def read_authorities(layout: Layout) -> Dict[str, str]:
    """Return path below the folder of certificates -> content. Raises OSError."""
    found = {}
    for name in AUTHORITIES:
        with open(layout.pki(name), encoding="utf-8") as handle:
            found[name] = handle.read()
    return found


@contextlib.contextmanager
def invited(layout: Layout, discovery: str, authorities: Dict[str, str]) -> Iterator[None]:
    """Lay out an invitation for kubeadm; the file with the token is gone afterwards. An empty one is none."""
    if authorities:
        _write_authorities(layout, authorities)
    try:
        if discovery:
            write(layout.discovery, FileState(discovery, "0600"))
        yield
    finally:
        if discovery:
            os.unlink(layout.discovery)


def _write_authorities(layout: Layout, authorities: Dict[str, str]) -> None:
    for name in AUTHORITIES:
        write(layout.pki(name), FileState(authorities[name], "0644" if name.endswith((".crt", ".pub")) else "0600"))


def make_room(layout: Layout, etcd: Etcd, run: Runner, name: str, address: str, timeout: float) -> List[str]:
    """Remove what is left of the node `name`, and members of etcd whose node was deleted; return what was removed.

    timeout: seconds that a member which has just been started gets to answer. Raises InviteError.
    """
    deadline = time.monotonic() + timeout
    kubectl = [KUBECTL, "--kubeconfig", layout.admin]
    while True:
        try:
            members = etcd.members()
            found = plan(members, etcd.answering(members), _nodes(run, kubectl), name, address)
            problem = found.problem
        except EtcdError as error:
            problem = f"etcd does not answer: {error}. Look at it first: crictl logs $(crictl ps --quiet --name etcd)"
        if problem is None:
            break
        if time.monotonic() > deadline:
            raise InviteError(problem)
        time.sleep(PAUSE_SECONDS)
    try:
        for member in found.remove:
            etcd.remove(member)
    except EtcdError as error:
        raise InviteError(f"etcd does not let go of a member that is left over: {error}") from None
    # A node that is Ready still, for the minute after its kubelet died, would make kubeadm refuse the join.
    status, _out, errors = run(kubectl + ["delete", "node", name, "--ignore-not-found", "--wait=false"])
    if status != 0:
        raise InviteError(f"the node {name} of an earlier life cannot be deleted: {errors.strip()}")
    return [str(member) for member in found.remove]


def _nodes(run: Runner, kubectl: Sequence[str]) -> List[str]:
    status, out, errors = run([*kubectl, "get", "nodes", "--output", "jsonpath={.items[*].metadata.name}"])
    if status != 0:
        raise EtcdError(errors.strip())
    return out.split()
