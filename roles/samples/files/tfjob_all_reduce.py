# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Train a classifier of handwritten digits with TensorFlow's MultiWorkerMirroredStrategy, and evaluate beside it.

The same program runs in every pod of the TFJob; TF_CONFIG, which the training operator sets, tells it what it is:

- each `worker` keeps the whole model and reads its own part of the data; after each step all of them sum up their
  gradients, over a ring of gRPC connections. Worker 0 also writes checkpoints, logs and the saved model;
- `evaluator` belongs to no ring: it tests the newest checkpoint, again and again, until it has tested the last one.

The training operator calls the job done when worker 0 ends, and removes what runs then; so worker 0 waits for the
last evaluation. A ring that has lost a worker is of no use to the others: they end with an error, all of them are
started again by their restart policy, find each other, and go on from the last checkpoint. Everything lies on a volume
that all pods share. Environment: TF_CONFIG, POD_NAME, NODE_NAME.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from typing import Any, NoReturn

import digits  # type: ignore[import-not-found]
import numpy as np  # type: ignore[import-not-found]
import sample_run  # type: ignore[import-not-found]
import tensorflow as tf  # type: ignore[import-untyped]

# A worker that is lost with its machine closes no connection: this bounds how long the others stay in one step.
COLLECTIVE_TIMEOUT_S = 60
EVALUATOR = "evaluator-0"


def last_step(options: sample_run.Options) -> int:
    """Return the step of the newest checkpoint; 0 when there is none."""
    newest = tf.train.latest_checkpoint(str(options.folder / "checkpoints"))
    return int(newest.rsplit("-", 1)[1]) if newest else 0


def meet(task: digits.Task, options: sample_run.Options) -> None:
    """Return when all workers are there; raise TimeoutError that names those which are not.

    Done before TensorFlow's own way to meet, which waits for an hour, names nobody, and lets no signal handler run.
    """
    others = [server for server in task.tasks("worker") if server[0] != task.name]
    port = int(task.cluster["worker"][task.index].rsplit(":", 1)[1])
    both = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both else socket.AF_INET
    # Until TensorFlow serves at this port, a bare socket there tells the others that this worker has come.
    with socket.create_server(("", port), family=family, dualstack_ipv6=both):
        sample_run.wait_for_servers(others, options.peer_timeout_s)


class Training:
    """One worker's side of the ring: variables and steps are everybody's, the rows are its own."""

    def __init__(self, task: digits.Task, options: sample_run.Options) -> None:
        self.options = options
        communication = tf.distribute.experimental.CommunicationOptions(
            implementation=tf.distribute.experimental.CommunicationImplementation.RING,
            timeout_seconds=COLLECTIVE_TIMEOUT_S,
        )
        self.strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=communication)
        kind = tf.VariableAggregation
        with self.strategy.scope():
            self.model = digits.Classifier(kind.MEAN)
            self.step = tf.Variable(0, dtype=tf.int64, name="step", aggregation=kind.ONLY_FIRST_REPLICA)
            none = tf.zeros([len(task.cluster["worker"])], tf.int64)
            self.worker_rows = tf.Variable(none, name="worker_rows", aggregation=kind.SUM)
            self.loss = tf.Variable(0.0, name="loss", aggregation=kind.ONLY_FIRST_REPLICA)
        state = {"step": self.step, "worker_rows": self.worker_rows, "loss": self.loss}
        checkpoint = tf.train.Checkpoint(model=self.model, **state)
        self.checkpoints = tf.train.CheckpointManager(checkpoint, str(options.folder / "checkpoints"), max_to_keep=2)
        # Only now: the ring stands, so no process of an earlier one still writes, and all workers read the same.
        self.checkpoints.restore_or_initialize()
        self.batches = iter(self.strategy.distribute_datasets_from_function(self._batches_of_one_worker))

    def _batches_of_one_worker(self, context: Any) -> Any:
        """Return the endless training data of this worker: its part of the rows, and of each batch."""
        rows = digits.read_digits(self.options.data, test=False)
        mine = rows.shard(context.num_input_pipelines, context.input_pipeline_id).cache()
        size = context.get_per_replica_batch_size(self.options.batch_size)
        return mine.shuffle(2_000).repeat().batch(size, drop_remainder=True)

    @tf.function  # type: ignore[untyped-decorator]
    def _train_step(self, batch: Any) -> Any:
        """One step of gradient descent on all workers; their changes of a variable become one by all-reduce."""

        def one_worker(pixels: Any, labels: Any) -> Any:
            loss = self.model.descend(pixels, labels)
            worker = tf.distribute.get_replica_context().replica_id_in_sync_group
            rows = tf.shape(labels, tf.int64)[0]
            self.worker_rows.assign_add(rows * tf.one_hot(worker, self.worker_rows.shape[0], dtype=tf.int64))
            self.step.assign_add(1)
            return loss

        losses = self.strategy.run(one_worker, args=batch)
        return self.strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)

    def round(self, write: bool) -> None:
        """Train until the next checkpoint, and write it; the loss is the mean of the round's steps."""
        count = min(sample_run.STEPS_PER_ROUND, self.options.steps - self.steps_done())
        losses = [self._train_step(next(self.batches)).numpy() for _step in range(count)]
        self.loss.assign(np.mean(losses))
        if write:
            self.checkpoints.save(checkpoint_number=self.steps_done())

    def steps_done(self) -> int:
        """The count of steps, equal on all workers."""
        return int(self.step.numpy())


def train(task: digits.Task, options: sample_run.Options) -> Training:
    """Be one worker until the last step is done. Does not return when the ring breaks."""
    leads = task.index == 0
    meet(task, options)
    training = Training(task, options)
    resumed_from = training.steps_done()
    if resumed_from:
        print(f"resumed from step {resumed_from}", flush=True)
    try:
        with tf.summary.create_file_writer(str(options.folder / "logs" / task.name)).as_default():
            while training.steps_done() < options.steps:
                training.round(write=leads)
                step, loss = training.steps_done(), float(training.loss.numpy())
                digits.log_scalar("loss", loss, step)
                sample_run.print_round(step, options, loss)
    except tf.errors.OpError as error:
        name = type(error).__name__
        print(f"{task.name}: the ring broke after the checkpoint of step {last_step(options)} ({name})", flush=True)
        # Not through Python's own end: TensorFlow may wait there for the workers that it has lost.
        os._exit(1)
    return training


def sum_up(task: digits.Task, options: sample_run.Options, resumed_from: int, training_s: float) -> dict[str, Any]:
    """Be worker 0 at the end: wait for the last evaluation, save the model and return the facts of the whole job."""
    print("waiting for the last evaluation", flush=True)
    sample_run.wait(
        lambda: sample_run.read_json(options.folder / "evaluation.json").get("step") == options.steps,
        options.peer_timeout_s,
        lambda: f"{EVALUATOR} to test step {options.steps}",
    )
    model, loss = digits.Classifier(), tf.Variable(0.0)
    rows = tf.Variable(tf.zeros([len(task.cluster["worker"])], tf.int64))
    newest = tf.train.latest_checkpoint(str(options.folder / "checkpoints"))
    tf.train.Checkpoint(model=model, loss=loss, worker_rows=rows).read(newest).expect_partial()
    model.save(options.folder / "model")
    evaluation = sample_run.read_json(options.folder / "evaluation.json")
    return {
        "job": options.job,
        "tensorflow": tf.__version__,
        "steps": last_step(options),
        "worker_rows": [int(count) for count in rows.numpy()],
        "resumed_from": resumed_from,
        "loss": float(loss.numpy()),
        "test_accuracy": evaluation["test_accuracy"],
        "evaluated_steps": evaluation["evaluated_steps"],
        "pods": sample_run.pods(options.folder, [*dict(task.tasks("worker")), EVALUATOR]),
        "training_s": round(training_s, 3),
        "folder": str(options.folder),
    }


def evaluate(options: sample_run.Options) -> None:
    """Be the evaluator: test each new checkpoint until the last one is done."""
    model, step, test = digits.Classifier(), tf.Variable(0, dtype=tf.int64), digits.Test(options.data)
    reader = tf.train.Checkpoint(model=model, step=step)
    path = options.folder / "evaluation.json"
    done: list[int] = sample_run.read_json(path).get("evaluated_steps", [])
    with tf.summary.create_file_writer(str(options.folder / "logs" / EVALUATOR)).as_default():
        while options.steps not in done:
            newest = tf.train.latest_checkpoint(str(options.folder / "checkpoints"))
            if newest is None or last_step(options) in done:
                time.sleep(0.2)
                continue
            try:
                reader.read(newest).expect_partial()
            except tf.errors.NotFoundError:
                # Newer ones took its place while it was read.
                continue
            accuracy = test.accuracy(model)
            done.append(int(step.numpy()))
            digits.log_scalar("test_accuracy", accuracy, done[-1])
            sample_run.write_json(path, {"step": done[-1], "test_accuracy": accuracy, "evaluated_steps": done})
            print(f"step {done[-1]} of {options.steps}: test accuracy {accuracy:.4f}", flush=True)


def main(arguments: list[str]) -> NoReturn:
    """Be what TF_CONFIG says."""
    options, task = digits.begin(arguments, __doc__)
    if task.name == "worker-0":
        sample_run.prepare_folder(options)
    else:
        sample_run.wait(lambda: sample_run.is_under_way(options), options.peer_timeout_s, lambda: "worker-0 to begin")
    if task.kind == "evaluator":
        evaluate(options)
    else:
        began, resumed_from = time.monotonic(), last_step(options)
        # All may be done already but for the end: then there is no other worker left to train with. What is returned is
        # kept: to take a ring apart, TensorFlow may wait for workers that have ended before.
        _ring = train(task, options) if resumed_from < options.steps else None
    if task.name == "worker-0":
        result = sum_up(task, options, resumed_from, time.monotonic() - began)
        who_did = f"of whose rows each worker saw {result['worker_rows']}"
        sample_run.print_result(result, [f"evaluated at the steps {result['evaluated_steps']}"], who_did)
        # The very last act: a finished run that is started again would begin anew, and alone.
        sample_run.write_json(options.folder / "result.json", result)
    else:
        print(f"{task.name}: done", flush=True)
    # Not through Python's own end, for the same reason.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
