# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What kubeadm keeps of a cluster's settings in the cluster itself. Python 3.8, standard library only.

kubeadm renders what it would store; this reads that text, compares it with what is stored, and has kubeadm store it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import textwrap
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

from .._common.owned_files import FileState, write
from .kubeadm import KUBECTL, Layout
from .settings_plan import Runner, SettingsError, write_documents

NAMESPACE = "kube-system"
# On the pods of kube-proxy: the sum of the configuration that they were started with.
ANNOTATION = "trainyard.mlstack/settings-sha256"
# ConfigMap -> phase of kubeadm that stores it.
UPLOADED = {"kubeadm-config": "kubeadm", "kubelet-config": "kubelet"}
PROXY = "kube-proxy"
TRIES = 3


class Plan(NamedTuple):
    """stored: ConfigMap -> key -> text there and text wanted, of those that differ.

    restart_proxy: whether kube-proxy's pods were started with another configuration than the one that is wanted.
    rewrite: whether secrets have not been written again since their encryption was switched over.
    """

    stored: Dict[str, Dict[str, List[str]]]
    restart_proxy: bool
    rewrite: bool

    @property
    def changed(self) -> bool:
        return bool(self.stored) or self.restart_proxy or self.rewrite

    def steps(self) -> List[str]:
        """Return what `apply` will do, one line each."""
        stored = ["stored: " + ", ".join(sorted(self.stored))] if self.stored else []
        return stored + (["pods of kube-proxy: started again"] if self.restart_proxy else [])

    def diff(self, provider: str) -> List[Dict[str, str]]:
        """Return the plan in the form that Ansible shows."""
        shown = []
        for name, keys in sorted(self.stored.items()):
            for key, (before, after) in sorted(keys.items()):
                header = f"ConfigMap {NAMESPACE}/{name}: {key}"
                shown.append({"before_header": header, "after_header": header, "before": before, "after": after})
        if self.rewrite:
            header = "secrets in etcd"
            after = f"written again, provider {provider}\n"
            shown.append({"before_header": header, "after_header": header, "before": "", "after": after})
        return shown


def make_plan(layout: Layout, documents: Sequence[Mapping[str, Any]], provider: str, scratch: str, run: Runner) -> Plan:
    """Return what differs. provider: of the encryption of secrets. scratch: an empty folder of root's own."""
    live = _live(layout, run)
    wanted = _wanted(layout, documents, scratch, run)
    stored: Dict[str, Dict[str, List[str]]] = {}
    for name, keys in wanted.items():
        # A cluster without kube-proxy, or one that kubeadm did not make, is not given what it lacks.
        there = live.get(f"ConfigMap/{name}")
        if there is None:
            continue
        data = there.get("data") or {}
        different = {key: [data.get(key, ""), text] for key, text in keys.items() if data.get(key, "") != text}
        if different:
            stored[name] = different
    restart = PROXY in stored or _proxy_is_older(live)
    return Plan(stored, restart, _rewritten_for(layout) != provider)


def apply(layout: Layout, plan: Plan, documents: Sequence[Mapping[str, Any]], scratch: str, run: Runner) -> None:
    """Store what differs. Raises SettingsError."""
    config = write_documents(os.path.join(scratch, "upload.yaml"), documents)
    for name, phase in UPLOADED.items():
        if name in plan.stored:
            run([layout.kubeadm, "init", "phase", "upload-config", phase, "--config", config], {})
    if PROXY in plan.stored:
        data = {key: texts[1] for key, texts in plan.stored[PROXY].items()}
        _patch(layout, run, "configmap", {"metadata": {"annotations": {ANNOTATION: _sum(data)}}, "data": data})
    if plan.restart_proxy:
        there = _live(layout, run)[f"ConfigMap/{PROXY}"]
        marked = (there["metadata"].get("annotations") or {}).get(ANNOTATION)
        if marked is None:
            # Somebody has replaced the ConfigMap, the mark with it.
            marked = _sum(there.get("data") or {})
            _patch(layout, run, "configmap", {"metadata": {"annotations": {ANNOTATION: marked}}})
        _patch(layout, run, "daemonset", {"spec": {"template": {"metadata": {"annotations": {ANNOTATION: marked}}}}})


def rewrite_secrets(layout: Layout, provider: str, replace: Callable[[], Optional[str]]) -> None:
    """Have every secret written again, so that it lies in etcd as it should, and remember that.

    replace: does it once; returns None, or why some were left. Raises SettingsError when secrets are left.
    """
    # One that changed in between is written by whoever changed it, and refused here: the next try finds it in order.
    left = None
    for _try in range(TRIES):
        left = replace()
        if left is None:
            break
    else:
        raise SettingsError(f"some secrets could not be written again, run the playbook once more: {left}")
    write(_record(layout), FileState(json.dumps({"secrets": provider}), "0600"))


def blocks(text: str) -> Dict[str, str]:
    """Return the texts that a YAML document holds as literal blocks, by their keys.

    kubeadm writes the data of a ConfigMap in this form. A block that ends with a line break has one in its text.
    """
    found = {}
    for match in re.finditer(r"^( +)([\w.-]+): \|(-?)\n((?:\1 +.*\n|\n)+)", text, re.MULTILINE):
        content = textwrap.dedent(match.group(4)).rstrip("\n")
        found[match.group(2)] = content + ("" if match.group(3) else "\n")
    return found


def _wanted(
    layout: Layout, documents: Sequence[Mapping[str, Any]], scratch: str, run: Runner
) -> Dict[str, Dict[str, str]]:
    config = write_documents(os.path.join(scratch, "kubeadm.yaml"), documents)
    # A dry run takes the way to the API server from the folder of the dry run.
    folder = os.path.join(scratch, "dry-run")
    os.mkdir(folder, 0o700)
    os.symlink(layout.admin, os.path.join(folder, "admin.conf"))
    command = [layout.kubeadm, "init", "phase", "upload-config", "all", "--dry-run", "--config", config]
    uploaded, _warnings = run(command, {"KUBEADM_INIT_DRYRUN_DIR": folder})
    command = [layout.kubeadm, "init", "phase", "addon", "kube-proxy", "--print-manifest", "--config", config]
    addon, _warnings = run(command, {})
    wanted = {}
    for part in re.split(r"^(?:---|\[.*)$", uploaded + "---\n" + addon, flags=re.MULTILINE):
        name = re.search(r"^metadata:\n(?:  .*\n)*?  name: (\S+)$", part, re.MULTILINE)
        if name and re.search(r"^kind: ConfigMap$", part, re.MULTILINE) and name.group(1) in [*UPLOADED, PROXY]:
            wanted[name.group(1)] = blocks(part)
    missing = {*UPLOADED, PROXY} - set(wanted)
    if missing:
        raise SettingsError(f"kubeadm does not show what it would store in {', '.join(sorted(missing))}")
    return wanted


def _live(layout: Layout, run: Runner) -> Dict[str, Dict[str, Any]]:
    names = [f"configmap/{name}" for name in [*UPLOADED, PROXY]] + [f"daemonset/{PROXY}"]
    listed, _warnings = run([*_kubectl(layout), "get", *names, "--ignore-not-found", "--output", "json"], {})
    found = json.loads(listed) if listed.strip() else {}
    return {f"{item['kind']}/{item['metadata']['name']}": item for item in found.get("items", [])}


def _proxy_is_older(live: Mapping[str, Mapping[str, Any]]) -> bool:
    """Tell whether a run was killed between the change of the configuration and that of the pods."""
    config, pods = (live.get(f"{kind}/{PROXY}") for kind in ("ConfigMap", "DaemonSet"))
    if config is None or pods is None:
        return False
    changed_to = (config["metadata"].get("annotations") or {}).get(ANNOTATION)
    started_with = (pods["spec"]["template"]["metadata"].get("annotations") or {}).get(ANNOTATION)
    return bool(changed_to != started_with)


def _patch(layout: Layout, run: Runner, kind: str, patch: Mapping[str, Any]) -> None:
    run([*_kubectl(layout), "patch", kind, PROXY, "--type", "merge", "--patch", json.dumps(patch)], {})


def _kubectl(layout: Layout) -> List[str]:
    return [KUBECTL, "--kubeconfig", layout.admin, "--namespace", NAMESPACE]


def _sum(data: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def _record(layout: Layout) -> str:
    return os.path.join(layout.own, "cluster.json")


def _rewritten_for(layout: Layout) -> Optional[str]:
    try:
        with open(_record(layout), encoding="utf-8") as handle:
            return str(json.load(handle)["secrets"])
    except FileNotFoundError:
        return None
