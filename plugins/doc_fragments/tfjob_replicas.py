# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options that shape pods: for all replica types of a job, and again in each of them."""

from __future__ import annotations

from textwrap import indent

_POD = r"""
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
node_selector:
  description: Labels that a node must carry.
  type: dict
tolerations:
  description: Taints that the pods tolerate, in Kubernetes' own form.
  type: list
  elements: dict
service_account_name:
  description: Service account of the pods.
  type: str
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
    - The container that trains must be named V(tensorflow) in it.
  type: dict
"""

_TYPES = {
    "Chief": "The replica that leads. Its end is the job's end.",
    "Master": "The same as Chief, by its old name.",
    "PS": "Parameter servers.",
    "Worker": "Workers. Without a Chief the first one leads.",
    "Evaluator": "Evaluates checkpoints beside the training.",
}


def _replica(name: str, text: str) -> str:
    """Return the documentation of one replica type."""
    count = "replicas:\n  description: Number of pods. V(0) leaves the type out.\n  type: int\n  default: 1"
    return f'{name}:\n  description: "{text}"\n  type: dict\n  suboptions:\n{indent(count + _POD, "    ")}'


_REPLICAS = "\n".join(_replica(name, text) for name, text in _TYPES.items())


class ModuleDocFragment:
    """The options of `_pod_template.pod_options`, and the replica types of a TFJob."""

    # With its type, because ansible-test's yamllint takes every plain assignment for a literal.
    DOCUMENTATION: str = f"""
options:
{indent(_POD, "  ")}
  replicas:
    description:
      - The replica types of the job. What is given for one type wins over the options of the same name above it.
      - The maps C(env), C(node_selector), C(pod_labels) and C(pod_annotations) of a type add to the common ones.
    type: dict
    suboptions:
{indent(_REPLICAS, "      ")}
"""
