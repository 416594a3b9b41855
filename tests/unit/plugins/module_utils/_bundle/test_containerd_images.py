# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.containerd_images import (
    Held,
    differing,
    parse_list,
)

TYPE = "application/vnd.oci.image.manifest.v1+json"
LISTING = f"""REF TYPE DIGEST SIZE PLATFORMS LABELS
registry.k8s.io/pause:3.10.2       {TYPE} sha256:aaa 1.1 MiB linux/amd64 a=managed,io.cri-containerd.pinned=pinned
registry.k8s.io/kube-proxy:v1.37.2 {TYPE} sha256:bbb 50 MiB  linux/amd64 io.cri-containerd.image=managed
sha256:ccc                         {TYPE} sha256:bbb 50 MiB  linux/amd64 -
"""
PAUSE = {"name": "pause", "ref": "registry.k8s.io/pause:3.10.2", "digest": "sha256:aaa"}
PROXY = {"name": "kube-proxy", "ref": "registry.k8s.io/kube-proxy:v1.37.2", "digest": "sha256:bbb"}


def test_the_listing_is_read() -> None:
    held = parse_list(LISTING)
    assert held["registry.k8s.io/pause:3.10.2"] == Held("sha256:aaa", pinned=True)
    assert held["registry.k8s.io/kube-proxy:v1.37.2"] == Held("sha256:bbb", pinned=False)
    assert parse_list("") == {}


def test_equal_and_pinned_needs_nothing() -> None:
    assert differing([PAUSE], parse_list(LISTING), pinned=True) == ([], [])


def test_present_but_not_pinned_is_pinned_only_when_asked() -> None:
    assert differing([PROXY], parse_list(LISTING), pinned=True) == ([], [PROXY])
    assert differing([PROXY], parse_list(LISTING), pinned=False) == ([], [])


def test_another_digest_or_no_image_is_imported() -> None:
    newer = dict(PAUSE, digest="sha256:new")
    assert differing([newer], parse_list(LISTING), pinned=True) == ([newer], [])
    assert differing([PAUSE], {}, pinned=True) == ([PAUSE], [])
