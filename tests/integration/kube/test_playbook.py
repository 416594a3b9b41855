# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules as a user meets them: a playbook, the action plugins, module_defaults, what is on the screen."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.support.api_server import ApiServer
from tests.integration.support.samples import later
from tests.support.paths import ROOT

SECRET_WORD = "a-word-that-nobody-may-read"


def play(api: ApiServer, tmp_path: Path, tasks: list[dict[str, Any]], *options: str) -> tuple[int, str]:
    """Run tasks on localhost and return the status and the screen."""
    defaults = {"group/trainyard.mlstack.api": {"kubeconfig": str(api.kubeconfig)}}
    book = [{"hosts": "localhost", "gather_facts": False, "module_defaults": defaults, "tasks": tasks}]
    path = tmp_path / "play.yml"
    path.write_text(json.dumps(book), encoding="utf-8")
    return run_playbook(path, "--diff", "-v", *options)


def run_playbook(path: Path, *options: str) -> tuple[int, str]:
    command = [str(Path(sys.executable).parent / "ansible-playbook"), str(path), *options]
    environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def tasks(namespace: str) -> list[dict[str, Any]]:
    """Return a Secret, a job that is followed, and what the job said."""
    metadata = {"name": "s", "namespace": namespace}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"word": SECRET_WORD}}
    job = {
        "name": "digits",
        "namespace": namespace,
        "image": "t:1",
        "replicas": {"Worker": {}},
        "wait": True,
        "timeout": 60,
    }
    return [
        {"name": "Apply a secret", "trainyard.mlstack.objects": {"objects": [secret]}},
        {"name": "Run a job", "trainyard.mlstack.tfjob": job, "register": "job"},
        {"name": "Show the end", "ansible.builtin.debug": {"msg": "the end is {{ job.end | default('predicted') }}"}},
    ]


def finish(api: ApiServer, namespace: str) -> None:
    """End the job as the operator would, as soon as it is there."""
    import time

    from tests.integration.support.samples import job_condition

    path = f"/apis/kubeflow.org/v1/namespaces/{namespace}/tfjobs"
    end = time.monotonic() + 60
    while not api.client.call("GET", path)["items"]:
        assert time.monotonic() < end
        time.sleep(0.2)
    time.sleep(1.5)
    api.patch_status(f"{path}/digits", job_condition("Succeeded"))


def test_first_run_second_run_and_check(
    api: ApiServer, kubeflow: None, namespace: str, tmp_path: Path, tasks: list[dict[str, Any]]
) -> None:
    status, screen = play(api, tmp_path, tasks, "--check")
    assert (status, "changed=2" in screen) == (0, True), screen

    with later(0.1, lambda: finish(api, namespace)):
        status, screen = play(api, tmp_path, tasks)
    assert (status, "changed=2" in screen) == (0, True), screen
    # Steps are shown before the task's own result.
    assert (
        screen.index("digits: created TFJob") < screen.index("digits: succeeded") < screen.index("the end is succeeded")
    )
    assert SECRET_WORD not in screen

    mark = api.audit_mark()
    status, screen = play(api, tmp_path, tasks, "-vvv")
    assert (status, "changed=0" in screen) == (0, True), screen
    assert api.writes(mark) == []
    assert SECRET_WORD not in screen.split("TASK [Apply a secret]")[1]


def test_a_failed_job_fails_the_play(
    api: ApiServer, kubeflow: None, namespace: str, tmp_path: Path, tasks: list[dict[str, Any]]
) -> None:
    tasks[1]["trainyard.mlstack.tfjob"]["timeout"] = 1
    status, screen = play(api, tmp_path, tasks)
    assert status == 2
    assert "did not end within 1 s, it is created: NoPods" in screen
    assert "the end is" not in screen


def test_what_is_left_to_the_user_is_told_before_the_stack_is_installed(api: ApiServer, tmp_path: Path) -> None:
    """The checks of the whole stack see what each part's own playbook passes to it."""
    nobody = tmp_path / "hosts.ini"
    nobody.touch()
    variables = {"mlstack_kubeconfig": str(api.kubeconfig), "mlstack_samples": ["tfjob_parameter_server"]}
    options = ["-i", str(nobody), "--tags", "cluster_checks", "-e", json.dumps(variables)]
    _status, screen = run_playbook(ROOT / "playbooks" / "stack.yml", *options)
    assert "left to you: folder /srv/mlstack must be on every node already" in screen, screen
    assert re.search(r"samples +2 +installed", screen), screen


def test_a_wrong_setting_of_a_part_is_refused_before_the_first_part_changes_anything(tmp_path: Path) -> None:
    nobody = tmp_path / "hosts.ini"
    nobody.touch()
    conf = {"actions": ["alocate"], "tiers": [{"plugins": ["gang"]}]}
    variables = {"mlstack_kubeconfig": str(tmp_path / "none"), "mlstack_gang_scheduler": "volcano"}
    options = ["-i", str(nobody), "-e", json.dumps({**variables, "gang_scheduler_conf": conf})]
    status, screen = run_playbook(ROOT / "playbooks" / "stack.yml", *options)
    assert (status, "gang_scheduler_conf.actions = alocate" in screen) == (2, True), screen
    assert "Judge what the roles" not in screen


def test_a_site_says_in_what_workers_wait_for_their_master(tmp_path: Path) -> None:
    """Field case FC-28: the image of the operator's init container comes from the site's registry, its template too."""
    template = tmp_path / "wait.yaml"
    template.write_text('- {name: wait, image: "{{.InitContainerImage}}"}\n', encoding="utf-8")
    kinds = "{{ __training_operator_objects | selectattr('kind', 'in', ['Deployment', 'ConfigMap']) }}"
    role = {"name": "trainyard.mlstack.training_operator", "tasks_from": "preflight", "public": True}
    tasks = [
        {"ansible.builtin.include_role": role},
        {"ansible.builtin.debug": {"msg": kinds}},
    ]
    path = tmp_path / "play.yml"
    path.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]), encoding="utf-8")

    def screen(**variables: Any) -> str:
        status, text = run_playbook(path, "-e", json.dumps(variables))
        assert status == 0, text
        return text

    site = screen(mlstack_image_registry="registry.example.test:5000/mirror")
    assert "--pytorch-init-container-image=registry.example.test:5000/mirror/library/busybox:" in site
    assert "allowPrivilegeEscalation: false" in site
    own = screen(training_operator_pytorch_init_template=str(template), training_operator_pytorch_init_tries=9)
    assert "--pytorch-init-container-max-tries=9" in own
    assert "- {name: wait, image: " in own
    assert "--pytorch-init-container" not in screen(training_operator_pytorch_init_image="")
