# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all modules on the API host share: connection options, the store, progress."""

from __future__ import annotations

import os
from typing import Any, Dict

from ansible.module_utils.basic import missing_required_lib

from .._common.background import Progress
from .._common.problem import Problem, report
from .client import HAS_KUBERNETES, ConnectError, connect, kubeconfig_path
from .errors import ApiError
from .store import FIELD_MANAGER, Store
from .wait import Say


def api_spec() -> Dict[str, Any]:
    """Return the options of the doc fragment `api`."""
    return {
        "kubeconfig": {"type": "path"},
        "context": {"type": "str"},
        "field_manager": {"type": "str", "default": FIELD_MANAGER},
        "force_conflicts": {"type": "bool", "default": True},
        "progress_file": {"type": "path"},
    }


def open_store(module: Any) -> Store:
    """Return the store for a module's options, or end the module with what is wrong with them."""
    try:
        return connected_store(module)
    except ConnectError as error:
        module.fail_json(msg=report([error.problem]))
        raise


def connected_store(module: Any) -> Store:
    """Return the store for a module's options. Raises ConnectError; ends the module without the Python client."""
    if not HAS_KUBERNETES:
        module.fail_json(msg=missing_required_lib("kubernetes"))
    client = connect(module.params["kubeconfig"], module.params["context"])
    return Store(client, module.params["field_manager"], module.params["force_conflicts"])


def unanswered(module: Any, error: ApiError) -> Problem:
    """Return the problem of a kubeconfig by which a cluster could not be read."""
    way_out = "Look: kubectl --kubeconfig <file> get --raw /version; the server must answer, and know the user"
    return Problem("kubeconfig", kubeconfig_path(module.params["kubeconfig"]), error.message, way_out)


def no_cluster_yet(module: Any) -> str:
    """Return a note when check mode runs before there is a cluster, so that all must be predicted; else nothing."""
    path = kubeconfig_path(module.params["kubeconfig"])
    if not module.check_mode or os.path.exists(path):
        return ""
    return f"there is no cluster yet ({path} does not exist): predicted for an empty one"


def progress(module: Any) -> Say:
    """Return the function that tells how far the work is; it does nothing when nobody listens."""
    path = module.params["progress_file"]
    return Progress(path).say if path else _silent


def _silent(_text: str) -> None:
    """Nobody listens."""
