# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Units, packages and programs of a host, and what Kubernetes has left there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Sequence

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._host import info_software as software
from tests.support.made_up_host import answer


def host_that_prints(text: str | None) -> Host:
    """Return a host of which each program prints the same."""
    return Host("/nowhere", lambda argv: text)


def test_units_are_matched_with_their_answers_in_order() -> None:
    host = host_that_prints("active\nfailed\nactivating\nactive\n")
    assert software.active_units(host, ["a.service", "b.service", "c.service", "d.service"]) == [
        "a.service",
        "d.service",
    ]


@pytest.mark.parametrize("text", [None, "", "active\nactive\n"])
def test_without_an_answer_for_each_unit_nothing_is_known(text: str | None) -> None:
    with pytest.raises(ValueError, match=r"systemctl is-active gave [02] answers for 1 units"):
        software.active_units(host_that_prints(text), ["a.service"])


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("Kubernetes v1.37.2\n", "1.37.2"),
        ("containerd github.com/containerd/containerd/v2 v2.4.2 abc\n", "2.4.2"),
        ("containerd containerd.io 1.7.25-rc.1+x~y z\n", "1.7.25-rc.1+x~y"),
        ("version 1.2 of the year\n", None),
        ("", None),
        (None, None),
    ],
)
def test_the_first_version_number_counts(text: str | None, version: str | None) -> None:
    assert software.version_of(host_that_prints(text), ["x", "--version"]) == version


def test_packages_are_those_installed_whole() -> None:
    text = "".join(
        f"{line}\n"
        for line in (
            "socat 1.7 install installed",
            "conntrack 1.4 hold installed",
            "x 6.1 deinstall config-files",
            "y  unknown not-installed",
        )
    )
    assert software.packages(host_that_prints(text), ["socat", "conntrack", "x", "y"]) == {
        "socat": {"version": "1.7", "held": False},
        "conntrack": {"version": "1.4", "held": True},
    }


def test_no_package_is_asked_for_in_vain() -> None:
    def run(argv: Sequence[str]) -> str | None:
        raise AssertionError(argv)

    assert software.packages(Host("/nowhere", run), []) == {}
    with pytest.raises(ValueError, match="dpkg-query cannot be run"):
        software.packages(host_that_prints(None), ["socat"])


def test_services_in_one_question() -> None:
    questions: list[Sequence[str]] = []

    def run(argv: Sequence[str]) -> str | None:
        questions.append(argv)
        return answer(argv)

    assert software.services(Host("/nowhere", run)) == {
        "time_service": "chrony",
        "containerd_running": True,
        "runtimes": ["docker"],
        "swap_makers": ["zramswap.service"],
        "active": ["k3s.service"],
    }
    assert len(questions) == 1


SERVER = "    server: https://{}/\n".format
NOTHING = {"admin_conf": False, "kubelet_conf": False, "cni": [], "stage": "none", "endpoint": "", "ours": False}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, {}),
        ({"etc/kubernetes/mlstack/kubeadm.yaml": ""}, {"ours": True}),
        ({"etc/cni/net.d/10-x.conflist": ""}, {"cni": ["10-x.conflist"]}),
        (
            {"etc/kubernetes/kubelet.conf": SERVER("192.0.2.1:6443")},
            {"kubelet_conf": True, "endpoint": "192.0.2.1:6443"},
        ),
        (
            {"etc/kubernetes/kubelet.conf": SERVER("192.0.2.1:6443"), "etc/kubernetes/admin.conf": SERVER("api:6443")},
            {"kubelet_conf": True, "admin_conf": True, "stage": "done", "endpoint": "api:6443"},
        ),
    ],
)
def test_what_kubernetes_has_left(tmp_path: Path, files: dict[str, str], found: dict[str, Any]) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    left = software.kubernetes(Host(str(tmp_path), answer))
    assert left == {**NOTHING, "version": "1.37.2", **found}
