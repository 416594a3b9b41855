# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter's own part: which builder it calls, texts of manifests, and errors in the shape that Ansible prints."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.filter.objects import PARTS, FilterModule
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._manifests import kube_batch, training_operator, volcano
from tests.support.paths import ROOT

objects = FilterModule().filters()["objects"]
DOCUMENTATION = yaml.safe_load((ROOT / "plugins/filter/objects.yml").read_text(encoding="utf-8"))["DOCUMENTATION"]
CONF = {"actions": ["allocate", "backfill"], "tiers": [{"plugins": ["gang", "proportion"]}]}
OPERATOR = {
    "image": "example.org/operator:v1",
    "replicas": 1,
    "controller_threads": 1,
    "api_qps": 20,
    "api_burst": 30,
    "resources": {},
    "tolerations": [],
    "init_template": "- {name: wait, image: '{{.InitContainerImage}}'}",
    "init_image": "example.org/busybox:1",
    "init_tries": 1,
}
LARGE = {"a": "x" * 2_000_000}


def arguments(part: str) -> set[str]:
    """Return the names of a part's arguments, those of its settings instead of **settings."""
    settings: dict[str, Any] = {"kube_batch": kube_batch, "training_operator": training_operator, "volcano": volcano}
    _input, *names = inspect.signature(PARTS[part]).parameters
    if "settings" in names:
        names += inspect.signature(settings[part].Settings).parameters
    # Made of other arguments, or the input itself.
    return set(names) - {"settings", "init_containers", _input}


def test_the_documented_parts_are_those_that_are_there() -> None:
    assert DOCUMENTATION["options"]["part"]["choices"] == list(PARTS)


@pytest.mark.parametrize("part", PARTS)
def test_each_argument_of_a_part_is_documented(part: str) -> None:
    (text,) = (text for text in DOCUMENTATION["description"] if f"V({part})" in text)
    assert arguments(part) <= set(re.findall(r"C\((\w+)\)", text))


def test_an_unknown_part_is_a_filter_error_that_names_the_others() -> None:
    with pytest.raises(AnsibleFilterError, match=r"part=calico: must be one of condensed, .*, volcano"):
        objects({}, "calico")


@pytest.mark.parametrize(
    ("part", "value", "options", "told"),
    [
        ("volcano", "", {"scheduler_conf": CONF, "images": {}}, "must hold volcano-admission"),
        ("volcano", "", {"scheduler_conf": CONF, "images": {}, "colour": "red"}, "colour"),
        ("kube_batch", "a:1", {"scheduler_conf": CONF, "colour": "red"}, "colour"),
        ("training_operator", "", OPERATOR, "must hold one Deployment"),
        ("training_operator", "", {**OPERATOR, "colour": "red"}, "colour"),
        ("training_operator", "a: b: c", OPERATOR, "mapping values are not allowed"),
        ("training_operator", "", {**OPERATOR, "init_template": "name: wait"}, "must be a list of containers"),
        ("sample_program", LARGE, {"name": "train", "namespace": "ns"}, "the files of train are"),
        (
            "sample_names",
            ["train"],
            {"namespace": "ns", "kinds": {"train": "tfjob"}, "files": {"train": LARGE}},
            "the files of train are",
        ),
        ("shared_volume", ["a"], {"claim": "shared", "path": "data", "capacity": "1Gi"}, "path = 'data'"),
        ("containerd_config_version", "1.7.20", {}, "containerd 1.7.20 is not supported"),
        ("flannel", {"image": "a:1"}, {}, "vxlan_port"),
    ],
)
def test_what_is_wrong_is_a_filter_error_that_names_the_part(
    part: str, value: Any, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(AnsibleFilterError, match=rf"^objects\('{part}'\): .*{re.escape(told)}"):
        objects(value, part, **options)


def test_a_manifest_is_read_as_text() -> None:
    deployment = {
        "kind": "Deployment",
        "metadata": {"name": "training-operator"},
        "spec": {
            "template": {
                "metadata": {},
                "spec": {"containers": [{"name": "operator", "volumeMounts": []}], "volumes": []},
            }
        },
    }
    text = yaml.safe_dump_all([{"kind": "CustomResourceDefinition"}, deployment])
    found = objects(text, "training_operator", **OPERATOR)
    assert [item["kind"] for item in found][:2] == ["CustomResourceDefinition", "Deployment"]


def test_kube_batchs_configuration_is_text() -> None:
    found = objects("kube-batch:v0.5", "kube_batch", scheduler_conf=CONF)
    (conf,) = (item["data"]["kube-batch.conf"] for item in found if item["kind"] == "ConfigMap")
    assert yaml.safe_load(conf)["actions"] == "allocate, backfill"


def test_nodes_by_their_names() -> None:
    assert objects(["n1"], "nodes") == [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}]


def test_arguments_may_stand_by_their_place() -> None:
    routes = [{"network": "10.244.1.0/24", "interface": "flannel.1", "gateway": ""}]
    assert objects(routes, "flannel_leftovers", "routes", "10.244.0.0/16") == ["link delete flannel.1"]
