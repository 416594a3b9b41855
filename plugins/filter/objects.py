# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter of what our roles apply and write, by part; what each part takes stands in the .yml file beside."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.module_utils._cluster.plan import condensed
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Manifest
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests import (
    flannel,
    gang_scheduler,
    kube_batch,
    sample,
    training_operator,
    volcano,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.pytorch_init import init_containers
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests.shared_volume import shared_volume_objects
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.containerd_config import config_version
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.containerd_registries import hosts_files
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.endpoint import host_of
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.kubernetes_files import (
    kubeadm_documents,
    kubernetes_files,
)
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.router_sysctls import router_sysctls
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._nodes.service_routes import service_routes

# Manifests are up to 50,000 lines of CRDs: libyaml reads them in 0.4 s, from_yaml_all in more than 3.
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _kube_batch(image: str, scheduler_conf: Mapping[str, Any], **settings: Any) -> list[Manifest]:
    conf = gang_scheduler.conf_text(scheduler_conf)
    return kube_batch.kube_batch_objects(kube_batch.Settings(image=image, scheduler_conf=conf, **settings))


def _nodes(names: Sequence[str]) -> list[Manifest]:
    return [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in names]


def _training_operator(manifest: str, init_template: str, init_image: str, **settings: Any) -> list[Manifest]:
    init = init_containers(init_template, init_image)
    wanted = training_operator.Settings(init_containers=init, init_image=init_image, **settings)
    return training_operator.operator_objects(list(yaml.load_all(manifest, Loader=Loader)), wanted)


def _volcano(manifest: str, scheduler_conf: Mapping[str, Any], **settings: Any) -> list[Manifest]:
    wanted = volcano.Settings(scheduler_conf=gang_scheduler.conf_text(scheduler_conf), **settings)
    return volcano.volcano_objects(list(yaml.load_all(manifest, Loader=Loader)), wanted)


PARTS: Mapping[str, Callable[..., Any]] = {
    "condensed": condensed,
    "containerd_config_version": config_version,
    "containerd_hosts_files": hosts_files,
    "endpoint_host": host_of,
    "flannel": flannel.objects,
    "flannel_leftovers": flannel.leftovers,
    "gang_scheduler_problems": gang_scheduler.scheduler_problems,
    "gang_scheduler_queues": gang_scheduler.complete_queues,
    "kube_batch": _kube_batch,
    "kubeadm_documents": kubeadm_documents,
    "kubernetes_files": kubernetes_files,
    "nodes": _nodes,
    "router_sysctls": router_sysctls,
    "sample_names": sample.names,
    "sample_program": sample.program,
    "sample_summary": sample.summary,
    "service_routes": service_routes,
    "shared_volume": shared_volume_objects,
    "training_operator": _training_operator,
    "volcano": _volcano,
}


def objects(value: Any, part: str, *arguments: Any, **options: Any) -> Any:
    """Return what a role applies or writes for one part. Raises AnsibleFilterError with what is wrong."""
    if part not in PARTS:
        raise AnsibleFilterError(f"objects: part={part}: must be one of {', '.join(PARTS)}. Name one of them.")
    try:
        return PARTS[part](value, *arguments, **options)
    except (TypeError, KeyError, ValueError, yaml.YAMLError) as error:
        raise AnsibleFilterError(f"objects('{part}'): {error}") from error


class FilterModule:
    """The filter by name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"objects": objects}
