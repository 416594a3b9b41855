"""Makes the image of the lab's nodes, on the controller, and shows each step."""

from __future__ import annotations

import fcntl
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.trainyard.mlstack.plugins.module_utils._lab_image import (
    SETTINGS_PATH,
    SOURCES_PATH,
    Recipe,
    bootstrap_script,
    containerfile,
    root_files,
)

_SPEC = {
    "base": {"type": "str", "required": True},
    "suite": {"type": "str", "required": True},
    "packages": {"type": "list", "elements": "str", "required": True},
    "setup": {"type": "path", "required": True},
    "cache_dir": {"type": "path", "required": True},
}
_STEPS = 3


class ActionModule(ActionBase):
    """Make the image when podman does not have it."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _result, options = self.validate_argument_spec(argument_spec=_SPEC)
        recipe = _recipe(options)
        if _has(recipe.image):
            return {"changed": False, "image": recipe.image}
        if self._task.check_mode:
            return {"changed": True, "image": recipe.image}
        # Two labs that come up together need one image.
        with _locked(Path(options["cache_dir"]) / "lab-image.lock"):
            if _has(recipe.image):
                return {"changed": False, "image": recipe.image}
            return {"changed": True, "image": recipe.image, "source": _make(recipe)}


def _recipe(options: dict[str, Any]) -> Recipe:
    sources = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*.*")]
    certificates = Path("/usr/local/share/ca-certificates").glob("*.crt")
    proxies = {
        scheme: url for scheme, url in urllib.request.getproxies_environment().items() if scheme in ("http", "https")
    }
    files = root_files(
        options["suite"],
        sources={
            path.name: path.read_text() for path in sources if path.suffix in (".list", ".sources") and path.exists()
        },
        apt_dump=subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=False).stdout,
        proxies=proxies,
        certificates={path.name: path.read_text() for path in sorted(certificates)},
    )
    return Recipe(
        options["base"], options["suite"], tuple(options["packages"]), files, Path(options["setup"]).read_text()
    )


def _has(image: str) -> bool:
    try:
        return subprocess.run(["podman", "image", "exists", image], check=False).returncode == 0
    except FileNotFoundError:
        return False


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            Display().display("  node image: waiting for another run that makes it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _make(recipe: Recipe) -> str:
    """Make the image; return `pulled` or `bootstrapped`, where its base came from."""
    with tempfile.TemporaryDirectory(prefix="trainyard-lab-") as folder:
        context = Path(folder) / "context"
        _write_context(recipe, context)
        with _step(1, f"pull {recipe.base}"):
            pulled = (
                subprocess.run(["podman", "pull", "--quiet", recipe.base], capture_output=True, check=False).returncode
                == 0
            )
        with _step(
            2,
            "use the pulled base"
            if pulled
            else f"bootstrap Debian {recipe.suite}, since {recipe.base} cannot be pulled",
        ):
            base = recipe.base if pulled else _bootstrap(recipe, context, Path(folder))
        with _step(3, "add the node's settings"):
            (context / "Containerfile").write_text(containerfile(base, recipe.packages))
            # chroot needs neither cgroups nor a network of its own, so it works wherever the lab does.
            _must(
                [
                    "podman",
                    "build",
                    "--quiet",
                    "--isolation",
                    "chroot",
                    "--network",
                    "host",
                    "--pull=never",
                    "--tag",
                    recipe.image,
                    str(context),
                ]
            )
        return "pulled" if pulled else "bootstrapped"


def _write_context(recipe: Recipe, context: Path) -> None:
    for name, text in recipe.files.items():
        path = context / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (context / "setup.sh").write_text(recipe.setup)


def _bootstrap(recipe: Recipe, context: Path, folder: Path) -> str:
    """Make a bare Debian without any registry and return the image's name."""
    name = f"{recipe.image}-base"
    memory, archive = folder / "memory", folder / "base.tar"
    memory.mkdir()
    script = bootstrap_script(recipe, str(memory), str(context / "root" / SETTINGS_PATH))
    with (context / "root" / SOURCES_PATH).open() as sources, archive.open("w") as output:
        _must(["unshare", "--mount", "--propagation", "private", "sh", "-c", script], stdin=sources, stdout=output)
    _must(["podman", "import", "--quiet", str(archive), name])
    return name


def _must(argv: list[str], stdin: Any = subprocess.DEVNULL, stdout: Any = subprocess.DEVNULL) -> None:
    ended = subprocess.run(argv, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    if ended.returncode != 0:
        last = "\n".join(ended.stderr.strip().splitlines()[-15:])
        raise AnsibleActionFail(
            f"The image of the lab's nodes could not be made: {argv[0]} ended with {ended.returncode}. "
            f"Its last words:\n{last}"
        )


@contextmanager
def _step(number: int, text: str) -> Iterator[None]:
    start = time.monotonic()
    Display().display(f"  node image [{number}/{_STEPS}]: {text}")
    yield
    Display().display(f"  node image [{number}/{_STEPS}]: took {time.monotonic() - start:.0f} s")
