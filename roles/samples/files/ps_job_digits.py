# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Train a classifier of handwritten digits on parameter servers and workers that no operator has made.

The way of the classic guides: every task starts a server of the same cluster. Parameter servers hold the variables and
wait for ever; each worker builds the same graph, computes gradients of batches of its own, and applies them to the
variables on the servers whenever it is ready. Worker 0 begins, waits for the others' steps and tests the result.

What a task is, it learns in any of the three contracts of module ps_job: flags, TF_CONFIG, or POD_NAME with
CLUSTER_CONFIG. Lies beside sample_run.py in its pods.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
from dataclasses import dataclass
from typing import Any, Optional

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np  # type: ignore[import-not-found]
import tensorflow.compat.v1 as tf  # type: ignore[import-not-found]
from sample_run import (  # type: ignore[import-not-found]
    BRIGHTEST,
    CLASSES,
    HIDDEN,
    LEARNING_RATE,
    PIXELS,
    SEED,
    STEPS_PER_ROUND,
    TEST_EVERY,
    wait,
)

STEPS_PER_WORKER = 300
BATCH = 64


@dataclass(frozen=True)
class Task:
    """What this process is in its cluster, and by which contract it knows. cluster: addresses by role."""

    role: str
    index: int
    cluster: dict[str, list[str]]
    contract: str

    @property
    def workers(self) -> int:
        """How many workers there are."""
        return len(self.cluster["worker"])


def from_flags(options: argparse.Namespace) -> Optional[Task]:
    """Return what the flags say; None when there are none."""
    if options.job_name is None:
        return None
    listed = {"ps": options.ps_hosts, "worker": options.worker_hosts}
    cluster = {role: hosts.split(",") for role, hosts in listed.items() if hosts}
    return Task(options.job_name, options.task_index, cluster, "flags")


def from_tf_config() -> Optional[Task]:
    """Return what TF_CONFIG says; None without it."""
    text = os.environ.get("TF_CONFIG")
    if text is None:
        return None
    config = json.loads(text)
    return Task(config["task"]["type"], int(config["task"]["index"]), config["cluster"], "TF_CONFIG")


def from_environment() -> Optional[Task]:
    """Return what POD_NAME (`<role>-<index>-<job>`) and CLUSTER_CONFIG say; None without them."""
    if "CLUSTER_CONFIG" not in os.environ:
        return None
    role, index, _job = os.environ["POD_NAME"].split("-", 2)
    return Task(role, int(index), ast.literal_eval(os.environ["CLUSTER_CONFIG"]), "POD_NAME and CLUSTER_CONFIG")


def read_digits(path: str) -> tuple[Any, Any, Any, Any]:
    """Return pixels and labels to train with, pixels and labels to test with. path: CSV of 64 pixels and the digit."""
    rows = np.loadtxt(path, delimiter=",", dtype=np.float32)
    pixels, labels = rows[:, :PIXELS] / BRIGHTEST, rows[:, PIXELS].astype(np.int64)
    test = np.arange(len(rows)) % TEST_EVERY == TEST_EVERY - 1
    return pixels[~test], labels[~test], pixels[test], labels[test]


class Graph:
    """The model, whose variables lie on the parameter servers, and the counts of what each worker did."""

    def __init__(self, task: Task) -> None:
        here = f"/job:worker/task:{task.index}"
        with tf.device(tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(task.cluster), worker_device=here)):
            self.pixels = tf.placeholder(tf.float32, [None, PIXELS])
            self.labels = tf.placeholder(tf.int64, [None])
            spread = tf.random_normal_initializer(stddev=PIXELS**-0.5, seed=SEED)
            kernel = tf.get_variable("hidden_kernel", [PIXELS, HIDDEN], initializer=spread)
            bias = tf.get_variable("hidden_bias", [HIDDEN], initializer=tf.zeros_initializer())
            last = tf.get_variable("output_kernel", [HIDDEN, CLASSES], initializer=spread)
            logits = tf.nn.relu(self.pixels @ kernel + bias) @ last
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits)
            self.loss = tf.reduce_mean(losses)
            right = tf.equal(tf.argmax(logits, axis=1), self.labels)
            self.accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
            self.steps = tf.train.get_or_create_global_step()
            self.by_worker = tf.get_variable(
                "steps_by_worker", [task.workers], tf.int64, tf.zeros_initializer(), trainable=False
            )
            mine = tf.one_hot(task.index, task.workers, dtype=tf.int64)
            descend = tf.train.GradientDescentOptimizer(LEARNING_RATE).minimize(self.loss, global_step=self.steps)
            self.train = tf.group(descend, tf.assign_add(self.by_worker, mine))
        self.variables = [kernel, bias, last, self.by_worker]


def serve(server: Any) -> None:
    """Be a parameter server: for ever, until somebody ends the process."""
    print("serving", flush=True)
    server.join()


def work(task: Task, server: Any, options: argparse.Namespace) -> None:
    """Be a worker: train on own batches, then let worker 0 test what all of them have made."""
    train_pixels, train_labels, test_pixels, test_labels = read_digits(options.data)
    graph = Graph(task)
    for variable in graph.variables:
        print(f"variable {variable.op.name} on {variable.device}", flush=True)
    choose = np.random.default_rng(SEED + task.index)
    with tf.train.MonitoredTrainingSession(master=server.target, is_chief=task.index == 0) as session:
        for step in range(1, STEPS_PER_WORKER + 1):
            if step == options.crash_at:
                raise RuntimeError(f"crashed at step {step}, as --crash-at says")
            rows = choose.integers(0, len(train_labels), BATCH)
            batch = {graph.pixels: train_pixels[rows], graph.labels: train_labels[rows]}
            _done, loss = session.run([graph.train, graph.loss], batch)
            if step % STEPS_PER_ROUND == 0:
                print(f"step {step} of {STEPS_PER_WORKER}: loss {loss:.4f}", flush=True)
        if task.index == 0:
            test = {graph.pixels: test_pixels, graph.labels: test_labels}
            total = STEPS_PER_WORKER * task.workers
            wait(
                lambda: session.run(graph.steps) >= total, options.peer_timeout_s, lambda: "the other workers' steps"
            )
            accuracy, by_worker = session.run([graph.accuracy, graph.by_worker], test)
            result = {
                "contract": task.contract,
                "test_accuracy": float(accuracy),
                "steps_by_worker": [int(count) for count in by_worker],
                "variables_on": sorted({variable.device for variable in graph.variables}),
            }
            print(f"RESULT {json.dumps(result)}")
            print(f"test accuracy {accuracy:.4f}", flush=True)
    # Not through Python's own end: the server's threads know of no end.
    os._exit(0)


def main(arguments: list[str]) -> None:
    """Be what the contract says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--job_name", choices=("ps", "worker"))
    parser.add_argument("--task_index", type=int, default=0)
    parser.add_argument("--ps_hosts", default="")
    parser.add_argument("--worker_hosts", default="")
    parser.add_argument("--data", required=True, help="CSV: 64 pixels of 0 to 16, the digit")
    parser.add_argument("--crash-at", type=int, default=0, help="fail at this step, to see what becomes of the job")
    parser.add_argument("--peer-timeout-s", type=int, default=300)
    options = parser.parse_args(arguments)
    task = from_flags(options) or from_tf_config() or from_environment()
    if task is None:
        parser.error("no contract: give --job_name and the like, TF_CONFIG, or POD_NAME and CLUSTER_CONFIG")
    print(f"{task.role}-{task.index} by {task.contract}", flush=True)
    tf.disable_v2_behavior()
    server = tf.train.Server(tf.train.ClusterSpec(task.cluster), job_name=task.role, task_index=task.index)
    if task.role == "ps":
        serve(server)
    else:
        work(task, server, options)


if __name__ == "__main__":
    main(sys.argv[1:])
