"""A cluster of ours fails just those items of checkov that the repository lists, each with its reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.lab.support.checkov import Finding, collect, findings, make_checkov, recorded
from tests.lab.support.lab import Lab

pytestmark = pytest.mark.lab

# A setting of ours turned off, and who should notice.
TURNED_OFF = [
    ("kube-apiserver", "--profiling=false", "--profiling=true", "CKV_K8S_90"),
    ("kube-apiserver", "--encryption-provider-config=", "--etcd-prefix=", "CKV_K8S_104"),
    ("kube-apiserver", "--audit-log-path=", "--etcd-prefix=", "CKV_K8S_91"),
    ("kube-apiserver", "NodeRestriction,", "", "CKV_K8S_85"),
    ("etcd", "--client-cert-auth=true", "--client-cert-auth=false", "CKV_K8S_117"),
    ("kubelet", "--anonymous-auth=false", "--anonymous-auth=true", "CKV_K8S_138"),
    ("kubelet", "--read-only-port=0", "--read-only-port=10255", "CKV_K8S_141"),
]


@pytest.fixture(scope="module")
def checkov() -> Path:
    return make_checkov()


@pytest.fixture(scope="module")
def manifests(converged_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manifests")
    collect(converged_lab, folder)
    return folder


def test_what_fails_is_what_is_listed_with_a_reason(checkov: Path, manifests: Path) -> None:
    found = findings(checkov, manifests)
    unlisted = sorted(found - recorded())
    gone = sorted(recorded() - found)
    assert not unlisted, f"hardening was lost, or tests/lab/support/hardening/left.yml lacks: {unlisted}"
    assert not gone, f"these pass now, so take them off tests/lab/support/hardening/left.yml: {gone}"


def test_a_setting_that_is_turned_off_is_noticed(checkov: Path, manifests: Path, tmp_path: Path) -> None:
    folder = tmp_path / "weaker"
    shutil.copytree(manifests, folder)
    for program, line, weaker, _item in TURNED_OFF:
        path = next(folder.rglob(f"{program}.yaml"))
        text = path.read_text(encoding="utf-8")
        assert line in text
        path.write_text(text.replace(line, weaker), encoding="utf-8")
    noticed = findings(checkov, folder) - recorded()
    assert noticed == {Finding(program, item) for program, _line, _weaker, item in TURNED_OFF}
