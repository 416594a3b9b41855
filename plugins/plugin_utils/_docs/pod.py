# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options that shape pods: for all replica types of a job, and again in each of them."""

from __future__ import annotations

from textwrap import indent
from typing import Mapping

# The options of `_pods.template.pod_options`.
POD = r"""
image:
  description: Image of the container that trains.
  type: str
image_pull_policy:
  description: When the image is pulled. Kubernetes decides by the tag when it is not given.
  type: str
  choices: [Always, IfNotPresent, Never]
image_pull_secrets:
  description: Names of Secrets that hold registry credentials.
  type: list
  elements: str
command:
  description: Program to run instead of the image's own.
  type: list
  elements: str
args:
  description: Arguments of the program.
  type: list
  elements: str
working_dir:
  description: Folder in which the program starts.
  type: str
env:
  description:
    - Environment variables. Numbers and booleans are sent as text.
    - A mapping as value says where the value comes from, in the form of C(valueFrom).
  type: dict
env_from:
  description: ConfigMaps and Secrets whose entries become environment variables, in Kubernetes' own form.
  type: list
  elements: dict
ports:
  description:
    - Ports of the container that trains, in Kubernetes' own form.
    - The operator adds its own port and opens all of them in the Service of each pod, so each needs a name. One
      that has none gets it from its number.
  type: list
  elements: dict
resources:
  description:
    - Requests and limits in Kubernetes' own form.
    - Devices such as GPUs must be whole numbers, and their request equals their limit.
  type: dict
gpus:
  description: GPUs of each pod.
  type: int
gpu_resource:
  description: Resource that O(ignore:gpus) counts. V(nvidia.com/gpu) when not given.
  type: str
shm_size:
  description: Size of shared memory at C(/dev/shm), for data loaders. It counts against the memory limit.
  type: str
shared_volumes:
  description: Volumes by the names of their claims, mounted in the container that trains.
  type: list
  elements: dict
  suboptions:
    claim:
      description: Name of a claim in the job's namespace. V(mlstack-shared) is that of role C(shared_volume).
      type: str
      required: true
    mount_path:
      description: Where the container sees it.
      type: str
      required: true
    sub_path:
      description: Folder of the volume that is mounted instead of the whole.
      type: str
    read_only:
      description: Let the container only read.
      type: bool
      default: false
volumes:
  description: Volumes of the pods, in Kubernetes' own form.
  type: list
  elements: dict
volume_mounts:
  description: Where the volumes are mounted in the container that trains, in Kubernetes' own form.
  type: list
  elements: dict
init_containers:
  description: Containers that run before the training, in Kubernetes' own form.
  type: list
  elements: dict
node:
  description: Name of the node on which the pods must run, as the node's label C(kubernetes.io/hostname) has it.
  type: str
node_selector:
  description: Labels that a node must carry.
  type: dict
affinity:
  description: Rules for the choice of the node, in Kubernetes' own form.
  type: dict
tolerations:
  description: Taints that the pods tolerate, in Kubernetes' own form.
  type: list
  elements: dict
priority_class:
  description: Name of the PriorityClass of the pods. It must exist.
  type: str
service_account_name:
  description: Service account of the pods.
  type: str
security_context:
  description: Security context of the pods, in Kubernetes' own form.
  type: dict
container_security_context:
  description: Security context of the container that trains, in Kubernetes' own form.
  type: dict
pod_labels:
  description: Labels of the pods.
  type: dict
pod_annotations:
  description: Annotations of the pods. C(sidecar.istio.io/inject) is V(false) unless it is given here.
  type: dict
restart_policy:
  description:
    - What happens when the program ends with an error. V(Never) when not given, which fails the job.
    - V(ExitCode) starts the pod anew after an exit code from 128 on (a lost node, memory), and fails the job below.
  type: str
  choices: [Never, OnFailure, Always, ExitCode]
spread:
  description: Place the job's pods on different nodes where that is possible.
  type: bool
template:
  description:
    - A pod template in Kubernetes' own form, for what no option covers. The options are laid over it.
    - The container that trains is found in it by name. That is V(tensorflow) in a TFJob, V(pytorch) in a PyTorchJob,
      V(main) in a job without an operator and in a Volcano Job.
  type: dict
"""
_COUNT = "replicas:\n  description: Number of pods. V(0) leaves the type out.\n  type: int\n  default: 1"


def pod_document() -> str:
    """Return the documentation of the options for all replica types."""
    return f"options:\n{indent(POD, '  ')}"


def replicas_document(types: Mapping[str, str], more: str = "") -> str:
    """Return the documentation of a kind's option `replicas`.

    types: what each replica type is for. more: of options that only types of this kind have.
    """
    described = "\n".join(_replica(name, text, more) for name, text in types.items())
    return f"""
options:
  replicas:
    description:
      - The replica types of the job. What is given for one type wins over the options of the same name above it.
      - The maps C(env), C(node_selector), C(pod_labels) and C(pod_annotations) of a type add to the common ones.
    type: dict
    suboptions:
{indent(described, "      ")}
"""


def _replica(name: str, text: str, more: str) -> str:
    """Return the documentation of one replica type."""
    head = f'{name}:\n  description: "{text}"\n  type: dict\n  aliases: [{name.lower()}]\n  suboptions:\n'
    return head + indent(_COUNT + POD + more, "    ")
