# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the samples that learn handwritten digits with TensorFlow have in common: data and model.

Lies beside the programs in their pods. Needs tensorflow and numpy, nothing else: the programs run on TensorFlow's own
images too.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Read when TensorFlow is imported: say less, and let a call to a lost server fail instead of hanging. oneDNN gains
# nothing on a model of this size, and without it results do not depend on the CPU's kind.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")

import numpy as np  # type: ignore[import-not-found]
import tensorflow as tf  # type: ignore[import-untyped]
from sample_run import (  # type: ignore[import-not-found]
    BRIGHTEST,
    CLASSES,
    HIDDEN,
    LEARNING_RATE,
    PIXELS,
    SEED,
    TEST_EVERY,
    Address,
    Options,
    end_at_once,
    parse,
    report_pod,
)

# Each checkpoint of the training loop traces its own function; the warning about it helps nobody.
tf.get_logger().setLevel("ERROR")


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

    def tasks(self, *kinds: str) -> list[Address]:
        """Every task of these kinds, with its address."""
        return [(f"{kind}-{index}", address) for kind in kinds for index, address in enumerate(self.cluster[kind])]


class Classifier(tf.Module):  # type: ignore[misc]
    """64 pixels to the logits of ten digits, over one hidden layer.

    aggregation: what becomes of an update that several workers make together.
    """

    def __init__(self, aggregation: Any = tf.VariableAggregation.NONE) -> None:
        super().__init__(name="classifier")
        normal = tf.random.stateless_normal

        def variable(value: Any, name: str) -> Any:
            return tf.Variable(value, name=name, aggregation=aggregation)

        self.hidden_kernel = variable(normal([PIXELS, HIDDEN], [SEED, 0]) / PIXELS**0.5, "hidden_kernel")
        self.hidden_bias = variable(tf.zeros([HIDDEN]), "hidden_bias")
        self.output_kernel = variable(normal([HIDDEN, CLASSES], [SEED, 1]) / HIDDEN**0.5, "output_kernel")
        self.output_bias = variable(tf.zeros([CLASSES]), "output_bias")

    @tf.function(input_signature=[tf.TensorSpec([None, PIXELS], tf.float32, name="pixels")])  # type: ignore[untyped-decorator]
    def __call__(self, pixels: Any) -> Any:
        hidden = tf.nn.relu(pixels @ self.hidden_kernel + self.hidden_bias)
        return hidden @ self.output_kernel + self.output_bias

    def descend(self, pixels: Any, labels: Any) -> Any:
        """Take one step of gradient descent and return the loss before it."""
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self(pixels))
            loss = tf.reduce_mean(losses)
        variables = self.trainable_variables
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(LEARNING_RATE * gradient)
        return loss

    def save(self, folder: Path) -> Path:
        """Write the model for serving, complete or not at all, and return its folder."""
        unfinished = folder.with_name(f"{folder.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        tf.saved_model.save(self, str(unfinished), signatures=self.__call__.get_concrete_function())
        shutil.rmtree(folder, ignore_errors=True)
        return unfinished.rename(folder)


def read_digits(path: Path, test: bool) -> Any:
    """Return a dataset of (pixels, label) with one part of the rows: the fifth of the test, or all others."""
    rows = tf.data.TextLineDataset(str(path)).enumerate()
    part = rows.filter(lambda number, _line: tf.equal(number % TEST_EVERY == TEST_EVERY - 1, test))

    def parse(_number: Any, line: Any) -> tuple[Any, Any]:
        values = tf.strings.to_number(tf.strings.split(line, ","))
        return tf.ensure_shape(values[:PIXELS], [PIXELS]) / BRIGHTEST, tf.cast(values[PIXELS], tf.int64)

    return part.map(parse)


class Test:
    """The rows that no training sees."""

    def __init__(self, path: Path) -> None:
        self.pixels, self.labels = next(iter(read_digits(path, test=True).batch(10_000)))

    def accuracy(self, model: Any) -> float:
        """Return which part of the rows a model reads right."""
        return float(np.mean(np.argmax(model(self.pixels).numpy(), axis=1) == self.labels.numpy()))


def log_scalar(tag: str, value: float, step: int) -> None:
    """Write one point of a curve for TensorBoard; tf.summary.scalar itself would need TensorBoard to be installed."""
    metadata = tf.compat.v1.SummaryMetadata()
    metadata.plugin_data.plugin_name = "scalars"
    tf.summary.write(tag, value, step=step, metadata=metadata)


def begin(arguments: list[str], about: str | None) -> tuple[Options, Task]:
    """Be what the command line and TF_CONFIG say."""
    options, task = parse(arguments, about), Task.from_environment()
    signal.signal(signal.SIGTERM, end_at_once)
    report_pod(options.folder, task.name)
    return options, task
