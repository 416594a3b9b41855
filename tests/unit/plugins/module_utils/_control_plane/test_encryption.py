# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import base64
import json

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.encryption import (
    config_text,
    first_key,
    key_of,
    new_key,
)


def providers(provider: str) -> list[str]:
    (resource,) = json.loads(config_text(provider, new_key()))["resources"]
    assert resource["resources"] == ["secrets"]
    return [name for item in resource["providers"] for name in item]


def test_the_first_provider_writes_and_both_read() -> None:
    assert providers("secretbox") == ["secretbox", "identity"]
    assert providers("none") == ["identity", "secretbox"]


def test_keys_are_32_bytes_and_never_the_same() -> None:
    keys = {new_key() for _time in range(20)}
    assert len(keys) == 20
    assert {len(base64.b64decode(key)) for key in keys} == {32}


@pytest.mark.parametrize("provider", ["secretbox", "none"])
def test_a_key_comes_back_from_its_file(provider: str) -> None:
    key = new_key()
    assert key_of(config_text(provider, key)) == key
    assert first_key(["", "{}", config_text(provider, key), config_text(provider, new_key())]) == key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kind: EncryptionConfiguration",
        "[]",
        "{}",
        '{"resources": 1}',
        '{"resources": [{"providers": [{"secretbox": {"keys": [{"secret": "c2hvcnQ="}]}}]}]}',
        '{"resources": [{"providers": [{"secretbox": {"keys": [{"secret": "not base64!"}]}}]}]}',
        '{"resources": [{"providers": [{"secretbox": null}]}]}',
    ],
)
def test_what_is_no_such_file_holds_no_key(text: str) -> None:
    assert key_of(text) is None
