"""What is on without being asked for: audit log, encryption at rest, no profiles, files that are root alone's."""

from __future__ import annotations

import json
import uuid
from typing import Any, Iterator

import pytest
from kubernetes import client
from testinfra.host import Host

PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


@pytest.fixture(scope="module")
def secret(api: client.ApiClient) -> Iterator[tuple[str, str]]:
    """A secret: its name and what it holds."""
    name, word = f"hardening-{uuid.uuid4().hex[:8]}", uuid.uuid4().hex
    core = client.CoreV1Api(api)
    body = client.V1Secret(metadata=client.V1ObjectMeta(name=name), string_data={"word": word})
    core.create_namespaced_secret("default", body)
    yield name, word
    core.delete_namespaced_secret(name, "default")


def arguments(host: Host, program: str) -> list[str]:
    """Return the command line of a running program."""
    line = host.check_output(f"tr '\\0' '\\n' < /proc/$(pgrep --exact {program[:15]})/cmdline")
    return str(line).splitlines()


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_program_gives_its_profile_away(control_plane: Host, program: str) -> None:
    assert "--profiling=false" in arguments(control_plane, program)


def test_a_secret_lies_encrypted_in_etcd(control_plane: Host, secret: tuple[str, str]) -> None:
    name, word = secret
    folder = "/var/lib/etcd/member"
    found = control_plane.run(f"grep --recursive --text --only-matching 'k8s:enc:secretbox:v1:[a-z0-9-]*' {folder}")
    assert found.rc == 0, "nothing in etcd is encrypted"
    assert control_plane.run(f"grep --recursive --text --quiet {name} {folder}").rc == 0, (
        "etcd does not have the secret"
    )
    assert control_plane.run(f"grep --recursive --text --quiet {word} {folder}").rc == 1, (
        "the secret lies there in plain"
    )


def test_the_audit_log_tells_who_made_a_secret_and_not_what_it_holds(
    control_plane: Host, secret: tuple[str, str]
) -> None:
    name, word = secret
    log = "/var/log/kubernetes/audit/audit.log"
    events = [
        json.loads(line) for line in control_plane.check_output(f"grep --fixed-strings {name} {log}").splitlines()
    ]
    made = [event for event in events if event["verb"] == "create"]
    assert [event["user"]["username"] for event in made] == ["kubernetes-admin"]
    assert control_plane.run(f"grep --quiet {word} {log}").rc == 1
    assert control_plane.file(log).mode == 0o600


def test_nobody_without_a_name_is_told_more_than_health(api: client.ApiClient) -> None:
    nobody = client.ApiClient(client.Configuration())
    nobody.configuration.host = api.configuration.host
    nobody.configuration.ssl_ca_cert = api.configuration.ssl_ca_cert
    nobody.rest_client = client.rest.RESTClientObject(nobody.configuration)
    statuses: dict[str, Any] = {}
    for path in ("/readyz", "/version", "/api/v1/namespaces"):
        answer = nobody.rest_client.pool_manager.request("GET", f"{nobody.configuration.host}{path}")
        statuses[path] = answer.status
    assert statuses == {"/readyz": 200, "/version": 401, "/api/v1/namespaces": 401}


@pytest.mark.parametrize(
    "pattern",
    [
        "/etc/kubernetes/manifests/*.yaml",
        "/etc/kubernetes/*.conf",
        "/etc/kubernetes/pki/*.key",
        "/etc/kubernetes/pki/etcd/*.key",
        "/etc/kubernetes/mlstack/apiserver/encryption-*.yaml",
        "/etc/kubernetes/kubelet.conf.d/*.conf",
        "/var/lib/kubelet/config.yaml",
    ],
)
def test_files_that_open_or_steer_the_cluster_are_roots_alone(control_plane: Host, pattern: str) -> None:
    found = control_plane.check_output(f"stat --format '%U %a %n' {pattern}").splitlines()
    assert found
    assert [line for line in found if not line.startswith("root 600 ")] == []


def test_etcds_folder_is_closed(control_plane: Host) -> None:
    assert control_plane.file("/var/lib/etcd").mode == 0o700


def test_the_kubelet_lets_nobody_in_without_a_name(node: Host) -> None:
    asked = node.run(
        "python3 -c \"import http.client,ssl;c=http.client.HTTPSConnection('127.0.0.1',10250,"
        "context=ssl._create_unverified_context());c.request('GET','/pods');print(c.getresponse().status)\""
    )
    assert asked.stdout.strip() == "401"
