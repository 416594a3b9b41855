# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Train a classifier of handwritten digits with TensorFlow's ParameterServerStrategy.

The same program runs in every pod of the TFJob; TF_CONFIG, which the training operator sets, tells it what it is:

- `ps` keeps the variables and `worker` computes gradients: both serve until the job's end takes their pods away;
- `chief` hands out the training steps, evaluates, and writes checkpoints, logs and the saved model. When it ends, the
  job ends.

Everything lies on a volume that all pods share: the data under data/, what the job makes under <job>/. A chief that is
started again goes on from the last checkpoint. The training loop is its own: `fit` of Keras 3 does not know this
strategy. Environment: TF_CONFIG, POD_NAME, NODE_NAME. Needs tensorflow and numpy, nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, NoReturn

# Read when TensorFlow is imported: say less, and let a call to a lost server fail instead of hanging. oneDNN gains
# nothing on a model of this size, and without it results do not depend on the CPU's kind.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")

import numpy as np  # type: ignore[import-not-found]
import tensorflow as tf  # type: ignore[import-untyped]

# Each checkpoint of the training loop traces its own function; the warning about it helps nobody.
tf.get_logger().setLevel("ERROR")

PIXELS = 64
CLASSES = 10
BRIGHTEST = 16.0
HIDDEN = 64
LEARNING_RATE = 0.5
# Every fifth row is kept for the test, so that both parts hold all writers and all digits.
TEST_EVERY = 5
STEPS_PER_ROUND = 100
SEED = 20261128


@dataclass(frozen=True)
class Task:
    """What this process is in its cluster."""

    kind: str
    index: int
    cluster: dict[str, list[str]]

    @classmethod
    def from_environment(cls) -> Task:
        """Read TF_CONFIG."""
        config = json.loads(os.environ["TF_CONFIG"])
        return cls(config["task"]["type"], int(config["task"]["index"]), config["cluster"])

    @property
    def name(self) -> str:
        """The task as text, for example worker-0."""
        return f"{self.kind}-{self.index}"

    def servers(self) -> list[tuple[str, str]]:
        """Every task that serves the chief, with its address."""
        return [
            (f"{kind}-{index}", address)
            for kind in ("ps", "worker")
            for index, address in enumerate(self.cluster[kind])
        ]


@dataclass(frozen=True)
class Options:
    """The command line. steps and batch_size are counts; the run names the program and its parameters."""

    job: str
    run: str
    volume: Path
    data: Path
    steps: int
    batch_size: int
    peer_timeout_s: int

    @property
    def folder(self) -> Path:
        """Where the job writes."""
        return self.volume / self.job


class Classifier(tf.Module):  # type: ignore[misc]
    """64 pixels to the logits of ten digits, over one hidden layer."""

    def __init__(self) -> None:
        super().__init__(name="classifier")
        normal = tf.random.stateless_normal
        self.hidden_kernel = tf.Variable(normal([PIXELS, HIDDEN], [SEED, 0]) / PIXELS**0.5, name="hidden_kernel")
        self.hidden_bias = tf.Variable(tf.zeros([HIDDEN]), name="hidden_bias")
        self.output_kernel = tf.Variable(normal([HIDDEN, CLASSES], [SEED, 1]) / HIDDEN**0.5, name="output_kernel")
        self.output_bias = tf.Variable(tf.zeros([CLASSES]), name="output_bias")

    @tf.function(input_signature=[tf.TensorSpec([None, PIXELS], tf.float32, name="pixels")])  # type: ignore[untyped-decorator]
    def __call__(self, pixels: Any) -> Any:
        hidden = tf.nn.relu(pixels @ self.hidden_kernel + self.hidden_bias)
        return hidden @ self.output_kernel + self.output_bias


def read_digits(path: Path, test: bool) -> Any:
    """Return a dataset of (pixels, label) with one part of the rows: the fifth of the test, or all others."""
    rows = tf.data.TextLineDataset(str(path)).enumerate()
    part = rows.filter(lambda number, _line: tf.equal(number % TEST_EVERY == TEST_EVERY - 1, test))

    def parse(_number: Any, line: Any) -> tuple[Any, Any]:
        values = tf.strings.to_number(tf.strings.split(line, ","))
        return tf.ensure_shape(values[:PIXELS], [PIXELS]) / BRIGHTEST, tf.cast(values[PIXELS], tf.int64)

    return part.map(parse)


def report_pod(folder: Path, task: Task) -> None:
    """Leave word on the shared volume of where this task runs; the chief prints all of them at the end."""
    where = {
        "task": task.name,
        "pod": os.environ.get("POD_NAME", socket.gethostname()),
        "node": os.environ.get("NODE_NAME", "unknown"),
    }
    print(f"{task.name}: pod {where['pod']} on node {where['node']}", flush=True)
    write_json(folder / "pods" / f"{task.name}.json", where)


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write a file that is complete whenever somebody reads it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}")
    unfinished.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    unfinished.replace(path)


def serve(task: Task) -> NoReturn:
    """Be a parameter server or a worker until somebody ends it."""
    server = tf.distribute.Server(
        tf.train.ClusterSpec(task.cluster), job_name=task.kind, task_index=task.index, protocol="grpc"
    )
    print(f"{task.name}: serving at {server.target}", flush=True)
    # Not server.join(): it never comes back to Python, and so no signal handler would run.
    while True:
        signal.pause()


def end_at_once(_number: int, _frame: object) -> NoReturn:
    """Handle SIGTERM: the first process of a container ignores it otherwise, and its pod ends half a minute later."""
    os._exit(128 + signal.SIGTERM)


def wait_for_servers(task: Task, timeout_s: int) -> None:
    """Return when every server takes connections; raise TimeoutError that names those which do not."""
    deadline = time.monotonic() + timeout_s
    missing = dict(task.servers())
    while missing:
        for name, address in list(missing.items()):
            host, port = address.rsplit(":", 1)
            try:
                socket.create_connection((host, int(port)), timeout=2).close()
            except OSError:
                continue
            del missing[name]
        if missing and time.monotonic() > deadline:
            raise TimeoutError(f"no answer in {timeout_s} s from {missing}: are these pods running?")
        time.sleep(0.2)


def prepare_folder(options: Options) -> None:
    """Keep what an unfinished run of the same program left, and clear away what any other one did."""
    started = options.folder / "run.json"
    same = started.is_file() and json.loads(started.read_text(encoding="utf-8")) == {"run": options.run}
    finished = options.folder / "result.json"
    if not same or finished.is_file():
        for name in ("checkpoints", "logs", "model"):
            shutil.rmtree(options.folder / name, ignore_errors=True)
        finished.unlink(missing_ok=True)
        write_json(started, {"run": options.run})


class Training:
    """The chief's side of the job: variables on the parameter servers, steps on the workers."""

    def __init__(self, task: Task, options: Options) -> None:
        self.options = options
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        self.strategy = tf.distribute.ParameterServerStrategy(resolver)
        self.coordinator = tf.distribute.coordinator.ClusterCoordinator(self.strategy)
        with self.strategy.scope():
            self.model = Classifier()
            self.step = tf.Variable(0, dtype=tf.int64, name="step")
            self.worker_steps = tf.Variable(tf.zeros([len(task.cluster["worker"])], tf.int64), name="worker_steps")
            self.loss = tf.Variable(0.0, name="loss")
        state = {"step": self.step, "worker_steps": self.worker_steps, "loss": self.loss}
        checkpoint = tf.train.Checkpoint(model=self.model, **state)
        self.checkpoints = tf.train.CheckpointManager(checkpoint, str(options.folder / "checkpoints"), max_to_keep=2)
        self.checkpoints.restore_or_initialize()
        self.batches = iter(self.coordinator.create_per_worker_dataset(self._batches_of_one_worker))
        self.test = next(iter(read_digits(options.data, test=True).batch(10_000)))

    def _batches_of_one_worker(self) -> Any:
        """Return the endless training data; runs on each worker, which reads the shared volume itself."""
        rows = read_digits(self.options.data, test=False).cache()
        return rows.shuffle(2_000).repeat().batch(self.options.batch_size, drop_remainder=True)

    @tf.function  # type: ignore[untyped-decorator]
    def _train_step(self, batches: Iterator[Any]) -> Any:
        """One step of gradient descent, on whichever worker is free; counted on the parameter server."""
        pixels, labels = next(batches)
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.model(pixels))
            loss = tf.reduce_mean(losses)
        variables = self.model.trainable_variables
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(LEARNING_RATE * gradient)
        worker = tf.distribute.coordinator.experimental_get_current_worker_index()
        self.worker_steps.assign_add(tf.one_hot(worker, self.worker_steps.shape[0], dtype=tf.int64))
        self.step.assign_add(1)
        return loss

    def round(self) -> None:
        """Train until the next checkpoint and write it; the loss is the mean of the round's steps."""
        count = min(STEPS_PER_ROUND, self.options.steps - self.steps_done())
        losses = [self.coordinator.schedule(self._train_step, args=(self.batches,)) for _step in range(count)]
        self.coordinator.join()
        self.loss.assign(np.mean([loss.fetch() for loss in losses]))
        self.checkpoints.save(checkpoint_number=self.steps_done())

    def steps_done(self) -> int:
        """The shared count of steps."""
        return int(self.step.numpy())

    def placement(self) -> dict[str, str]:
        """Each variable's name and device."""
        variables = [*self.model.trainable_variables, self.step, self.worker_steps, self.loss]
        return {variable.name.split(":")[0]: variable.device for variable in variables}

    def accuracy(self, model: Any) -> float:
        """Return which part of the test rows a model reads right."""
        pixels, labels = self.test
        return float(np.mean(np.argmax(model(pixels).numpy(), axis=1) == labels.numpy()))

    def save_model(self) -> Path:
        """Write the trained model for serving and return its folder."""
        folder = self.options.folder / "model"
        unfinished = folder.with_name("model.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        tf.saved_model.save(self.model, str(unfinished), signatures=self.model.__call__.get_concrete_function())
        shutil.rmtree(folder, ignore_errors=True)
        return unfinished.rename(folder)


def log_scalar(tag: str, value: float, step: int) -> None:
    """Write one point of a curve for TensorBoard; tf.summary.scalar itself would need TensorBoard to be installed."""
    metadata = tf.compat.v1.SummaryMetadata()
    metadata.plugin_data.plugin_name = "scalars"
    tf.summary.write(tag, value, step=step, metadata=metadata)


def lead(task: Task, options: Options) -> dict[str, Any]:
    """Be the chief: train, save, and return the facts of the whole job."""
    began = time.monotonic()
    print(f"waiting for {', '.join(dict(task.servers()))}", flush=True)
    wait_for_servers(task, options.peer_timeout_s)
    print(f"all of them answer after {time.monotonic() - began:.1f} s", flush=True)
    prepare_folder(options)
    training = Training(task, options)
    resumed_from = training.steps_done()
    if resumed_from:
        print(f"going on from the checkpoint of step {resumed_from}", flush=True)
    training_began = time.monotonic()
    with tf.summary.create_file_writer(str(options.folder / "logs")).as_default():
        while training.steps_done() < options.steps:
            training.round()
            step, loss = training.steps_done(), float(training.loss.numpy())
            accuracy = training.accuracy(training.model)
            log_scalar("loss", loss, step)
            log_scalar("test_accuracy", accuracy, step)
            print(f"step {step} of {options.steps}: loss {loss:.4f}, test accuracy {accuracy:.4f}", flush=True)
    training_s = time.monotonic() - training_began
    folder = training.save_model()
    names = [task.name, *dict(task.servers())]
    reports = [options.folder / "pods" / f"{name}.json" for name in names]
    return {
        "job": options.job,
        "tensorflow": tf.__version__,
        "steps": training.steps_done(),
        "worker_steps": [int(count) for count in training.worker_steps.numpy()],
        "resumed_from": resumed_from,
        "loss": float(training.loss.numpy()),
        # Of the saved model as read back from the volume: what a server would answer.
        "test_accuracy": training.accuracy(tf.saved_model.load(str(folder))),
        "variables": training.placement(),
        "pods": [json.loads(report.read_text(encoding="utf-8")) for report in reports],
        "training_s": round(training_s, 3),
        "total_s": round(time.monotonic() - began, 3),
        "folder": str(options.folder),
    }


def print_result(result: dict[str, Any]) -> None:
    """Print the facts as one line for programs, then for people; the last line says it all."""
    print(f"RESULT {json.dumps(result)}")
    print("where the pods ran:")
    for pod in result["pods"]:
        print(f"  {pod['task']:<10} {pod['pod']} on {pod['node']}")
    print("where the variables are:")
    for name, device in result["variables"].items():
        print(f"  {name:<14} {device}")
    print(f"checkpoints, logs and the saved model: {result['folder']} on the shared volume")
    print(f"{result['steps']} steps in {result['training_s']:.1f} s, of which each worker did {result['worker_steps']}")
    print(f"test accuracy {result['test_accuracy']:.4f}, loss {result['loss']:.4f}", flush=True)


def parse(arguments: list[str]) -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--job", required=True, help="the job's name: its folder on the volume")
    parser.add_argument("--run", default="", help="what tells one run from another; an unfinished equal one is resumed")
    parser.add_argument("--volume", type=Path, required=True, help="where the shared volume is mounted")
    parser.add_argument("--data", type=Path, required=True, help="CSV on the volume: 64 pixels of 0 to 16, the digit")
    parser.add_argument("--steps", type=int, default=600, help="training steps of all workers together")
    parser.add_argument("--batch-size", type=int, default=64, help="rows in a step")
    parser.add_argument("--peer-timeout-s", type=int, default=600, help="seconds the chief waits for its servers")
    return Options(**vars(parser.parse_args(arguments)))


def main(arguments: list[str]) -> int:
    """Be what TF_CONFIG says."""
    options = parse(arguments)
    task = Task.from_environment()
    signal.signal(signal.SIGTERM, end_at_once)
    report_pod(options.folder, task)
    if task.kind != "chief":
        serve(task)
    result = lead(task, options)
    write_json(options.folder / "result.json", result)
    print_result(result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
