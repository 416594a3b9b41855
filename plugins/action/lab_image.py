"""Makes the image of the lab's nodes, on the controller."""

from __future__ import annotations

import platform
import shutil
import subprocess
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._common.lock import locked
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab.image import Recipe, root_files
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab.image_make import has, make

_SPEC = {
    "base": {"type": "str", "required": True},
    "suite": {"type": "str", "required": True},
    "packages": {"type": "list", "elements": "str", "required": True},
    "setup": {"type": "path", "required": True},
    "cache_dir": {"type": "path", "required": True},
}

_SOURCES = (".list", ".sources")


class ActionModule(ActionBase):
    """Make the image when podman does not have it."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _result, options = self.validate_argument_spec(argument_spec=_SPEC)
        recipe = _recipe(options)
        if has(recipe.image):
            return {"changed": False, "image": recipe.image}
        if self._task.check_mode:
            return {"changed": True, "image": recipe.image}
        # Two labs that come up together need one image.
        waiting = partial(Display().display, "  node image: waiting for another run that makes it")
        with locked(Path(options["cache_dir"]) / "lab-image.lock", waiting):
            if has(recipe.image):
                return {"changed": False, "image": recipe.image}
            return {"changed": True, "image": recipe.image, "source": make(recipe)}


def _recipe(options: dict[str, Any]) -> Recipe:
    sources = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*.*")]
    certificates = Path("/usr/local/share/ca-certificates").glob("*.crt")
    environment = urllib.request.getproxies_environment()
    files = root_files(
        options["suite"],
        _own_suite(),
        sources={path.name: path.read_text() for path in sources if path.suffix in _SOURCES and path.exists()},
        apt_dump=_apt_settings(),
        proxies={scheme: environment[scheme] for scheme in ("http", "https") if scheme in environment},
        certificates={path.name: path.read_text() for path in sorted(certificates)},
    )
    setup = Path(options["setup"]).read_text()
    return Recipe(options["base"], options["suite"], tuple(options["packages"]), files, setup)


def _own_suite() -> str:
    """Return the code name of this machine's Debian, empty where it tells none."""
    try:
        about = platform.freedesktop_os_release()
    except OSError:
        return ""
    return about.get("VERSION_CODENAME", "") if about.get("ID") == "debian" else ""


def _apt_settings() -> str:
    if shutil.which("apt-config") is None:
        return ""
    return subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
