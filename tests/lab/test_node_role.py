"""Role node by itself on a bare node: every option has an effect there, and a second run has none."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from tests.lab.support.lab import ROLE_ALONE, Lab, recap
from tests.support.paths import ROOT

pytestmark = pytest.mark.lab

HOST, OTHER = "node-1", "node-2"


@pytest.fixture(scope="module")
def lab(logs: Path) -> Iterator[Lab]:
    """Bare nodes of a lab of their own."""
    with Lab("node", ROOT / "inventories/lab/hosts.ini", logs).bare() as lab:
        yield lab


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of a site's own authority."""
    folder = tmp_path_factory.mktemp("ca")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=site"]
    subprocess.run([*command, "-keyout", folder / "key", "-out", folder / "ca.pem"], check=True, capture_output=True)
    return folder / "ca.pem"


def extra(**options: object) -> str:
    return json.dumps({"role": "node", **options})


def prepare(lab: Lab, host: str, *arguments: str, **options: object) -> int:
    """Run the role on one host; return how many tasks changed it."""
    output = lab.run(ROLE_ALONE, "--limit", host, "-e", extra(**options), *arguments)
    return recap(output)[host].changed


def test_check_mode_on_a_bare_node_predicts_and_changes_nothing(lab: Lab) -> None:
    assert prepare(lab, HOST, "--check", "--diff", node_time_service="chrony") > 0
    assert lab.told(HOST, "ls /etc/modules-load.d/mlstack.conf /etc/mlstack 2>/dev/null | wc -l") == "0"
    assert lab.ssh(HOST, "dpkg-query --show conntrack chrony").returncode != 0


def test_options_have_effects_and_a_second_run_has_none(lab: Lab, certificate: Path) -> None:
    options = {
        "node_packages_extra": ["tree"],
        "node_held_packages": ["socat", "not-installed"],
        "node_sysctls_extra": {"net.core.somaxconn": 2048},
        "node_https_proxy": "http://user:pa$$word@proxy.example.org:3128",
        "node_no_proxy": "example.org, 198.51.100.0/24",
        "node_no_proxy_hosts": ["api.example.org"],
        "node_ca_certificates": [str(certificate)],
    }
    assert prepare(lab, HOST, **options) > 0
    assert lab.told(HOST, "tree --version")
    assert lab.told(HOST, "apt-mark showhold") == "socat"
    assert lab.told(HOST, "sysctl -n net.core.somaxconn net.ipv4.ip_forward").split() == ["2048", "1"]
    assert "net.core.somaxconn = 2048" in lab.told(HOST, "cat /etc/sysctl.d/99-zz-mlstack.conf")
    assert "br_netfilter" in lab.told(HOST, "cat /etc/modules-load.d/mlstack.conf")
    environment = lab.told(HOST, "stat -c %a /etc/mlstack/proxy.env; cat /etc/mlstack/proxy.env")
    assert environment.startswith("600\n")
    assert 'HTTPS_PROXY="http://user:pa$$word@proxy.example.org:3128"' in environment
    assert "HTTP_PROXY" not in environment
    no_proxy = environment.split('NO_PROXY="')[1].split('"')[0].split(",")
    own_network = lab.told(HOST, "ip -4 route show scope link dev eth0 | head -n1").split()[0]
    wanted = {"localhost", ".svc", "10.244.0.0/16", "10.96.0.0/12", own_network, "api.example.org", "example.org"}
    assert wanted <= set(no_proxy)
    assert "198.51.100.0/24" in no_proxy
    for service in ("containerd", "kubelet"):
        dropin = lab.told(HOST, f"cat /etc/systemd/system/{service}.service.d/mlstack-proxy.conf")
        assert "EnvironmentFile=/etc/mlstack/proxy.env" in dropin
    body = certificate.read_text().splitlines()[1]
    assert lab.told(HOST, f"grep -c '{body}' /etc/ssl/certs/ca-certificates.crt") == "1"
    assert prepare(lab, HOST, **options) == 0
    assert prepare(lab, HOST, "--check", "--diff", **options) == 0

    assert prepare(lab, HOST, node_no_proxy_networks=["10.0.0.0/8"]) > 0
    assert "PROXY" not in lab.told(HOST, "cat /etc/mlstack/proxy.env")
    assert lab.told(HOST, f"grep -c '{body}' /etc/ssl/certs/ca-certificates.crt || true") == "0"
    assert prepare(lab, HOST, node_no_proxy_networks=["10.0.0.0/8"]) == 0


def test_what_was_changed_by_hand_is_put_right(lab: Lab) -> None:
    prepare(lab, HOST)
    lab.told(HOST, "sysctl -w net.ipv4.ip_forward=0 && rm /etc/modules-load.d/mlstack.conf")
    lab.told(HOST, "apt-get purge -y --allow-change-held-packages socat")
    assert prepare(lab, HOST) == 2
    assert lab.told(HOST, "sysctl -n net.ipv4.ip_forward") == "1"
    assert lab.told(HOST, "dpkg-query --show --showformat '${db:Status-Status}' socat") == "installed"


@pytest.mark.long
def test_the_lists_are_fetched_when_they_are_too_old(lab: Lab) -> None:
    age = "echo $(( $(date +%s) - $(stat -c %Y /var/lib/apt/lists) ))"
    lab.told(HOST, "touch -d '2 hours ago' /var/lib/apt/lists /var/lib/apt/periodic/update-success-stamp")
    prepare(lab, HOST, node_packages_extra=["sl"], node_apt_cache_valid_time=86400)
    assert int(lab.told(HOST, age)) > 7000
    prepare(lab, HOST, node_packages_extra=["jq"], node_apt_cache_valid_time=3600)
    assert int(lab.told(HOST, age)) < 3600


@pytest.mark.long
def test_a_lock_is_waited_for_and_not_for_ever(lab: Lab) -> None:
    hold = "f = open('/var/lib/dpkg/lock-frontend', 'w'); fcntl.lockf(f, fcntl.LOCK_EX); time.sleep(600)"
    lab.told(HOST, f'systemd-run --unit hold-lock python3 -c "import fcntl, time; {hold}"')
    try:
        options = extra(node_packages_extra=["bc"], node_apt_lock_timeout=4)
        run = lab.start(ROLE_ALONE, "--limit", HOST, "-e", options)
        assert run.wait() != 0
        assert "It is held by process" in run.output
    finally:
        lab.ssh(HOST, "systemctl stop hold-lock")
    assert prepare(lab, HOST, node_packages_extra=["bc"]) == 1


@pytest.mark.long
def test_killed_inside_dpkg_and_started_again(lab: Lab) -> None:
    # dpkg has a numbered file there while it works.
    kill = "ls /var/lib/dpkg/updates | grep -q '^[0-9]' && pkill -9 -x dpkg && pkill -9 -x apt-get"
    run = lab.start(ROLE_ALONE, "--limit", OTHER, "-e", extra())
    run.kill_when(lambda: lab.ssh(OTHER, kill).returncode == 0)
    assert lab.told(OTHER, "dpkg --audit; ls /var/lib/dpkg/updates") != ""
    assert prepare(lab, OTHER) > 0
    assert lab.told(OTHER, "dpkg --audit") == ""
    assert prepare(lab, OTHER) == 0
