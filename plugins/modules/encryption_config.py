#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: encryption_config
short_description: "Internal: Manage the API server's key for encryption of secrets at rest"
description:
  - Makes the key on the first control plane, from the host's own source of randomness, and writes it into the API
    server's configuration of encryption, mode 0600. On another control plane it takes over the first one's.
  - A key that is there stays; only the order of the providers follows O(provider).
  - The key is on no command line and in no diff. The connection carries it between control planes, under C(no_log).
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Compares only.
  diff_mode:
    support: full
    description: Shows mode and presence of the file, never its content.
options:
  folder:
    description: Where the file lies, as C(encryption-<provider>.yaml).
    type: path
    default: /etc/kubernetes/mlstack/apiserver
  provider:
    description:
      - V(secretbox) encrypts what is written. V(none) writes plain text, and still reads what was encrypted before.
    type: str
    choices: [secretbox, none]
    default: secretbox
  content:
    description: The file of the first control plane, on another one.
    type: str
"""

EXAMPLES = r"""
- name: Make the key on the first control plane
  trainyard.mlstack.encryption_config:

- name: Read it there
  ansible.builtin.slurp:
    src: /etc/kubernetes/mlstack/apiserver/encryption-secretbox.yaml
  delegate_to: cp-1
  register: key_file
  no_log: true

- name: Take it over on another one
  trainyard.mlstack.encryption_config:
    content: "{{ key_file.content | b64decode }}"
  no_log: true
"""

RETURN = r"""
path:
  description: The file.
  type: str
  returned: success
  sample: /etc/kubernetes/mlstack/apiserver/encryption-secretbox.yaml
"""

from typing import List

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.owned_files import apply, plan, read_state
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.api_server_files import (
    FOLDER,
    encryption_path,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.encryption import (
    PROVIDERS,
    config_text,
    first_key,
    key_of,
    new_key,
)

SPEC = {
    "folder": {"type": "path", "default": FOLDER},
    "provider": {"type": "str", "choices": list(PROVIDERS), "default": "secretbox"},
    "content": {"type": "str", "no_log": True},
}
API_SERVER = "/etc/kubernetes/manifests/kube-apiserver.yaml"


def texts(folder: str, wanted: str) -> List[str]:
    """Return what is there, the wanted provider's file first."""
    order = [wanted] + [provider for provider in PROVIDERS if provider != wanted]
    states = [read_state(encryption_path(provider, folder)) for provider in order]
    return [state.content for state in states if state is not None]


def in_use() -> bool:
    """Tell whether the API server of this host was started with a key."""
    state = read_state(API_SERVER)
    return state is not None and "--encryption-provider-config=" in state.content


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    folder, provider, content = (module.params[name] for name in ("folder", "provider", "content"))
    path = encryption_path(provider, folder)
    if content and key_of(content) is None:
        module.fail_json(msg="content holds no key of 32 bytes: it must be the whole file of the first control plane")
    there = first_key(texts(folder, provider))
    if there and content and key_of(content) != there:
        module.fail_json(
            msg=f"{folder} holds another key than the first control plane's: with either one some secrets could not be "
            "read. Find out which one is right, and remove the other file, before this is run again"
        )
    if there is None and not content and in_use():
        module.fail_json(
            msg=f"{folder} holds no key, but the API server of this host encrypts secrets with one; a new key could "
            f"not read them. Bring back {path} from another control plane or from a backup"
        )
    key = key_of(content) if content else there
    wanted = {"path": path, "content": config_text(provider, key or new_key()), "mode": "0600", "secret": True}
    changes = plan([wanted])
    if not module.check_mode:
        apply(changes)
    module.exit_json(changed=bool(changes), path=path, diff=[change.diff() for change in changes])


if __name__ == "__main__":
    main()
