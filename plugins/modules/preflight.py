#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: preflight
short_description: "Internal: Validate a run before it changes anything"
description:
  - Runs the collection's checks over the inventory, the options and what M(trainyard.mlstack.node_info) read on the
    hosts, and fails once with all problems, each with the rule that is broken and the way out.
  - Runs on the controller only, and needs no connection to the host of the task.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Only reads; O(report_file) is written in check mode too.
  diff_mode:
    support: none
    description: Changes nothing.
options:
  checks:
    description:
      - Which checks to run. V(node), V(containerd) and V(kubernetes) see one host at a time and bear the name of the
        role that relies on them; the others see the run as a whole.
    type: list
    elements: str
    choices:
      - inventory
      - groups
      - options
      - variables
      - endpoint
      - networks
      - pod_network
      - names
      - clocks
      - bundle_url
      - release
      - bundle
      - node
      - containerd
      - kubernetes
    default:
      - inventory
      - groups
      - options
      - variables
      - endpoint
      - networks
      - pod_network
      - names
      - clocks
      - bundle_url
      - release
      - bundle
      - node
      - containerd
      - kubernetes
  groups:
    description: Groups of the inventory, as in that variable. Without any, all O(hosts) are taken for nodes.
    type: dict
    default: {}
  sources:
    description: What was given as inventory; named when it holds no host.
    type: list
    elements: str
    default: []
  hosts:
    description:
      - For each host C(node), what M(trainyard.mlstack.node_info) read there, C(error), why it could not,
        C(python_missing), whether that is why, C(versions), as O(versions), in the values that this host has, and
        C(options), what roles were given for it, C(variables), as O(variables), and C(number_passwords), names of
        variables of the connection whose password is no text.
    type: dict
    default: {}
  neighbours:
    description:
      - Hosts of the cluster that this run leaves out, each with what M(trainyard.mlstack.node_info) read there. What
        concerns several hosts is judged with them; nothing is said about them alone.
    type: dict
    default: {}
  bootstrap:
    description: Whether a host without Python gets it later in this run, and so is no problem now.
    type: bool
    default: false
  release:
    description: Name of the release. The newest one when empty.
    type: raw
    default: ""
  release_dirs:
    description: Folders with release files of the user.
    type: list
    elements: path
    default: []
  versions:
    description: Variables that hold a version, with their values; each must be text.
    type: dict
    default: {}
  variables:
    description:
      - Names of the collection's variables that are set. Each must be one that something reads, and hold a value of its
        type.
      - The values are taken from the variables of the host that runs the task.
    type: list
    elements: str
    default: []
  choices:
    description: Variables that name one way of several, with their values.
    type: dict
    default: {}
  bundle_dir:
    description: Folder of the bundle.
    type: path
    default: ""
  pod_cidr:
    description: Network of the pods, or two with a comma between.
    type: str
    default: ""
  service_cidr:
    description: Network of the services, or two with a comma between.
    type: str
    default: ""
  api_endpoint:
    description: Address of the API as C(host:port); empty when the user has given none.
    type: str
    default: ""
  api_host:
    description: Host that talks to the API server.
    type: str
    default: localhost
  api_load_balancer:
    description: V(local) where each node balances between the control planes itself.
    type: str
    default: none
  ca_certificates:
    description: Files on the controller with certificates of the site.
    type: list
    elements: path
    default: []
  min_cpus:
    description: Processors that a control plane must have.
    type: int
    default: 2
  min_memory_mb:
    description: Memory in MiB that a control plane must have.
    type: int
    default: 1700
  min_worker_memory_mb:
    description: Memory in MiB that a worker must have.
    type: int
    default: 900
  min_disk_mb:
    description: Free space in MiB for images on a host without Kubernetes, above what the kubelet keeps free.
    type: int
    default: 4096
  min_inodes:
    description: Free inodes for images on a host without Kubernetes, above what the kubelet keeps free.
    type: int
    default: 100000
  report_file:
    description:
      - File on the controller into which the outcome is written as JSON, in check mode too, being what was asked for.
      - It holds C(check), C(ok), C(problems), C(warnings) and C(hosts).
    type: path
    default: ""
  sample_pytorch_image:
    description: Image of the user for the PyTorch sample; the release's when empty.
    type: str
    default: ""
"""

EXAMPLES = r"""
- name: Refuse a host that cannot become a node
  trainyard.mlstack.preflight:
    checks: [node]
    hosts: "{{ {inventory_hostname: {'node': ansible_facts['mlstack_node']}} }}"
"""

RETURN = r"""
msg:
  description: One line when all is well, else all problems.
  type: str
  returned: always
  sample: "preflight: 3 hosts, release 2026.11: all well"
plan:
  description: What roles are given for each host of the cluster that takes part in the run, by host.
  type: dict
  returned: when all is well and O(checks) has V(groups)
  sample: {gpu-1: {node_role: worker, first_control_plane: cp-1}}
"""
