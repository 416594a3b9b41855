"""The steps that make the image of the lab's nodes, each shown with its time."""

from __future__ import annotations

import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

from ansible.errors import AnsibleActionFail
from ansible.utils.display import Display

from .image import SETTINGS_PATH, SOURCES_PATH, Recipe, bootstrap_script, containerfile

_STEPS = 3


def has(image: str) -> bool:
    """Tell whether podman has the image; without podman it has none."""
    try:
        return _succeeds(["podman", "image", "exists", image])
    except FileNotFoundError:
        return False


def make(recipe: Recipe) -> str:
    """Make the image; return `pulled` or `bootstrapped`, where its base came from."""
    with tempfile.TemporaryDirectory(prefix="trainyard-lab-") as folder:
        context = Path(folder) / "context"
        _write_context(recipe, context)
        with _step(1, f"pull {recipe.base}"):
            pulled = _succeeds(["podman", "pull", "--quiet", recipe.base])
        without = f"bootstrap Debian {recipe.suite}, since {recipe.base} cannot be pulled"
        with _step(2, "use the pulled base" if pulled else without):
            base = recipe.base if pulled else _bootstrap(recipe, context, Path(folder))
        with _step(3, "add the node's settings"):
            (context / "Containerfile").write_text(containerfile(base, recipe.packages))
            # chroot needs neither cgroups nor a network of its own, so it works wherever the lab does.
            flags = ["--quiet", "--isolation", "chroot", "--network", "host", "--pull=never", "--tag", recipe.image]
            _must(["podman", "build", *flags, str(context)])
        return "pulled" if pulled else "bootstrapped"


def _write_context(recipe: Recipe, context: Path) -> None:
    for name, text in recipe.files.items():
        path = context / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (context / "setup.sh").write_text(recipe.setup)


def _bootstrap(recipe: Recipe, context: Path, folder: Path) -> str:
    """Make a bare Debian without any registry and return the image's name."""
    if SOURCES_PATH not in recipe.files:
        raise AnsibleActionFail(
            f"{recipe.base} cannot be pulled, and there are no apt sources of Debian {recipe.suite} on this machine to "
            f"bootstrap from. Make its registry reachable (podman pull {recipe.base}), or use a machine of that Debian"
        )
    name = f"{recipe.image}-base"
    memory, archive = folder / "memory", folder / "base.tar"
    memory.mkdir()
    script = bootstrap_script(recipe, str(memory), str(context / "root" / SETTINGS_PATH))
    with (context / "root" / SOURCES_PATH).open() as sources, archive.open("w") as output:
        _must(["unshare", "--mount", "--propagation", "private", "sh", "-c", script], stdin=sources, stdout=output)
    _must(["podman", "import", "--quiet", str(archive), name])
    return name


def _succeeds(argv: list[str]) -> bool:
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


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
