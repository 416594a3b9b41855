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
strategy. Environment: TF_CONFIG, POD_NAME, NODE_NAME.
"""

from __future__ import annotations

import signal
import sys
import time
from typing import Any, Iterator, NoReturn

import digits  # type: ignore[import-not-found]
import numpy as np  # type: ignore[import-not-found]
import sample_run  # type: ignore[import-not-found]
import tensorflow as tf  # type: ignore[import-untyped]

SERVERS = ("ps", "worker")


def serve(task: digits.Task) -> NoReturn:
    """Be a parameter server or a worker until somebody ends it."""
    server = tf.distribute.Server(
        tf.train.ClusterSpec(task.cluster), job_name=task.kind, task_index=task.index, protocol="grpc"
    )
    print(f"{task.name}: serving at {server.target}", flush=True)
    # Not server.join(): it never comes back to Python, and so no signal handler would run.
    while True:
        signal.pause()


class Training:
    """The chief's side of the job: variables on the parameter servers, steps on the workers."""

    def __init__(self, task: digits.Task, options: sample_run.Options) -> None:
        self.options = options
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        self.strategy = tf.distribute.ParameterServerStrategy(resolver)
        self.coordinator = tf.distribute.coordinator.ClusterCoordinator(self.strategy)
        with self.strategy.scope():
            self.model = digits.Classifier()
            self.step = tf.Variable(0, dtype=tf.int64, name="step")
            self.worker_steps = tf.Variable(tf.zeros([len(task.cluster["worker"])], tf.int64), name="worker_steps")
            self.loss = tf.Variable(0.0, name="loss")
        state = {"step": self.step, "worker_steps": self.worker_steps, "loss": self.loss}
        checkpoint = tf.train.Checkpoint(model=self.model, **state)
        self.checkpoints = tf.train.CheckpointManager(checkpoint, str(options.folder / "checkpoints"), max_to_keep=2)
        self.checkpoints.restore_or_initialize()
        self.batches = iter(self.coordinator.create_per_worker_dataset(self._batches_of_one_worker))

    def _batches_of_one_worker(self) -> Any:
        """Return the endless training data; runs on each worker, which reads the shared volume itself."""
        rows = digits.read_digits(self.options.data, test=False).cache()
        return rows.shuffle(2_000).repeat().batch(self.options.batch_size, drop_remainder=True)

    @tf.function  # type: ignore[untyped-decorator]
    def _train_step(self, batches: Iterator[Any]) -> Any:
        """One step of gradient descent, on whichever worker is free; counted on the parameter server."""
        loss = self.model.descend(*next(batches))
        worker = tf.distribute.coordinator.experimental_get_current_worker_index()
        self.worker_steps.assign_add(tf.one_hot(worker, self.worker_steps.shape[0], dtype=tf.int64))
        self.step.assign_add(1)
        return loss

    def round(self) -> None:
        """Train until the next checkpoint and write it; the loss is the mean of the round's steps."""
        count = min(sample_run.STEPS_PER_ROUND, self.options.steps - self.steps_done())
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


def lead(task: digits.Task, options: sample_run.Options) -> dict[str, Any]:
    """Be the chief: train, save, and return the facts of the whole job."""
    began = time.monotonic()
    servers = task.tasks(*SERVERS)
    print(f"waiting for {', '.join(dict(servers))}", flush=True)
    sample_run.wait_for_servers(servers, options.peer_timeout_s)
    print(f"all of them answer after {time.monotonic() - began:.1f} s", flush=True)
    sample_run.prepare_folder(options)
    training, test = Training(task, options), digits.Test(options.data)
    resumed_from = training.steps_done()
    if resumed_from:
        print(f"resumed from step {resumed_from}", flush=True)
    training_began = time.monotonic()
    with tf.summary.create_file_writer(str(options.folder / "logs")).as_default():
        while training.steps_done() < options.steps:
            training.round()
            step, loss = training.steps_done(), float(training.loss.numpy())
            accuracy = test.accuracy(training.model)
            digits.log_scalar("loss", loss, step)
            digits.log_scalar("test_accuracy", accuracy, step)
            sample_run.print_round(step, options, loss, accuracy)
    training_s = time.monotonic() - training_began
    folder = training.model.save(options.folder / "model")
    return {
        "job": options.job,
        "tensorflow": tf.__version__,
        "steps": training.steps_done(),
        "worker_steps": [int(count) for count in training.worker_steps.numpy()],
        "resumed_from": resumed_from,
        "loss": float(training.loss.numpy()),
        # Of the saved model as read back from the volume: what a server would answer.
        "test_accuracy": test.accuracy(tf.saved_model.load(str(folder))),
        "variables": training.placement(),
        "pods": sample_run.pods(options.folder, [task.name, *dict(servers)]),
        "training_s": round(training_s, 3),
        "total_s": round(time.monotonic() - began, 3),
        "folder": str(options.folder),
    }


def main(arguments: list[str]) -> int:
    """Be what TF_CONFIG says."""
    options, task = digits.begin(arguments, __doc__)
    if task.kind != "chief":
        serve(task)
    result = lead(task, options)
    sample_run.write_json(options.folder / "result.json", result)
    placement = [f"  {name:<14} {device}" for name, device in result["variables"].items()]
    who_did = f"of which each worker did {result['worker_steps']}"
    sample_run.print_result(result, ["where the variables are:", *placement], who_did)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
