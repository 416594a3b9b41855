# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A PyTorchJob whose number of workers may change while it runs. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from .._common.problem import Problem
from .._kube.resource import Manifest
from .._pods.pieces import without_none
from .._pods.template import given, text
from .pytorchjob_autoscale import check_metrics

_BACKENDS = ["c10d", "etcd", "etcd-v2"]
_MOST = 2**31 - 1
# Option, least and highest value.
_BOUNDS = (
    ("min_replicas", 1, _MOST),
    ("max_replicas", 1, _MOST),
    ("rdzv_port", 1, 65535),
    ("max_restarts", 0, _MOST),
    ("nproc_per_node", 1, _MOST),
)


def elastic_options() -> Dict[str, Any]:
    """Return the argument spec of option `elastic`."""
    options = {
        "min_replicas": {"type": "int"},
        "max_replicas": {"type": "int"},
        "rdzv_backend": {"type": "str", "choices": _BACKENDS},
        "rdzv_host": {"type": "str"},
        "rdzv_port": {"type": "int"},
        "rdzv_id": {"type": "str"},
        "rdzv_conf": {"type": "dict"},
        "max_restarts": {"type": "int"},
        "nproc_per_node": {"type": "int"},
        "metrics": {"type": "list", "elements": "dict"},
    }
    return {"elastic": {"type": "dict", "options": options}}


def bounds(elastic: Mapping[str, Any], workers: int) -> Tuple[int, int]:
    """Return the least and the highest number of workers. What is not given is the number of the beginning."""
    least, most = elastic.get("min_replicas"), elastic.get("max_replicas")
    return (workers if least is None else least), (workers if most is None else most)


def elastic_policy(elastic: Mapping[str, Any], workers: int) -> Manifest:
    """Return the elasticPolicy of a job. nproc_per_node is not in it: its place of today is the job's own."""
    least, most = bounds(elastic, workers)
    conf = [{"key": str(key), "value": text(value)} for key, value in _conf(elastic).items()]
    return given(
        # Both, because the operator takes the one that lacks for equal to the other.
        minReplicas=least,
        maxReplicas=most,
        rdzvBackend=elastic.get("rdzv_backend"),
        rdzvHost=elastic.get("rdzv_host"),
        rdzvPort=elastic.get("rdzv_port"),
        rdzvId=elastic.get("rdzv_id"),
        rdzvConf=conf,
        maxRestarts=elastic.get("max_restarts"),
        metrics=metrics_of(elastic),
    )


def metrics_of(elastic: Optional[Mapping[str, Any]]) -> List[Any]:
    """Return the metrics of an autoscaler; none when nobody but the user changes the number of workers."""
    return [without_none(metric) for metric in (elastic or {}).get("metrics") or []]


def check_elastic(elastic: Mapping[str, Any], workers: Optional[int]) -> List[Problem]:
    """Return what is wrong with the options. workers: at the beginning, None without any."""
    problems = [
        Problem(f"elastic.{option}", str(elastic[option]), f"must be between {least} and {most}", "Correct it")
        for option, least, most in _BOUNDS
        if elastic.get(option) is not None and not least <= elastic[option] <= most
    ]
    if workers is None:
        rule = "the workers of a job are what may grow and shrink, and this job has none"
        problems.append(Problem("elastic", "no Worker", rule, "Add replicas.Worker, or leave elastic out"))
    elif not problems:
        problems += _check_bounds(elastic, workers)
    return problems + _check_rendezvous(elastic) + check_metrics(metrics_of(elastic), "elastic.metrics")


def _check_bounds(elastic: Mapping[str, Any], workers: int) -> List[Problem]:
    least, most = bounds(elastic, workers)
    if least > most:
        rule = f"must not be above max_replicas, which is {most}"
        return [Problem("elastic.min_replicas", str(least), rule, "Change one of them, or replicas.Worker.replicas")]
    if not least <= workers <= most:
        rule = f"must be between elastic.min_replicas and elastic.max_replicas, {least} and {most}"
        return [Problem("replicas.Worker.replicas", str(workers), rule, "Change one of the three")]
    return []


def _check_rendezvous(elastic: Mapping[str, Any]) -> List[Problem]:
    problems: List[Problem] = []
    backend = elastic.get("rdzv_backend")
    if backend in _BACKENDS[1:] and not elastic.get("rdzv_host"):
        rule = f"must be given with rdzv_backend {backend}: without it the workers would look for etcd in worker 0"
        problems.append(Problem("elastic.rdzv_host", "", rule, "Name the host of etcd, or take rdzv_backend c10d"))
    for key, value in _conf(elastic).items():
        if not str(key) or set(f"{key}") & {",", "="} or "," in text(value):
            rule = "entries become a list key=value,key=value: a key holds neither = nor a comma, a value no comma"
            problems.append(Problem("elastic.rdzv_conf", f"{key}: {value}", rule, "Correct it"))
    return problems


def _conf(elastic: Mapping[str, Any]) -> Dict[Any, Any]:
    return {key: value for key, value in (elastic.get("rdzv_conf") or {}).items() if value is not None}
