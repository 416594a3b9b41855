# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What we say a quota counts and a LimitRange refuses, beside what the real server and its controller do."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.tfjob import TFJOB
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_model.job import Job
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.quota import Namespace, judge
from ansible_collections.trainyard.mlstack.plugins.module_utils._jobs.quota_rules import (
    hard_and_used,
    usage_of_pod,
)
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.errors import ApiError
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from tests.integration.support import draws
from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import namespace_object

GPU = "nvidia.com/gpu"
NAMES = [
    "cpu",
    "memory",
    "ephemeral-storage",
    f"requests.{GPU}",
    "pods",
    "count/pods",
    "requests.cpu",
    "requests.memory",
]
NAMES += ["limits.cpu", "limits.memory", "limits.ephemeral-storage", "requests.hugepages-2Mi", "hugepages-2Mi"]


def container(name: str, requests: Any = None, limits: Any = None, **more: Any) -> dict[str, Any]:
    resources = {key: value for key, value in (("requests", requests), ("limits", limits)) if value}
    return {"name": name, "image": "i:1", "resources": resources, **more}


def sidecar(name: str, cpu: str) -> dict[str, Any]:
    return container(name, {"cpu": cpu, "memory": "64Mi"}, {"cpu": cpu}, restartPolicy="Always")


BIG = container("init", {"cpu": "3", "memory": "1Gi"}, {"cpu": "3"})
MAIN = container("main", {"cpu": "500m"}, {"cpu": "2", "memory": "1Gi", GPU: "1", "ephemeral-storage": "1Gi"})
SPECS: dict[str, dict[str, Any]] = {
    "nothing": {"containers": [container("main")]},
    "limits": {"containers": [MAIN]},
    "two": {"containers": [MAIN, container("log", {"memory": "0.5Gi"})]},
    "init": {"containers": [MAIN], "initContainers": [BIG]},
    "sidecar-first": {"containers": [MAIN], "initContainers": [sidecar("proxy", "1"), BIG]},
    "sidecar-last": {"containers": [MAIN], "initContainers": [BIG, sidecar("proxy", "250m"), sidecar("log", "1m")]},
    "pod-requests": {"containers": [MAIN], "resources": {"requests": {"cpu": "4"}}},
    "pod-requests-of-unbounded": {
        "containers": [MAIN, container("log", {"cpu": "1m"})],
        "resources": {"requests": {"cpu": "4"}},
    },
    "pod-requests-alone": {"containers": [container("main")], "resources": {"requests": {"cpu": "4"}}},
    "pod-limits": {"containers": [MAIN, container("log")], "resources": {"limits": {"cpu": "8", "memory": "9Gi"}}},
    "pod-limits-alone": {"containers": [container("main")], "resources": {"limits": {"cpu": "8", "memory": "9Gi"}}},
    "huge-pages": {"containers": [container("main", None, {"hugepages-2Mi": "4Mi", "memory": "1Gi", "cpu": "1"})]},
    "overhead": {"containers": [MAIN], "runtimeClassName": "sandbox", "overhead": {"cpu": "250m", "memory": "64Mi"}},
}


def quota(hard: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard, **spec}}


def limit_range(*limits: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "r"}, "spec": {"limits": list(limits)}}


def with_priority(operator: str, *values: str) -> dict[str, Any]:
    scope = {"scopeName": "PriorityClass", "operator": operator, **({"values": list(values)} if values else {})}
    return {"scopeSelector": {"matchExpressions": [scope]}}


def until_counted(cluster: ApiServer, namespace: str) -> dict[str, Any]:
    """Return the namespace's quota once its controller has counted."""
    end = time.monotonic() + 60
    while (
        not (found := cluster.client.call("GET", f"/api/v1/namespaces/{namespace}/resourcequotas/q"))
        .get("status", {})
        .get("used")
    ):
        assert time.monotonic() < end, found
        time.sleep(0.1)
    return found


@pytest.fixture(scope="module")
def sandbox(cluster: ApiServer) -> None:
    """Add the runtime class with an overhead, and a priority class."""
    overhead = {
        "overhead": {"podFixed": SPECS["overhead"]["overhead"]},
        "handler": "x",
        "metadata": {"name": "sandbox"},
    }
    runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", **overhead}
    cluster.create(runtime, "/apis/node.k8s.io/v1/runtimeclasses")
    group = "scheduling.k8s.io/v1"
    priority = {"apiVersion": group, "kind": "PriorityClass", "metadata": {"name": "quota-high"}, "value": 1000}
    cluster.create(priority, f"/apis/{group}/priorityclasses")


@pytest.mark.usefixtures("sandbox")
def test_a_quota_counts_what_we_count(cluster: ApiServer) -> None:
    for name, spec in SPECS.items():
        namespace = f"counted-{name}"
        cluster.create(namespace_object(namespace), "/api/v1/namespaces")
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {**spec, "schedulerName": "none"}}
        cluster.create(pod, f"/api/v1/namespaces/{namespace}/pods")
        # After the pod: a quota that is there before it would refuse some of them.
        hard = dict.fromkeys(NAMES, "1000Gi")
        cluster.create(quota(hard), f"/api/v1/namespaces/{namespace}/resourcequotas")
    counted, ours = {}, {}
    for name, spec in SPECS.items():
        used = hard_and_used(until_counted(cluster, f"counted-{name}"))[1]
        counted[name] = {key: value for key, value in used.items() if value}
        ours[name] = {key: value for key, value in usage_of_pod(spec).items() if key in NAMES}
    assert ours == counted


SAID = {"limits.cpu": "100", "requests.memory": "100Gi"}
PLACES: dict[str, list[dict[str, Any]]] = {
    "to-be-said": [quota(SAID)],
    "said-by-range": [
        quota(SAID),
        limit_range({"type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"memory": "1Gi", "cpu": "1"}}),
    ],
    "none": [quota({"pods": "0"})],
    "one-gpu": [quota({f"requests.{GPU}": "0"})],
    "little-cpu": [quota({"requests.cpu": "2"})],
    "best-effort": [quota({"pods": "0"}, scopes=["BestEffort"])],
    "not-best-effort": [quota({"pods": "0"}, scopes=["NotBestEffort"])],
    "terminating": [quota({"pods": "0"}, scopes=["Terminating"])],
    "not-terminating": [quota({"pods": "0"}, scopes=["NotTerminating"])],
    "high": [quota({"pods": "0"}, **with_priority("In", "quota-high"))],
    "not-high": [quota({"pods": "0"}, **with_priority("NotIn", "quota-high"))],
    "any-priority": [quota({"pods": "0"}, **with_priority("Exists"))],
    "no-priority": [quota({"pods": "0"}, **with_priority("DoesNotExist"))],
    "affinity": [quota({"pods": "0"}, scopes=["CrossNamespacePodAffinity"])],
    "best-effort-by-range": [
        quota({"pods": "0"}, scopes=["BestEffort"]),
        limit_range({"type": "Container", "defaultRequest": {"cpu": "10m"}}),
    ],
    "containers": [limit_range({"type": "Container", "max": {"cpu": "2"}, "min": {"memory": "1Gi"}})],
    "most": [limit_range({"type": "Container", "max": {"cpu": "2", "memory": "2Gi"}})],
    "pods": [limit_range({"type": "Pod", "max": {"cpu": "3"}})],
    "least": [limit_range({"type": "Pod", "min": {"memory": "512Mi"}})],
    "ratio": [limit_range({"type": "Container", "maxLimitRequestRatio": {"cpu": "3"}})],
}
ELSEWHERE = {"namespaces": ["x"], "topologyKey": "kubernetes.io/hostname", "labelSelector": {}}
MORE: dict[str, dict[str, Any]] = {
    **SPECS,
    "deadline": {"containers": [MAIN], "activeDeadlineSeconds": 600},
    "priority": {"containers": [MAIN], "priorityClassName": "quota-high"},
    "affinity": {
        "containers": [MAIN],
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [ELSEWHERE]}},
    },
}


@pytest.fixture(scope="module")
def places(cluster: ApiServer, sandbox: None) -> list[Namespace]:
    """Make the namespaces; return what is read of them."""
    for place, objects in PLACES.items():
        cluster.create(namespace_object(f"place-{place}"), "/api/v1/namespaces")
        for item in objects:
            plural = "resourcequotas" if item["kind"] == "ResourceQuota" else "limitranges"
            cluster.create(item, f"/api/v1/namespaces/place-{place}/{plural}")
    store, found = Store(cluster.client), []
    for place, objects in PLACES.items():
        namespace = f"place-{place}"
        if objects[0]["kind"] == "ResourceQuota":
            until_counted(cluster, namespace)
        quotas, ranges = (store.list("v1", kind, namespace) for kind in ("ResourceQuota", "LimitRange"))
        found.append(Namespace(namespace, quotas, ranges))
    return found


def verdicts(cluster: ApiServer, place: Namespace, spec: dict[str, Any]) -> tuple[str, str] | None:
    """Return why the server refuses a pod and why we do, empty for not at all; None for what is no valid pod."""
    pod, theirs = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}, ""
    try:
        cluster.client.call("POST", f"/api/v1/namespaces/{place.name}/pods", [("dryRun", "All")], pod)
    except ApiError as error:
        if error.status == 422:
            return None
        theirs = error.message
    root = {"apiVersion": TFJOB.api_version, "kind": TFJOB.kind, "metadata": {"name": "a"}}
    root["spec"] = {TFJOB.replica_specs: {"Worker": {"replicas": 1, "template": {"spec": spec}}}}
    found = judge(place, [Job(TFJOB, "a", place.name, root)])
    return theirs, "; ".join(problem.line() for problem in found.refused + found.short)


def test_the_server_refuses_what_we_refuse(cluster: ApiServer, places: list[Namespace]) -> None:
    """Every pod in every place: refused by both, or by none."""
    told = {
        (place.name, name): said
        for place in places
        for name, spec in MORE.items()
        if (said := verdicts(cluster, place, spec)) is not None
    }
    assert {key: said for key, said in told.items() if bool(said[0]) != bool(said[1])} == {}
    refused = [theirs for theirs, _ours in told.values() if theirs]
    assert 50 < len(refused) < len(told) - 50


AMOUNTS = st.fixed_dictionaries(
    {},
    optional={
        "cpu": st.sampled_from(["0", "10m", "500m", "1", "2", "3", "4"]),
        "memory": st.sampled_from(["64Mi", "512Mi", "1Gi", "1.5Gi", "2Gi", "3Gi"]),
    },
)
RESOURCES = st.fixed_dictionaries({}, optional={"requests": AMOUNTS, "limits": AMOUNTS})
CONTAINERS = st.lists(RESOURCES, min_size=1, max_size=2).map(
    lambda each: [{"name": f"c{number}", "image": "i:1", "resources": item} for number, item in enumerate(each)]
)
INITS = st.lists(st.tuples(RESOURCES, st.booleans()), max_size=2).map(
    lambda each: [
        {"name": f"i{number}", "image": "i:1", "resources": item, **({"restartPolicy": "Always"} if runs_on else {})}
        for number, (item, runs_on) in enumerate(each)
    ]
)
PODS = st.fixed_dictionaries({"containers": CONTAINERS, "initContainers": INITS}, optional={"resources": RESOURCES})


def any_pods(cluster: ApiServer, places: list[Namespace], examples: int) -> None:
    """Hold so many pods against every place; fail with the smallest one of which the server thinks otherwise."""
    seen: Counter[str] = Counter()

    def both_refuse_or_none(spec: dict[str, Any], place: Namespace) -> None:
        said = verdicts(cluster, place, spec)
        seen["invalid" if said is None else "refused" if said[0] else "taken"] += 1
        assert said is None or bool(said[0]) == bool(said[1]), f"{place.name}: {said}"

    draws.hold(examples, both_refuse_or_none, PODS, st.sampled_from(places))
    assert min(seen["refused"], seen["taken"]) > examples / 10, seen


def test_any_pod_in_any_place(cluster: ApiServer, places: list[Namespace]) -> None:
    any_pods(cluster, places, 150)


@pytest.mark.long
def test_many_more_pods(cluster: ApiServer, places: list[Namespace]) -> None:
    any_pods(cluster, places, 5000)
