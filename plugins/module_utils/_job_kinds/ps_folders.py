# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of a parameter-server job's tasks: code, data, one for what each task writes, NVIDIA's files. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from .._common.problem import Problem
from .ps_contract import Task

Options = Mapping[str, Any]

# Where the images of NVIDIA, and those made from them, look.
NVIDIA_LIBRARIES, NVIDIA_TOOLS = "/usr/local/nvidia/lib64", "/usr/local/nvidia/bin"
_FOLDERS = ("code", "data", "train")
_HOST = (("nvidia_libraries", NVIDIA_LIBRARIES), ("nvidia_tools", NVIDIA_TOOLS))

# A pod that its Job makes again after a failure must find what its predecessor wrote; only another Job is a new run.
# The Job's uid tells the two apart. Small images have no find.
_PREPARE = """set -eu
mkdir -p "$FOLDER"
if [ "$CLEAN" = true ] && [ "$(cat "$FOLDER/.run" 2>/dev/null || true)" != "$RUN" ]; then
  rm -rf "$FOLDER"/* "$FOLDER"/.[!.]* "$FOLDER"/..?*
  echo "$RUN" >"$FOLDER/.run"
fi
"""

# The program is no child of a pipe, so that its exit status stays its own; signals go on to it, since the shell is the
# one that gets them. What it said last is waited for, but not what a child may say that outlives it.
_OUTPUT = """out="$FOLDER/stdout.log" err="$FOLDER/stderr.log"
pipes=$(mktemp -d 2>/dev/null) || pipes=$(mktemp -d "$FOLDER/.pipes.XXXXXX")
mkfifo "$pipes/out" "$pipes/err"
tee -a "$out" <"$pipes/out" & tee_out=$!
tee -a "$err" <"$pipes/err" >&2 & tee_err=$!
"$@" >"$pipes/out" 2>"$pipes/err" & program=$!
trap 'kill -TERM "$program" 2>/dev/null' TERM INT
status=0
wait "$program" || status=$?
while kill -0 "$program" 2>/dev/null; do
  status=0
  wait "$program" || status=$?
done
{ sleep 10; kill "$tee_out" "$tee_err"; } </dev/null >/dev/null 2>&1 & patience=$!
wait "$tee_out" "$tee_err" || true
kill "$patience" 2>/dev/null || true
rm -rf "$pipes"
exit "$status"
"""


def folder_options() -> Dict[str, Any]:
    """Return the argument spec of the folders."""

    def folder(mount_path: str, **more: bool) -> Dict[str, Any]:
        place = {"host_path": {"type": "str"}, "claim": {"type": "str"}, "sub_path": {"type": "str"}}
        switches = {name: {"type": "bool", "default": default} for name, default in more.items()}
        return {
            "type": "dict",
            "options": {**place, "mount_path": {"type": "str", "default": mount_path}, **switches},
        }

    return {
        "code": folder("/code", read_only=True),
        "data": folder("/data", read_only=True),
        "train": folder("/train", clean=False, output=False),
        "nvidia_libraries": {"type": "str"},
        "nvidia_tools": {"type": "str"},
    }


def check_folders(options: Options) -> List[Problem]:
    """Return what is wrong with the folders, the same for all tasks."""
    problems: List[Problem] = []
    for name in _FOLDERS:
        folder = options.get(name)
        if folder is None:
            continue
        places = [place for place in ("host_path", "claim") if folder.get(place)]
        if len(places) != 1:
            rule = "needs either host_path, a folder of the nodes, or claim, a PersistentVolumeClaim"
            problems.append(Problem(name, " and ".join(places) or "neither", rule, "Give one of the two"))
        problems += _absolute(f"{name}.mount_path", folder["mount_path"])
        if folder.get("host_path"):
            problems += _absolute(f"{name}.host_path", folder["host_path"])
        sub_path = folder.get("sub_path") or ""
        if sub_path.startswith("/") or ".." in sub_path.split("/"):
            problems.append(
                Problem(f"{name}.sub_path", sub_path, "must stay inside the volume", "Write it without ../")
            )
    for name, _path in _HOST:
        if options.get(name):
            problems += _absolute(name, options[name])
    return problems


def without_folders(options: Options) -> Options:
    """Return the options without any folder: what comes of a wrong one is nothing that the user wrote."""
    return {**options, **dict.fromkeys([*_FOLDERS, *(name for name, _path in _HOST)])}


def check_output(options: Options, command: Sequence[str], field: str) -> List[Problem]:
    """Return a problem when a program's output is to be kept that nobody names. field: how a problem names its pod."""
    if command or not (options.get("train") or {}).get("output"):
        return []
    rule = "train.output runs the program by a shell, which must be told what to run"
    return [Problem(f"{field}.command", "", rule, "Give the image's own command here, or drop train.output")]


def _absolute(field: str, path: str) -> List[Problem]:
    if path.startswith("/") and ":" not in path and ".." not in path.split("/"):
        return []
    return [Problem(field, path, "must be an absolute path, with neither : nor .. in it", "Write it from / on")]


def mounts(options: Options, job: str, task: Task) -> Tuple[List[Dict[str, Any]], List[Dict[str, Any]]]:
    """Return the volumes and their mounts in the container that trains."""
    volumes: List[Dict[str, Any]] = []
    found: List[Dict[str, Any]] = []
    for name in _FOLDERS:
        folder = options.get(name)
        if folder is None:
            continue
        volumes.append({"name": name, **_source(folder)})
        inside = _inside(folder, name, job, task)
        read_only = {"readOnly": True} if folder.get("read_only") else {}
        mount = {"name": name, "mountPath": folder["mount_path"], **read_only}
        found.append({**mount, **({"subPath": inside} if inside else {})})
    for name, path in _HOST:
        if options.get(name):
            title = name.replace("_", "-")
            volumes.append({"name": title, "hostPath": {"path": options[name], "type": "Directory"}})
            found.append({"name": title, "mountPath": path, "readOnly": True})
    return volumes, found


def _inside(folder: Options, name: str, job: str, task: Task) -> str:
    """Return where in its volume a folder lies: tasks of one volume must not write over each other."""
    own = (job, f"{task.role}-{task.index}") if name == "train" else ()
    return "/".join(part for part in (folder.get("sub_path"), *own) if part)


def _source(folder: Options) -> Dict[str, Any]:
    if folder.get("claim"):
        return {"persistentVolumeClaim": {"claimName": folder["claim"]}}
    # What is only read must be there: an empty folder made instead would hide that this node lacks it.
    kind = "Directory" if folder.get("read_only") else "DirectoryOrCreate"
    return {"hostPath": {"path": folder["host_path"], "type": kind}}


def preparation(options: Options, job: str, task: Task, pod: Options, native: Options) -> List[Dict[str, Any]]:
    """Return the init container that makes the task's folder, and empties it for a new run when that is asked for.

    It is the job's own image, and runs as the user that trains, so that the folder is that user's. native: the
    container that trains in the user's own template.
    """
    train = options.get("train")
    if train is None:
        return []
    run = {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/controller-uid']"}}
    container: Dict[str, Any] = {
        "name": "train-folder",
        "image": pod.get("image") or native.get("image"),
        "command": ["sh", "-c", _PREPARE],
        "env": [
            {"name": "FOLDER", "value": f"/volume/{_inside(train, 'train', job, task)}"},
            {"name": "CLEAN", "value": str(bool(train["clean"])).lower()},
            {"name": "RUN", "valueFrom": run},
        ],
        "volumeMounts": [{"name": "train", "mountPath": "/volume"}],
    }
    for option, key in (
        ("image_pull_policy", "imagePullPolicy"),
        ("container_security_context", "securityContext"),
        # A namespace with a quota on limits takes no container without them.
        ("resources", "resources"),
    ):
        value = pod.get(option) or native.get(key)
        if value:
            container[key] = value
    return [container]


def environment(options: Options) -> Dict[str, str]:
    """Return what tells programs of the folders."""
    found = {"LD_LIBRARY_PATH": NVIDIA_LIBRARIES} if options.get("nvidia_libraries") else {}
    if options.get("train"):
        found["TRAIN_DIR"] = options["train"]["mount_path"]
    return found


def command_line(options: Options, command: Sequence[str], arguments: Sequence[str]) -> Tuple[List[str], List[str]]:
    """Return the command and its arguments, by a shell that keeps what the program says when that is asked for."""
    train = options.get("train")
    if not train or not train["output"]:
        return list(command), list(arguments)
    script = f"FOLDER={_quoted(train['mount_path'])}\n{_OUTPUT}"
    return ["sh", "-c", script, "sh"], [*command, *arguments]


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "'\\''") + "'"
