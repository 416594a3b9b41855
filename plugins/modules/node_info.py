#!/usr/bin/python
# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: node_info
short_description: "Internal: Gather all facts of a host that the collection needs"
description:
  - Reads who the host is, what it has and what runs on it, in one step and without iproute2 or any other package that
    a bare host may lack.
  - Returns the result as the fact C(mlstack_node) too, so that later roles need not read the host again.
  - Never fails for what a host does not tell; the field is null instead.
author: The trainyard founders (@trainyard)
version_added: 0.1.0
attributes:
  check_mode:
    support: full
    description: Only reads.
  diff_mode:
    support: none
    description: Changes nothing.
options:
  name:
    description:
      - Name that the node has, or shall get, in the cluster. The host's own name when left out or empty.
      - Put in lower case, as kubelet does.
    type: str
  address:
    description:
      - Address that the node has in the cluster. That of the default route when left out or empty.
      - Two with a comma between for a cluster of two IP versions. When one of them is left out it is sought on the
        host, on the interface of the other one before any other.
    type: str
  networks:
    description: Networks of the pods. The node needs an address of the IP version of each, the first one first.
    type: list
    elements: str
    default: []
  sysctls:
    description: Keys of kernel settings whose running values are wanted.
    type: list
    elements: str
    default: []
  modules:
    description: Kernel modules whose state is wanted.
    type: list
    elements: str
    default: []
  packages:
    description: Debian packages whose version and hold state are wanted.
    type: list
    elements: str
    default: []
  resolve:
    description: Names of which the host shall tell the addresses, as it knows them from C(/etc/hosts) or DNS.
    type: list
    elements: str
    default: []
  bundle_server:
    description:
      - Web server from which the host shall fetch the bundle. The host tries it with the settings that role C(node)
        will give it.
    type: dict
    suboptions:
      url:
        description: Address of the bundle's folder. Nothing is asked when empty.
        type: str
        default: ""
      certificates:
        description: PEM texts that are trusted besides the host's own.
        type: list
        elements: str
        default: []
      http_proxy:
        description: Proxy for http.
        type: str
        default: ""
      https_proxy:
        description: Proxy for https.
        type: str
        default: ""
      no_proxy:
        description: Where no proxy is asked, besides the networks of the host's own links.
        type: str
        default: ""
"""

EXAMPLES = r"""
- name: Read the host
  trainyard.mlstack.node_info:
    name: gpu-1
    modules: [overlay, br_netfilter]
    sysctls: [net.ipv4.ip_forward]
    packages: [conntrack, socat]

- name: Show the address of the node
  ansible.builtin.debug:
    msg: "{{ ansible_facts['mlstack_node']['address'] }}"
"""

RETURN = r"""
node:
  description: What the host is; a field that cannot be read is null.
  type: dict
  returned: success
  contains:
    name: {type: str, description: Name of the node in the cluster., sample: gpu-1}
    address: {type: str, description: Address of the node in the cluster., sample: 192.0.2.11}
    address_secondary:
      type: str
      description: Its address of the other IP version; null in a cluster of one.
      sample: "2001:db8::11"
    cluster_networks:
      type: list
      elements: str
      description: Networks of the links that bear these addresses.
      sample: [192.0.2.0/24]
    router_interfaces:
      type: list
      elements: str
      description: Interfaces on which the kernel takes IPv6 routes from routers.
      sample: [eth0]
    hostname: {type: str, description: The host's own name in lower case., sample: gpu-1}
    fqdn: {type: str, description: Full name as C(/etc/hosts) knows it; DNS is not asked., sample: gpu-1.example.org}
    architecture: {type: str, description: Hardware name as C(uname -m) prints it., sample: x86_64}
    arch: {type: str, description: Architecture in the names of images and packages., sample: amd64}
    distribution: {type: str, description: C(ID) of os-release., sample: debian}
    distribution_version: {type: str, description: C(VERSION_ID) of os-release., sample: "12"}
    pretty_name: {type: str, description: C(PRETTY_NAME) of os-release., sample: Debian GNU/Linux 12 (bookworm)}
    kernel: {type: str, description: Release of the running kernel., sample: 6.1.0-18-amd64}
    python: {type: str, description: Version of the Python that runs the modules., sample: 3.11.2}
    cpus: {type: int, description: Processors on line., sample: 8}
    memory_mb: {type: int, description: Memory in MiB., sample: 32000}
    memory_available_mb: {type: int, description: Memory in MiB that programs could still have., sample: 30000}
    default_address: {type: str, description: Address of the IPv4 default route., sample: 192.0.2.11}
    default_interface: {type: str, description: Interface of the IPv4 default route., sample: eth0}
    default_network: {type: str, description: Network of that interface., sample: 192.0.2.0/24}
    default_interface_6: {type: str, description: Interface of the IPv6 default route., sample: eth0}
    addresses:
      type: list
      elements: str
      description: Addresses of the host but those of the loopback and of single links.
      sample: [192.0.2.11]
    routes:
      type: list
      elements: dict
      description: Networks that the host reaches otherwise than by a default route, each with C(network), C(interface)
        and C(gateway), which is empty for a network that the host is in.
      sample: [{network: 192.0.2.0/24, interface: eth0, gateway: ""}]
    resolved:
      type: dict
      description: Addresses by name of what was to be resolved; an empty list for a name that the host does not know.
      sample: {api.example.org: [192.0.2.9]}
    swaps:
      type: list
      elements: dict
      description: Swap areas in use, each with C(path), C(size_mb) and C(used_mb).
      sample: []
    swap_makers:
      type: list
      elements: str
      description: Active services that make swap anew at each boot.
      sample: [zramswap.service]
    sysctls:
      type: dict
      description: Running value by key; null when the kernel has no such key.
      sample: {net.ipv4.ip_forward: "1"}
    modules:
      type: dict
      description: V(loaded), V(builtin), V(available) or V(absent) by module.
      sample: {overlay: loaded}
    filesystems:
      type: list
      elements: str
      description: File systems that the kernel can mount now.
      sample: [ext4, overlay]
    cgroup_version:
      type: int
      description: V(2) for the unified hierarchy; V(1) for the old and the hybrid one.
      sample: 2
    systemd: {type: bool, description: Whether systemd is process 1., sample: true}
    container: {type: str, description: Container manager in which the host runs; empty on a machine., sample: ""}
    packages:
      type: dict
      description: C(version) and C(held) of each wanted package that is installed.
      sample: {socat: {version: 1.7.4.4-2, held: false}}
    clock: {type: float, description: Seconds since 1970., sample: 1795831200.5}
    clock_offset:
      type: dict
      description: Seconds between which, C(low) and C(high), the host's clock is ahead of the controller's.
      sample: {low: -0.4, high: 0.3}
    time_service: {type: str, description: Active time service; empty when there is none., sample: systemd-timesyncd}
    disks:
      type: dict
      description: C(size_mb), C(free_mb), C(inodes), C(inodes_free) and C(device) of the file system of C(/), C(/tmp),
        C(/var/lib), C(/var/lib/containerd), C(/var/lib/kubelet), C(/var/lib/etcd) and C(~), the home of the user who
        connects.
      sample: {/: {size_mb: 50000, free_mb: 30000, inodes: 3200000, inodes_free: 3000000, device: 2049}}
    kubernetes:
      type: dict
      description: Whether C(admin.conf) and C(kubelet.conf) exist in C(/etc/kubernetes), whether role C(kubernetes) has
        made the host a node (C(ours)) and how far (C(stage), V(none), V(half) or V(done)), where its API server is
        (C(endpoint), host:port), the files in C(/etc/cni/net.d) (C(cni)), and kubelet's version.
      sample: {admin_conf: false, kubelet_conf: true, ours: true, stage: done, endpoint: "192.0.2.10:6443",
        cni: [10-mlstack.conflist], version: 1.37.2}
    cluster:
      type: dict
      description: What a cluster keeps for life, read on a control plane.
      sample: {pod_cidr: 10.244.0.0/16, service_cidr: 10.96.0.0/12, cluster_name: mlstack, dns_domain: cluster.local}
    containerd:
      type: dict
      description: Whether containerd runs, whether role C(containerd) has configured it (C(ours)), and its version.
      sample: {running: true, ours: true, version: 2.4.2}
    runtimes: {type: list, elements: str, description: Other container runtimes that run., sample: [docker]}
    firewall:
      type: dict
      description:
        - C(manager), who writes the rules (C(ufw), C(firewalld), C(iptables), C(nftables)), empty where none drops.
        - C(tables), the rules of those tables in which something is dropped.
      sample: {manager: "", tables: []}
    rivals:
      type: dict
      description:
        - What others have put on the host that a node would fight with.
        - C(distributions) holds what was found of each other Kubernetes, as paths and units.
        - C(leftovers), paths of a cluster, C(cni), paths of CNI configurations, and C(interfaces) of pod networks are
          empty on a node of ours.
      sample: {distributions: {k3s: [/usr/local/bin/k3s]}, leftovers: [], cni: [], interfaces: []}
    resolver:
      type: dict
      description: C(nameservers) of the host, and C(file) with C(pods_nameservers), which pods should get to see.
      sample: {nameservers: [127.0.0.53], file: /run/systemd/resolve/resolv.conf, pods_nameservers: [192.0.2.1]}
    served_bundle:
      type: dict
      description:
        - What lies at the address of O(bundle_server), C(url), with C(release), C(architecture) and the C(sum) of its
          index; C(error) is why none is known. Null when there was nothing to ask.
      sample: {url: http://files.example.org/b, release: "2026.11", architecture: amd64, sum: 9f86d0818, error: ""}
    resolv_conf:
      type: str
      description: The file that kubelet should hand to pods, as in C(resolver).
      sample: /run/systemd/resolve/resolv.conf
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host.info import read_node

SPEC = {
    "name": {"type": "str"},
    "address": {"type": "str"},
    "networks": {"type": "list", "elements": "str", "default": []},
    "sysctls": {"type": "list", "elements": "str", "default": []},
    "modules": {"type": "list", "elements": "str", "default": []},
    "packages": {"type": "list", "elements": "str", "default": []},
    "resolve": {"type": "list", "elements": "str", "default": []},
    "bundle_server": {
        "type": "dict",
        "options": {
            "url": {"type": "str", "default": ""},
            "certificates": {"type": "list", "elements": "str", "default": []},
            "http_proxy": {"type": "str", "default": "", "no_log": True},
            "https_proxy": {"type": "str", "default": "", "no_log": True},
            "no_proxy": {"type": "str", "default": ""},
        },
    },
}


def main() -> None:
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    node = read_node(Host(), **module.params)
    module.exit_json(changed=False, node=node, ansible_facts={"mlstack_node": node})


if __name__ == "__main__":
    main()
