# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key that encrypts secrets in etcd, and the API server's file around it. Python 3.8, standard library only."""

from __future__ import annotations

import base64
import json
import os
from typing import Any, Dict, List, Optional, Sequence

KEY_BYTES = 32
KEY_NAME = "key1"
PROVIDERS = ("secretbox", "none")


def new_key() -> str:
    """Return a key from the host's own source of randomness, in base64."""
    return base64.b64encode(os.urandom(KEY_BYTES)).decode()


def config_text(provider: str, key: str) -> str:
    """Return the EncryptionConfiguration. The first provider writes, each one reads.

    provider: `secretbox` encrypts; `none` writes plain text and still reads what was encrypted before. So both can be
    switched over while several API servers run.
    """
    secretbox: Dict[str, Any] = {"secretbox": {"keys": [{"name": KEY_NAME, "secret": key}]}}
    providers: List[Dict[str, Any]] = [secretbox, {"identity": {}}]
    document = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "EncryptionConfiguration",
        "resources": [
            {"resources": ["secrets"], "providers": providers if provider == "secretbox" else providers[::-1]}
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def key_of(text: str) -> Optional[str]:
    """Return the key that such a file holds, None when it holds none of ours."""
    try:
        resources = json.loads(text)["resources"]
        keys = [
            key["secret"]
            for resource in resources
            for provider in resource["providers"]
            for key in provider.get("secretbox", {}).get("keys", [])
        ]
        return str(keys[0]) if len(keys) == 1 and len(base64.b64decode(keys[0])) == KEY_BYTES else None
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def first_key(texts: Sequence[str]) -> Optional[str]:
    """Return the key of the first file that holds one."""
    return next((key for key in map(key_of, texts) if key), None)
