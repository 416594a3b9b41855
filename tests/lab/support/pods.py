"""Pods on every node of a lab that do nothing, and what their network can do: the commands are the node's own."""

from __future__ import annotations

import json
import shlex
from typing import Any

from tests.lab.support.lab import KUBECTL, Lab
from tests.support.paths import RELEASE

PROBE = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "probe"},
    "spec": {
        "selector": {"matchLabels": {"app": "probe"}},
        "template": {
            "metadata": {"labels": {"app": "probe"}},
            "spec": {
                "tolerations": [{"operator": "Exists"}],
                "terminationGracePeriodSeconds": 0,
                "containers": [{"name": "probe", "image": RELEASE["images"]["pause"]}],
            },
        },
    },
}


def names_service(policy: str) -> dict[str, Any]:
    """Return a service of what the cluster's name servers tell by HTTP. policy: its ipFamilyPolicy."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "names", "namespace": "kube-system"},
        "spec": {
            "ipFamilyPolicy": policy,
            "selector": {"k8s-app": "kube-dns"},
            "ports": [{"port": 80, "targetPort": 9153}],
        },
    }


def get(lab: Lab, what: str) -> list[dict[str, Any]]:
    """Return the items that kubectl gets."""
    return list(json.loads(lab.kubectl(f"get --output json {what}"))["items"])


def start_probes(lab: Lab, *others: dict[str, Any]) -> dict[str, list[str]]:
    """Start a pod on each node, and other objects; return the pods' addresses by the name of the node."""
    objects = shlex.quote(json.dumps({"apiVersion": "v1", "kind": "List", "items": [PROBE, *others]}))
    # kubectl reads what it applies from its input.
    lab.told(lab.groups["kube_control_plane"][0], f"echo {objects} | {KUBECTL} apply --filename -")
    lab.kubectl("rollout status --timeout 50s daemonset/probe")
    lab.kubectl("--namespace kube-system rollout status --timeout 50s deployment/coredns")
    pods = get(lab, "pods --selector app=probe")
    return {pod["spec"]["nodeName"]: [item["ip"] for item in pod["status"]["podIPs"]] for pod in pods}


def in_pod(lab: Lab, host: str, command: str) -> str:
    """Run a command of the node in the network of its pod. Raises AssertionError when it fails."""
    inspect = "crictl inspectp --output go-template --template '{{.info.pid}}' $(crictl pods --name probe --quiet)"
    return lab.told(host, f"nsenter --net --target $({inspect}) {command}")


def assert_pods_reach_each_other(lab: Lab, probes: dict[str, list[str]]) -> None:
    """Let each pod ask each other one by all its addresses. The inventory's names may be in upper case.

    It asks for a few seconds until it is answered: the last ways are laid while the pod network is called ready.
    """
    for host in sorted(lab.hosts):
        for address in [ip for node, ips in probes.items() if node != host.lower() for ip in ips]:
            in_pod(lab, host, f"ping -c 1 -w 10 {address}")


def assert_service_answers(lab: Lab, addresses: list[str]) -> None:
    """Let the pod of each node fetch from the service by each of its addresses."""
    for address in addresses:
        url = f"http://[{address}]/metrics" if ":" in address else f"http://{address}/metrics"
        fetch = f"import urllib.request; print(urllib.request.urlopen({url!r}, timeout=5).status)"
        for host in sorted(lab.hosts):
            assert in_pod(lab, host, f"python3 -c {shlex.quote(fetch)}") == "200"


def service_addresses(lab: Lab) -> list[str]:
    """Return the addresses of the service of names_service."""
    (service,) = [item for item in get(lab, "services --all-namespaces") if item["metadata"]["name"] == "names"]
    return list(service["spec"]["clusterIPs"])
