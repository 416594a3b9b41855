# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the folders of a parameter-server job's tasks."""

from __future__ import annotations

from textwrap import indent

_MADE = "It must be there, unless O({name}.read_only=false), which makes it."
_READ_ONLY = """
read_only:
  description: Mount it read-only.
  type: bool
  default: true
"""
_TRAIN = """
clean:
  description:
    - Empty a task's folder when the job is made anew. A pod that is made again after a failure finds what its
      predecessor wrote.
  type: bool
  default: false
output:
  description:
    - Write what the program says to C(stdout.log) and C(stderr.log) in its folder as well. Its exit status
      stays the same.
    - Needs O(command), and C(sh), C(tee), C(mkfifo) and C(mktemp) in the image.
  type: bool
  default: false
"""
_TRAIN_TEXT = (
    "Folder in which each task finds one of its own, C(<job>/<role>-<index>), as C(TRAIN_DIR). An init container of"
    " the job's image makes it."
)
_NVIDIA = """
nvidia_libraries:
  description:
    - Folder of the nodes with NVIDIA's libraries, mounted read-only at C(/usr/local/nvidia/lib64), with
      C(LD_LIBRARY_PATH) set to it.
      For nodes without NVIDIA's container toolkit. Off by default.
  type: str
nvidia_tools:
  description:
    - Folder of the nodes with NVIDIA's tools, mounted read-only at C(/usr/local/nvidia/bin). Off by default.
  type: str
"""


def _folder(name: str, text: str, made: str, more: str) -> str:
    """Return the documentation of one folder. made: whether a missing one is made. more: of what only it has."""
    place = f"""
host_path:
  description: Folder of the nodes. {made}
  type: str
claim:
  description: PersistentVolumeClaim in the job's namespace, instead of O({name}.host_path).
  type: str
sub_path:
  description: Folder inside it.
  type: str
mount_path:
  description: Where the program finds it.
  type: str
  default: /{name}"""
    return f'\n{name}:\n  description: "{text}"\n  type: dict\n  suboptions:{indent(place + more, "    ")}'


_FOLDERS = (
    _folder("code", "Folder with the program.", _MADE.format(name="code"), _READ_ONLY)
    + _folder("data", "Folder with the data.", _MADE.format(name="data"), _READ_ONLY)
    + _folder("train", _TRAIN_TEXT, "It is made where it is missing.", _TRAIN)
)


class ModuleDocFragment:
    """The options of `_job_kinds.ps_folders.folder_options`."""

    # With its type, because ansible-test's yamllint takes every plain assignment for a literal.
    DOCUMENTATION: str = f"options:\n{indent(_FOLDERS + _NVIDIA, '  ')}"
