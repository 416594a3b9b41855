#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: container_image
short_description: "Internal: Import container images of a bundle on a node"
description:
  - Imports OCI archives of a bundle into containerd, where the kubelet finds them under the names that manifests use.
  - An image counts as present when its reference has the digest that the bundle's index names. Only images that the
    node lacks travel. The import goes on by itself when the controller dies; the next run waits for it.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Compares digests and transfers nothing. Without a running containerd every image counts as missing.
  diff_mode:
    support: full
    description: Shows the digest of each reference before and after.
options:
  bundle:
    description: Folder of the bundle on the controller.
    type: path
    required: true
  images:
    description: Names of the images in the release, such as C(kube-proxy).
    type: list
    elements: raw
    required: true
  pinned:
    description: Whether the kubelet's image garbage collection must leave the images alone.
    type: bool
    default: true
  timeout:
    description:
      - Seconds until the controller stops waiting for the import.
      - The default is 20 times what the largest image of a release takes on a loaded two-core node.
    type: int
    default: 1200
  url:
    description:
      - Address at which a web server serves the bundle's folder. The node fetches the archives that it lacks from
        there, over its own proxies (C(/etc/mlstack/proxy.env)); the sums are still those of the controller's index.
      - Empty means that archives travel through the controller.
    type: str
    default: ""
  incoming:
    description: Set by the action plugin, the folder on the node where the transferred archives lie; not for playbooks.
    type: path
"""

EXAMPLES = r"""
- name: Import what every node runs
  trainyard.mlstack.container_image:
    bundle: "{{ mlstack_bundle_dir }}"
    images: [pause, kube-proxy, flannel]
"""

RETURN = r"""
imported:
  description: References that were imported, or would be in check mode.
  type: list
  elements: str
  returned: success
  sample: ["registry.k8s.io/pause:3.10.2"]
"""

import os
from typing import Any, Callable, Dict, List, Tuple

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.containerd_images import (
    Held,
    differing,
    parse_list,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.fetch import Server
from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.image_import import (
    clear,
    from_folder,
    from_server,
    import_all,
    pin,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.background import Progress, running, start

CTR = ["/usr/local/bin/ctr", "--namespace", "k8s.io", "images"]

SPEC = {
    "bundle": {"type": "path", "required": True},
    "images": {"type": "list", "elements": "raw", "required": True},
    "pinned": {"type": "bool", "default": True},
    "timeout": {"type": "int", "default": 1200},
    "url": {"type": "str", "default": ""},
    "incoming": {"type": "path"},
}


def ctr(module: AnsibleModule) -> Callable[[List[str]], Tuple[int, str, str]]:
    """Return what runs `ctr images` and returns status, output and errors; 127 when it is not installed."""

    def run(arguments: List[str]) -> Tuple[int, str, str]:
        if not os.path.exists(CTR[0]):
            return 127, "", f"{CTR[0]} is not there: run the role containerd first"
        answer: Tuple[int, str, str] = module.run_command(CTR + arguments)
        return answer

    return run


def outcome(lacking: List[Dict[str, Any]], unpinned: List[Dict[str, Any]], held: Dict[str, Held]) -> Dict[str, Any]:
    """Return the module's result for what is, or would be, done."""

    def describe(image: Dict[str, Any]) -> str:
        now = held.get(image["ref"])
        return "absent" if now is None else now.digest + (" pinned" if now.pinned else "")

    touched = lacking + unpinned
    return {
        "changed": bool(touched),
        "imported": [image["ref"] for image in lacking],
        "diff": {
            "before": "".join(f"{image['ref']} {describe(image)}\n" for image in touched),
            "after": "".join(f"{image['ref']} {image['digest']}\n" for image in touched),
        },
    }


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    images, pinned = module.params["images"], module.params["pinned"]
    url, incoming = module.params["url"], module.params["incoming"] or ""
    run = ctr(module)
    status, out, errors = run(["ls"])
    if status != 0 and not module.check_mode:
        module.fail_json(msg=f"containerd does not answer: {errors.strip()}")
    held = parse_list(out)
    lacking, unpinned = differing(images, held, pinned)
    result = outcome(lacking, unpinned, held)
    if not result["changed"] or module.check_mode:
        module.exit_json(**result)
    if lacking and not (url or incoming):
        # What a killed run has left at work still reads the archives that were sent, and removes their folder.
        busy = running()
        if busy:
            module.exit_json(changed=False, background=busy)
        module.exit_json(changed=False, missing=[image["name"] for image in lacking])

    def work(progress: Progress) -> Dict[str, Any]:
        server = Server(url)
        if lacking:
            source = from_server(server, lacking) if url else from_folder(incoming)
            import_all(run, source, lacking, progress.say)
        pin(run, (lacking if pinned else []) + unpinned)
        clear(incoming)
        server.clear()
        return result

    module.exit_json(changed=True, background=start("container_image", work))


if __name__ == "__main__":
    main()
