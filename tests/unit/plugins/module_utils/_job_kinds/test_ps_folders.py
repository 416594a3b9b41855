# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of tasks; the shell of the pods is run for real."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds import ps_folders
from ansible_collections.trainyard.mlstack.plugins.module_utils._job_kinds.ps_contract import Task

TASK = Task("worker", 1, "worker-1-j")


def train(path: Path | str = "/train", **more: Any) -> dict[str, Any]:
    """Return options with a train folder."""
    folder = {"host_path": "/srv", "claim": None, "sub_path": None, "mount_path": str(path)}
    return {"train": {**folder, "clean": False, "output": False, **more}}


def run_with_output(folder: Path, *program: str) -> subprocess.CompletedProcess[str]:
    command, arguments = ps_folders.command_line(train(folder, output=True), program, [])
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, timeout=60)


def test_what_the_program_says_is_seen_and_kept_and_its_status_is_its_own(tmp_path: Path) -> None:
    script = "import sys; print('to out'); print('to err', file=sys.stderr); sys.exit(7)"
    for _run in range(2):
        done = run_with_output(tmp_path, "python3", "-c", script)
        assert (done.returncode, done.stdout, done.stderr) == (7, "to out\n", "to err\n")
    assert (tmp_path / "stdout.log").read_text() == "to out\n" * 2
    assert (tmp_path / "stderr.log").read_text() == "to err\n" * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stderr.log", "stdout.log"]


def test_a_read_only_root_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/not/there")
    done = run_with_output(tmp_path, "sh", "-c", "echo one; exit 5")
    assert (done.returncode, done.stdout) == (5, "one\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stderr.log", "stdout.log"]


def test_the_last_of_much_output_is_kept(tmp_path: Path) -> None:
    done = run_with_output(tmp_path, "python3", "-c", "for n in range(100000): print(n)")
    assert done.stdout.splitlines()[-1] == "99999"
    assert (tmp_path / "stdout.log").read_text() == done.stdout


def test_arguments_with_spaces_and_quotes_arrive(tmp_path: Path) -> None:
    words = ["a b", "it's", '"', "$HOME", ""]
    done = run_with_output(tmp_path, "python3", "-c", "import sys; print(sys.argv[1:])", *words)
    assert done.stdout == f"{words}\n"


def test_a_signal_reaches_the_program_which_ends_as_it_likes(tmp_path: Path) -> None:
    script = (
        "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: (print('saved'), sys.exit(3)));"
        " print('ready', flush=True); time.sleep(60)"
    )
    command, arguments = ps_folders.command_line(train(tmp_path, output=True), ["python3", "-c", script], [])
    process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(timeout=30) == 3
    assert process.stdout.read() == "saved\n"


def prepare(folder: Path, run: str, clean: bool) -> None:
    (container,) = ps_folders.preparation(train(clean=clean), "j", TASK, {"image": "i"}, {})
    environment = {"PATH": os.environ["PATH"], "FOLDER": str(folder), "CLEAN": container["env"][1]["value"], "RUN": run}
    subprocess.run(container["command"], env=environment, check=True, timeout=30)


def test_a_new_run_finds_an_empty_folder_and_another_pod_of_the_same_run_does_not(tmp_path: Path) -> None:
    folder = tmp_path / "j/worker-1"
    prepare(folder, "run-1", clean=True)
    (folder / "sub").mkdir()
    for name in ("sub/checkpoint", ".hidden", "..odd", "a b"):
        (folder / name).write_text("")
    prepare(folder, "run-1", clean=True)
    assert (folder / "sub/checkpoint").exists()
    prepare(folder, "run-2", clean=False)
    assert (folder / "sub/checkpoint").exists()
    prepare(folder, "run-2", clean=True)
    assert [path.name for path in folder.iterdir()] == [".run"]


def test_each_task_has_a_folder_of_its_own() -> None:
    volumes, mounts = ps_folders.mounts(train(sub_path="team"), "j", TASK)
    assert volumes == [{"name": "train", "hostPath": {"path": "/srv", "type": "DirectoryOrCreate"}}]
    assert mounts == [{"name": "train", "mountPath": "/train", "subPath": "team/j/worker-1"}]
    (container,) = ps_folders.preparation(train(sub_path="team"), "j", TASK, {"image": "i", "resources": {"a": 1}}, {})
    assert container["env"][0] == {"name": "FOLDER", "value": "/volume/team/j/worker-1"}
    assert container["resources"] == {"a": 1}


def test_code_and_data_come_from_a_claim_or_a_host() -> None:
    claim = {"claim": "data", "host_path": None, "sub_path": None, "mount_path": "/data", "read_only": True}
    volumes, mounts = ps_folders.mounts({"data": claim}, "j", TASK)
    assert volumes == [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    assert mounts == [{"name": "data", "mountPath": "/data", "readOnly": True}]


@pytest.mark.parametrize(("read_only", "kind"), [(True, "Directory"), (False, "DirectoryOrCreate")])
def test_a_folder_of_the_nodes_that_is_only_read_must_be_there(read_only: bool, kind: str) -> None:
    code = {"claim": None, "host_path": "/srv", "sub_path": None, "mount_path": "/code", "read_only": read_only}
    volumes, _mounts = ps_folders.mounts({"code": code}, "j", TASK)
    assert volumes == [{"name": "code", "hostPath": {"path": "/srv", "type": kind}}]


def test_nvidias_folders_are_mounted_read_only_and_off_by_default() -> None:
    assert ps_folders.mounts({}, "j", TASK) == ([], [])
    assert ps_folders.environment({}) == {}
    options = {"nvidia_libraries": "/usr/lib/nvidia", "nvidia_tools": "/opt/nvidia/bin"}
    volumes, mounts = ps_folders.mounts(options, "j", TASK)
    assert [volume["hostPath"]["path"] for volume in volumes] == ["/usr/lib/nvidia", "/opt/nvidia/bin"]
    assert [(mount["mountPath"], mount["readOnly"]) for mount in mounts] == [
        ("/usr/local/nvidia/lib64", True),
        ("/usr/local/nvidia/bin", True),
    ]
    assert ps_folders.environment(options) == {"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (train(host_path=None), "train = neither: needs either host_path"),
        (train(claim="c"), "train = host_path and claim: needs either host_path"),
        (train("train"), "train.mount_path = train: must be an absolute path"),
        (train(host_path="srv"), "train.host_path = srv: must be an absolute path"),
        (train(sub_path="../x"), "train.sub_path = ../x: must stay inside the volume"),
        (train(output=True), "replicas.PS.command = : train.output runs the program by a shell"),
        ({"nvidia_tools": "../bin"}, "nvidia_tools = ../bin: must be an absolute path"),
    ],
)
def test_refusals(options: dict[str, Any], told: str) -> None:
    (problem,) = ps_folders.check_folders(options) + ps_folders.check_output(options, [], "replicas.PS")
    assert told in problem.line()


def test_kept_output_ends_with_the_program_not_with_its_children(tmp_path: Path) -> None:
    program = ["sh", "-c", f"{{ sleep 5; touch {tmp_path}/late; }} & echo one; exit 4"]
    command, arguments = ps_folders.command_line(train(tmp_path, output=True), program, [])
    command = [part.replace("sleep 10", "sleep 1") for part in command]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (4, "one\n")
    assert not (tmp_path / "late").exists()
