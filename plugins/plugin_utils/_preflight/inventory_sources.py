# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of the inventory themselves: what Ansible drops with no more than a warning, or reads in part."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import yaml
from ansible.errors import AnsibleError
from ansible.inventory.data import InventoryData
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import inventory_loader

from ...module_utils._common.problem import Problem, Rule

NOT_PARSED = Rule(
    "inventory file",
    "Ansible cannot parse it and goes on without it, or with a part of it: {reason}",
    "Correct it, and look at what Ansible makes of it: ansible-inventory -i {path} --graph",
)
NUMBER_AS_NAME = Rule(
    "inventory file",
    "in YAML a name of digits is a number unless it is quoted, and Ansible drops the whole file",
    "Write it as '{name}': below {where}",
)
CUT_OFF = Rule(
    "{name}",
    "in an INI inventory a # ends the host line, so the password arrives cut off",
    "Quote it twice: {name}='\"<password>\"'",
)
# What Ansible itself passes over in a folder, and folders that hold variables instead of hosts.
PASSED_OVER = re.compile(r"(^\.|~$|\.(orig|ini~|cfg|retry|pyc|pyo|bak|swp|md|rst)$)")
VARIABLES = ("group_vars", "host_vars")
YAML = (".yml", ".yaml", ".json")
SECRET = re.compile(r"\b(ansible_(?:become_|sudo_|ssh_)?pass(?:word)?)=([^\s\"'#]*)#")


def source_problems(sources: Sequence[str]) -> list[Problem]:
    """Return what is wrong with the files among the sources; scripts and plugins' configurations are Ansible's."""
    return [problem for source in sources for path in _files(source) for problem in _file_problems(path)]


def _files(source: str) -> Iterator[str]:
    if os.path.isdir(source):
        for name in sorted(os.listdir(source)):
            if not PASSED_OVER.search(name) and name not in VARIABLES:
                yield from _files(os.path.join(source, name))
    elif os.path.isfile(source) and not os.access(source, os.X_OK):
        yield source


def _file_problems(path: str) -> list[Problem]:
    try:
        with open(path, encoding="utf-8") as handle:
            text = handle.read()
    except (OSError, UnicodeDecodeError):
        return []
    if text.startswith("$ANSIBLE_VAULT") or path.endswith(".toml"):
        return []
    document = _yaml(text) if path.endswith(YAML) else None
    if isinstance(document, dict) and "plugin" in document:
        return []
    numbers = [NUMBER_AS_NAME.broken(path, name=name, where=where) for name, where in _numbers(document, "the top")]
    # What the number breaks needs no second problem.
    reason = "" if numbers else _reason(path)
    unparsed = [NOT_PARSED.broken(path, reason=reason, path=path)] if reason else []
    return numbers + unparsed + ([] if path.endswith(YAML) else _secrets(text))


def _yaml(text: str) -> Any:
    class Loader(yaml.SafeLoader):
        """Reads tags of Ansible, such as !vault, as what they hold."""

    Loader.add_multi_constructor("!", lambda loader, suffix, node: None)
    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError:
        return None


def _numbers(document: Any, where: str) -> Iterator[tuple[str, str]]:
    """Yield each name of a group or host that is no text, and the name of what it lies below."""
    if not isinstance(document, dict):
        return
    for name, below in document.items():
        if not isinstance(name, str):
            yield str(name), where
        for kind in ("hosts", "children"):
            if isinstance(below, dict) and kind in below:
                if kind == "children":
                    yield from _numbers(below[kind], f"{name}.{kind}")
                elif isinstance(below[kind], dict):
                    yield from ((str(host), f"{name}.{kind}") for host in below[kind] if not isinstance(host, str))


def _reason(path: str) -> str:
    """Return why neither of Ansible's two parsers of files takes the file; empty when one does."""
    plugins = ("yaml",) if path.endswith(YAML) else ("ini",) if os.path.splitext(path)[1] else ("yaml", "ini")
    reason = ""
    for name in plugins:
        try:
            inventory_loader.get(name).parse(InventoryData(), DataLoader(), path, cache=False)
        except AnsibleError as error:
            reason = _said(error)
        except Exception as error:
            reason = str(error)
        else:
            return ""
    return reason


def _said(error: AnsibleError) -> str:
    """Return what Ansible says as near as possible to the root of the error."""
    chain: list[BaseException] = [error]
    while chain[-1].__cause__:
        chain.append(chain[-1].__cause__)
    root = next(link for link in reversed(chain) if isinstance(link, AnsibleError))
    return " ".join(root.message.split()).rstrip(".")


def _secrets(text: str) -> list[Problem]:
    """Return a problem for each password on a host line that a # cuts off."""
    problems, section = [], ""
    for line in text.splitlines():
        header = re.match(r"\s*\[(.*)\]", line)
        if header:
            section = header.group(1)
        elif not section.endswith((":vars", ":children")) and not line.lstrip().startswith(("#", ";")):
            host = line.split()[0] if line.split() else ""
            found = SECRET.search(line)
            if found and "#" not in line[: found.start()]:
                problems.append(CUT_OFF.broken("cut off at #", host, name=found.group(1)))
    return problems
