# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of images in another registry."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.image_name import (
    image_rule,
    in_registry,
    pull_secrets,
)


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("registry.k8s.io/coredns/coredns:v1", "r.example.org:5000/m/coredns/coredns:v1"),
        ("docker.io/tensorflow/tensorflow:2.21.0", "r.example.org:5000/m/tensorflow/tensorflow:2.21.0"),
        ("localhost/a:1", "r.example.org:5000/m/a:1"),
        ("host:5000/a:1", "r.example.org:5000/m/a:1"),
        ("tensorflow/tensorflow:2", "r.example.org:5000/m/tensorflow/tensorflow:2"),
        ("python:3", "r.example.org:5000/m/python:3"),
        ("a.b/c@sha256:00", "r.example.org:5000/m/c@sha256:00"),
    ],
)
def test_the_host_is_replaced(image: str, expected: str) -> None:
    assert in_registry(image, "r.example.org:5000/m") == expected
    assert in_registry(image, "r.example.org:5000/m/") == expected
    assert in_registry(image, "") == image


def test_pull_secrets() -> None:
    assert pull_secrets(["a"]) == [{"name": "a"}]
    assert pull_secrets([]) == []


@pytest.mark.parametrize(
    "image",
    [
        "busybox",
        "busybox:1.37",
        "team/image",
        "a/b/c_d__e-f.g:V1.0_x",
        "localhost/a",
        "localhost:5000/a",
        "REGISTRY.example.org:5000/a/b",
        "[fd00:20::5]:5000/a",
        "a@sha256:" + "0" * 64,
        "registry.example.org/a:1@sha256:" + "f" * 64,
    ],
)
def test_names_of_images(image: str) -> None:
    assert image_rule(image) == ""


@pytest.mark.parametrize(
    ("image", "words"),
    [
        ("https://registry.example.org/a", "has no scheme"),
        ("Team/image", "capital letters"),
        ("registry.example.org/Team/image", "capital letters"),
        ("", "no name of an image"),
        ("a b", "no name of an image"),
        ("a:", "no name of an image"),
        ("a:b:c/", "no name of an image"),
        ("a/", "no name of an image"),
        ("/a", "no name of an image"),
        ("a//b", "no name of an image"),
        ("a@sha256:12", "no name of an image"),
        ("a:" + "x" * 129, "no name of an image"),
        ("a\n", "no name of an image"),
        ("a" * 256, "no name of an image"),
    ],
)
def test_what_is_no_name_of_an_image(image: str, words: str) -> None:
    assert words in image_rule(image)
