# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Open a node's ports in the words of the firewall that the host runs, and close them again.

Python 3.8, standard library only. Everything of ours bears one name there, so that only it is ever removed.
"""

from __future__ import annotations

import ipaddress
import shlex
from dataclasses import dataclass, field
from typing import Dict, List, Mapping, Optional, Sequence

from .._common.command import Runner, must
from .._common.host import Host
from .._common.owned_files import FileChange, apply, plan
from .ports import Port

NAME = "mlstack"
UFW_MARK = f" comment '{NAME}'"
# A policy judges what comes to the host besides the zones; packets of pods get a zone of their own.
POLICY, ZONE = f"/etc/firewalld/policies/{NAME}.xml", f"/etc/firewalld/zones/{NAME}-pods.xml"
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!-- Written by trainyard.mlstack; a change made here is lost. -->\n'


@dataclass(frozen=True)
class FirewallPlan:
    """What is to be done: commands of ufw, files of firewalld, and whether firewalld must read them anew."""

    manager: str = ""
    commands: Sequence[Sequence[str]] = ()
    files: Sequence[FileChange] = ()
    reload: bool = False
    before: Sequence[str] = field(default_factory=tuple)
    after: Sequence[str] = field(default_factory=tuple)

    @property
    def empty(self) -> bool:
        """Say whether there is nothing to do."""
        return not (self.commands or self.files or self.reload)

    def diff(self) -> List[Dict[str, str]]:
        """Return the change in the form that Ansible shows."""
        if self.manager == "ufw":
            shown = {"before_header": "ufw", "after_header": "ufw"}
            texts = {"before": self.before, "after": self.after}
            return [{**shown, **{key: "".join(f"{line}\n" for line in lines) for key, lines in texts.items()}}]
        return [change.diff() for change in self.files]


def own_networks(routes: Sequence[Mapping[str, str]], addresses: Sequence[str]) -> List[str]:
    """Return the networks on a host's own links in which its addresses lie.

    routes: as node_info tells them.
    """
    links = [ipaddress.ip_network(route["network"]) for route in routes if not route["gateway"]]
    own = [ipaddress.ip_address(address) for address in addresses]
    found = [str(link) for link in links if link.prefixlen < link.max_prefixlen and any(one in link for one in own)]
    return list(dict.fromkeys(found))


def make_plan(
    run: Runner, host: Host, ports: Sequence[Port], sources: Sequence[str], pods: Sequence[str]
) -> FirewallPlan:
    """Return what opens the ports, and closes whatever else of ours is open; without ports and pods all is closed.

    sources: networks of the nodes. pods: networks of the pods, which may reach the host and beyond.
    Raises CommandError.
    """
    # Either program may be installed without being in use.
    if host.exists("/usr/sbin/ufw") and "Status: active" in run(["ufw", "status"])[1]:
        return _ufw(run, _ufw_rules(ports, sources, pods))
    if host.exists("/usr/bin/firewall-cmd") and run(["firewall-cmd", "--state"])[0] == 0:
        return _firewalld(run, host, ports, sources, pods)
    return FirewallPlan()


def carry_out(run: Runner, wanted: FirewallPlan) -> None:
    """Do what the plan says; started again after a kill, the rest is planned and done. Raises CommandError."""
    for command in wanted.commands:
        must(run, command)
    apply(wanted.files)
    if wanted.reload:
        must(run, ["firewall-cmd", "--reload"])


def _ufw_rules(ports: Sequence[Port], sources: Sequence[str], pods: Sequence[str]) -> List[str]:
    """Return the rules as `ufw show added` prints them."""
    rules = []
    for port in ports:
        number = port.port.replace("-", ":")
        if port.users == "all":
            rules.append(f"ufw allow {number}/{port.protocol}")
        else:
            rules += [f"ufw allow from {net} to any port {number} proto {port.protocol}" for net in sources]
    for network in pods:
        rules += [f"ufw allow from {network}", f"ufw route allow from {network}", f"ufw route allow to {network}"]
    return rules


def _ufw(run: Runner, wanted: Sequence[str]) -> FirewallPlan:
    lines = [line.strip() for line in must(run, ["ufw", "show", "added"]).splitlines() if line.startswith("ufw ")]
    ours = [line[: -len(UFW_MARK)] for line in lines if line.endswith(UFW_MARK)]
    # A rule that the site has made itself is good for us, and stays when we go.
    missing = [rule for rule in wanted if rule not in ours and rule not in lines]
    surplus = [rule for rule in ours if rule not in wanted]
    commands = [[*shlex.split(rule), "comment", NAME] for rule in missing]
    commands += [shlex.split(rule.replace("allow ", "delete allow ", 1)) for rule in surplus]
    after = [rule for rule in ours if rule not in surplus] + missing
    return FirewallPlan("ufw", commands, before=sorted(ours), after=sorted(after))


def _firewalld(
    run: Runner, host: Host, ports: Sequence[Port], sources: Sequence[str], pods: Sequence[str]
) -> FirewallPlan:
    wanted = {POLICY: _policy(ports, sources) if ports else None, ZONE: _zone(pods) if pods else None}
    files = [{"path": host.path(path), "content": text, "mode": "0644"} for path, text in wanted.items() if text]
    changes = plan(files, [host.path(path) for path, text in wanted.items() if not text])
    return FirewallPlan("firewalld", files=changes, reload=bool(changes) or _is_stale(run, wanted))


def _is_stale(run: Runner, wanted: Mapping[str, Optional[str]]) -> bool:
    """Say whether what firewalld runs is not what its files say: an earlier run was killed between the two."""
    for kind, path, name in (("policy", POLICY, NAME), ("zone", ZONE, f"{NAME}-pods")):
        _status, running, _err = run(["firewall-cmd", f"--info-{kind}={name}"])
        if wanted[path] is None:
            if running.startswith(name):
                return True
            continue
        _status, filed, _err = run(["firewall-cmd", "--permanent", f"--info-{kind}={name}"])
        # The first line tells whether it is active, which only the running one can be.
        if running.splitlines()[1:] != filed.splitlines()[1:]:
            return True
    return False


def _policy(ports: Sequence[Port], sources: Sequence[str]) -> str:
    lines = ['<policy target="CONTINUE">', f"  <short>{NAME}</short>", '  <ingress-zone name="ANY"/>']
    lines.append('  <egress-zone name="HOST"/>')
    for port in ports:
        listened = f'<port port="{port.port}" protocol="{port.protocol}"/>'
        if port.users == "all":
            lines.append(f"  {listened}")
        for network in sources if port.users != "all" else ():
            family = f"ipv{ipaddress.ip_network(network, strict=False).version}"
            lines.append(f'  <rule family="{family}"><source address="{network}"/>{listened}<accept/></rule>')
    return HEAD + "\n".join([*lines, "</policy>", ""])


def _zone(pods: Sequence[str]) -> str:
    sources = [f'  <source address="{network}"/>' for network in pods]
    return HEAD + "\n".join(['<zone target="ACCEPT">', f"  <short>{NAME}-pods</short>", *sources, "</zone>", ""])
