# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter of role training_operator; what it does and takes stands in the .yml beside."""

from __future__ import annotations

from typing import Any, Callable

import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.pytorch_init import init_containers
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.training_operator import (
    Settings,
    operator_objects,
)

# The manifest is 50,000 lines of CRDs: libyaml reads it in 0.4 s, from_yaml_all in more than 3.
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def training_operator_objects(
    manifest: str, init_template: str, init_image: str, **settings: Any
) -> list[dict[str, Any]]:
    """Return the objects that make a usable training operator."""
    try:
        init = init_containers(init_template, init_image)
        wanted = Settings(init_containers=init, init_image=init_image, **settings)
        return operator_objects(list(yaml.load_all(manifest, Loader=Loader)), wanted)
    except (TypeError, ValueError, yaml.YAMLError) as error:
        raise AnsibleFilterError(f"training_operator_objects: {error}") from error


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"training_operator_objects": training_operator_objects}
