# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where words of manifests and of old guides belong today, for people who write them as options of a job. Pure.

A word is looked up as it stands, wherever it stands: the same table serves a job, a replica type and what is below
a native key such as `spec`.
"""

from __future__ import annotations

from typing import Dict

_MODULE_WRITES_IT = "Leave it out: the module writes it"
_WHOLE = "docs/from-manifest.md shows manifests beside their tasks; a whole manifest goes to trainyard.mlstack.objects"

# Keys of native objects whose option has another name than the key itself, written with underscores.
NATIVE: Dict[str, str] = {
    "apiVersion": f"{_MODULE_WRITES_IT}. {_WHOLE}",
    "metadata": f"Its parts are the options name, namespace, labels and annotations. {_WHOLE}",
    "spec": f"Its parts are options of their own. {_WHOLE}",
    "runPolicy": "Its parts are options of their own, beside name",
    "schedulingPolicy": "Its parts are in gang, and priorityClass is priority_class",
    "minAvailable": "Write it gang.min_available",
    "minMember": "Write it gang.min_available",
    "queue": "Write it gang.queue",
    "scheduleTimeoutSeconds": "Write it gang.timeout",
    "priorityClass": "Write it priority_class",
    "priorityClassName": "Write it priority_class",
    "tfReplicaSpecs": "Write it replicas",
    "pytorchReplicaSpecs": "Write it replicas",
    "nodeName": "Write it node",
    "serviceAccount": "Write it service_account_name",
    "containers": "image, command and so on make the container that trains; others go to template.spec.containers",
    "requests": "Write it resources.requests",
    "limits": "Write it resources.limits",
    "schedulerName": "Write it template.spec.schedulerName; for a gang the option gang does it",
    "shmSize": "Write it shm_size",
    "elasticPolicy": "Write it elastic",
}

# Native keys that stand for two options.
TWOFOLD: Dict[str, str] = {
    "securityContext": "Write it security_context for the pod, container_security_context for the container",
}

# Keys of versions that no operator of today reads.
OLD: Dict[str, str] = {
    "replicaSpecs": "It is the list of v1alpha1. Write replicas, with a key for each type, as {Worker: {replicas: 3}}",
    "tfReplicaType": "It is of v1alpha1. The type is the key in replicas, such as {Worker: {replicas: 3}}",
    "replicaType": "It is of v1alpha1. The type is the key in replicas, such as {Worker: {replicas: 3}}",
    "tfImage": "It is of v1alpha1. Write it image",
    "tfPort": "It is of v1alpha1. Give the container that trains a port named tfjob-port by ports",
    "terminationPolicy": "It is of v1alpha1. A Chief ends the job; without one success_policy says how workers do",
    "RuntimeId": f"It is of v1alpha1. {_MODULE_WRITES_IT}",
    "backend": "It is of PyTorchJob v1alpha1. The program names it, in init_process_group: hand it on by args",
    "masterPort": "It is of PyTorchJob v1alpha1. Give the Master a port named pytorchjob-port by ports",
}

# What people write for an option that has another name.
OTHER_WORDS: Dict[str, str] = {
    "count": "replicas",
    "environment": "env",
    "gpu": "gpus",
    "gpu_count": "gpus",
    "image_pull_secret": "image_pull_secrets",
    "mounts": "volume_mounts",
    "node_name": "node",
    "num_replicas": "replicas",
    "priority": "priority_class",
    "pull_policy": "image_pull_policy",
    "pull_secrets": "image_pull_secrets",
    "service_account": "service_account_name",
    "shm": "shm_size",
    "ttl": "ttl_seconds_after_finished",
}

# Replica types by words that are not their names, lower case.
TYPE_WORDS: Dict[str, str] = {
    "parameterserver": "PS",
    "parameter_server": "PS",
    "server": "PS",
    "eval": "Evaluator",
    "leader": "Chief",
    "coordinator": "Chief",
}
