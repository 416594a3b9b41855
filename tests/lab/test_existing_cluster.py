"""A cluster of which we know a kubeconfig only: what its user lacks is told, the documented rights are enough."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Iterator

import pytest
import yaml

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.deadline import Deadline
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.apply import Applier
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.client import Client, connect
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.remove import remove
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.resource import Item, Ref
from ansible_collections.trainyard.mlstack.plugins.module_utils._kube.store import Store
from tests.lab.support.existing import run_without_hosts
from tests.lab.support.lab import Lab, recap
from tests.support.paths import ROOT

pytestmark = [pytest.mark.lab, pytest.mark.long]

ADMIN = "mlstack-admin"
RBAC = "rbac.authorization.k8s.io"
EXAMPLE = ROOT / "docs" / "rbac" / "mlstack-installer.yaml"


def quiet(_text: str) -> None:
    """Nobody follows."""


def account(client: Client, kubeconfig: Path, name: str, target: Path) -> Path:
    """Write a kubeconfig for a new service account; return its path."""
    store = Store(client)
    kind = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": ADMIN}}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ADMIN}}
    Applier(store, store.items([space, kind], ""), Deadline(60), quiet, check_mode=False).run()
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 7200}}
    path = f"/api/v1/namespaces/{ADMIN}/serviceaccounts/{name}/token"
    token = client.call("POST", path, (), request)["status"]["token"]
    config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    config["users"] = [{"name": entry["name"], "user": {"token": token}} for entry in config["users"]]
    target.write_text(yaml.safe_dump(config), encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def admin(verifiable_lab: Lab) -> Client:
    """Return a connection as the cluster's administrator."""
    return connect(str(verifiable_lab.kubeconfig), None)


@pytest.fixture(scope="module")
def without_operator(admin: Client) -> Iterator[Store]:
    """Take the operator and the shared volume away, as on a cluster that never saw us."""
    store = Store(admin)
    refs = [
        Ref("v1", "Namespace", "kubeflow"),
        Ref("v1", "Namespace", "mlstack-samples"),
        Ref("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", OPERATOR_WEBHOOK),
        Ref(f"{RBAC}/v1", "ClusterRole", "training-operator"),
        Ref(f"{RBAC}/v1", "ClusterRoleBinding", "training-operator"),
        *(Ref("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{kind}.kubeflow.org") for kind in KINDS),
    ]
    # A volume stays until the claim on it is gone with its namespace.
    for part in (refs, [Ref("v1", "PersistentVolume", "mlstack-shared-mlstack-samples")]):
        remove(store, [Item(ref, {}) for ref in part], Deadline(180), quiet, check_mode=False, wait=True)
    yield store
    leftovers = [Ref("v1", "Namespace", ADMIN)]
    leftovers += [Ref(f"{RBAC}/v1", kind, "mlstack-installer") for kind in ("ClusterRole", "ClusterRoleBinding")]
    remove(store, [Item(ref, {}) for ref in leftovers], Deadline(120), quiet, check_mode=False, wait=False)


OPERATOR_WEBHOOK = "validator.training-operator.kubeflow.org"
KINDS = ("jaxjobs", "mpijobs", "paddlejobs", "pytorchjobs", "tfjobs", "xgboostjobs")


def test_a_user_of_one_namespace_is_told_all_that_is_missing_and_nothing_changes(
    verifiable_lab: Lab, admin: Client, without_operator: Store, tmp_path: Path
) -> None:
    kubeconfig = account(admin, verifiable_lab.kubeconfig, "visitor", tmp_path / "visitor.conf")
    metadata = {"name": "visitor", "namespace": ADMIN}
    subject = {"kind": "ServiceAccount", "name": "visitor", "namespace": ADMIN}
    binding: dict[str, Any] = {
        "apiVersion": f"{RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "admin"},
        "subjects": [subject],
    }
    items = without_operator.items([binding], "")
    Applier(without_operator, items, Deadline(60), quiet, check_mode=False).run()
    report = tmp_path / "report.json"
    done = run_without_hosts(verifiable_lab, "stack.yml", kubeconfig, mlstack_report_file=str(report))
    assert done.returncode == 2, done.stdout
    assert recap(done.stdout)["localhost"].changed == 0
    for words in ("customresourcedefinitions.apiextensions.k8s.io in the whole", "deployments.apps in namespace"):
        assert re.search(rf"right = get, create, patch {words}", done.stdout), done.stdout
    assert "docs/rbac/mlstack-installer.yaml" in done.stdout
    written = json.loads(report.read_text(encoding="utf-8"))
    assert (written["check"], written["ok"]) == ("cluster", False)
    assert len(written["problems"]) > 10
    assert without_operator.read(Ref("v1", "Namespace", "kubeflow")) is None
    assert without_operator.read(Ref("v1", "Namespace", "mlstack-samples")) is None


def test_the_documented_rights_are_enough_to_install_and_to_verify(
    verifiable_lab: Lab, admin: Client, without_operator: Store, tmp_path: Path
) -> None:
    kubeconfig = account(admin, verifiable_lab.kubeconfig, "mlstack-installer", tmp_path / "installer.conf")
    example = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))["items"]
    Applier(without_operator, without_operator.items(example, ""), Deadline(60), quiet, check_mode=False).run()
    done = run_without_hosts(verifiable_lab, "stack.yml", kubeconfig)
    assert done.returncode == 0, done.stdout
    assert "made by trainyard.mlstack: yes" in done.stdout
    assert "folder /srv/mlstack must be on every node already" in done.stdout
    again = run_without_hosts(verifiable_lab, "stack.yml", kubeconfig)
    assert (again.returncode, recap(again.stdout)["localhost"].changed) == (0, 0), again.stdout

    report = tmp_path / "report.json"
    done = run_without_hosts(
        verifiable_lab, "verify.yml", kubeconfig, mlstack_verify="full", mlstack_report_file=str(report)
    )
    assert done.returncode == 0, done.stdout
    checks = {check["name"]: check for check in json.loads(report.read_text(encoding="utf-8"))["checks"]}
    assert {"dns", "pod_network", "service", "webhook", "job"} <= set(checks)
    assert without_operator.read(Ref("v1", "Namespace", "mlstack-verify")) is None


def test_without_hosts_and_without_a_kubeconfig_nothing_is_run(verifiable_lab: Lab, tmp_path: Path) -> None:
    for playbook in ("stack.yml", "storage.yml", "operator.yml", "samples.yml"):
        done = run_without_hosts(verifiable_lab, playbook, tmp_path / "none", check=True)
        assert done.returncode == 2, done.stdout
        assert f"kubeconfig = {tmp_path}/none" in done.stdout
