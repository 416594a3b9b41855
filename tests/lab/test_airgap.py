"""Nodes whose only way leads to each other and to the controller: everything comes from the bundle.

The tests are one story, in their order: what is refused leaves the nodes as they are, so the run that ends well is the
one after all refusals. One worker gets its files through the controller; the others fetch them from a web server, and
one of these came without Python.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._bundle.index import read_index
from tests.lab.support.lab import Lab, Run, changes, recap
from tests.lab.test_lab_itself import podman
from tests.lab.test_two_families import without_python
from tests.support.paths import RELEASE, ROOT, bundle_dir

pytestmark = [pytest.mark.lab, pytest.mark.long]

CONTROL_PLANE, FETCHES, IS_SENT = "cp-1", "node-1", "node-2"
# What the roles install and the nodes' image lacks.
LACKING = ("conntrack", "socat")
# Takes all images but the large one, and is enough for preflight as it is told here.
SMALL_DISK, LARGE_DISK = "1200m", "6g"
STORE = "/var/lib/containerd"


@pytest.fixture(scope="module")
def lab(logs: Path) -> Iterator[Lab]:
    """A control plane and two workers, bare."""
    with Lab("airgap", ROOT / "inventories/lab/hosts.ini", logs).bare() as lab:
        yield lab


@pytest.fixture(scope="module")
def bundle(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of this test's own, with the packages of the nodes' system, made while they are still connected."""
    folder = tmp_path_factory.mktemp("airgap") / bundle_dir().name
    copy(bundle_dir(), folder)
    lab.run("playbooks/bundle_packages.yml", "-e", f"mlstack_bundle_dir={folder}")
    return folder


@pytest.fixture(scope="module")
def cut_off(lab: Lab, bundle: Path) -> None:
    """Leave the nodes no route but the one to their own network, in which the controller is, too."""
    without_python(lab, FETCHES)
    for host in sorted(lab.hosts):
        lab.told(host, "ip route del default")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def served(lab: Lab, folder: Path) -> Iterator[str]:
    """Serve a folder as any web server would, at the controller's address in the lab."""
    network = json.loads(podman("network", "inspect", lab.name))[0]["subnets"][0]["subnet"]
    address = str(ipaddress.IPv4Network(network)[1])
    with ThreadingHTTPServer((address, 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://{address}:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def copy(bundle: Path, folder: Path) -> None:
    """Copy a bundle, by links where the file system allows it: whoever alters a file here puts another in its place."""
    linked = subprocess.run(["cp", "--archive", "--link", bundle, folder], capture_output=True, check=False)
    if linked.returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(bundle, folder)


def options(bundle: Path, url: str = "", **more: object) -> tuple[str, ...]:
    """Return the site's settings. url: of the web server from which all but one host fetch."""
    settings = {
        "mlstack_bundle_dir": str(bundle),
        "mlstack_bundle_url": f"{{{{ '' if inventory_hostname == '{IS_SENT}' else '{url}' }}}}",
        "mlstack_node_ip": "{{ ansible_host }}",
        "mlstack_packages": "bundle",
        "mlstack_samples": ["tfjob_parameter_server"],
        "preflight_min_disk_mb": 100,
    }
    return ("-e", json.dumps({**settings, **more}))


def altered(bundle: Path, path: str) -> tuple[str, str]:
    """Alter one byte of a file; return the sums that its index names and that it has now."""
    wanted = next(entry for entry in read_index(str(bundle)).files if entry.path == path)
    content = bytearray((bundle / path).read_bytes())
    content[len(content) // 2] ^= 1
    # The file may be a link into the true bundle.
    (bundle / path).unlink()
    (bundle / path).write_bytes(content)
    found = subprocess.run(["sha256sum", bundle / path], capture_output=True, text=True, check=True).stdout.split()[0]
    return wanted.sha256, found


def refusal(run: Run) -> str:
    """Return all that a run has said, which did not end well, as one line."""
    assert run.wait() != 0
    return " ".join(run.output.split())


def test_the_nodes_can_reach_no_mirror(lab: Lab, cut_off: None) -> None:
    update = "apt-get -o Acquire::Retries=0 -o Acquire::http::Timeout=3 update --error-on=any"
    for host in sorted(lab.hosts):
        assert lab.ssh(host, update).returncode != 0
        assert lab.ssh(host, f"dpkg-query --show {' '.join(LACKING)}").returncode != 0


def test_one_altered_byte_of_a_program_and_of_an_image_is_refused_before_any_change(
    lab: Lab, bundle: Path, cut_off: None, tmp_path: Path
) -> None:
    other = tmp_path / bundle.name
    copy(bundle, other)
    sums = {path: altered(other, path) for path in ("bin/runc", "images/pause.tar")}
    run = lab.start("site.yml", *options(other))
    text = refusal(run)
    assert "2 problems, nothing was changed" in text
    for path, (wanted, found) in sums.items():
        assert f"{other}/{path} = sha256 {found}: was altered; the bundle's index says sha256 {wanted}" in text
    assert "trainyard.mlstack.bundle" in text
    assert changes(recap(run.output)) == {}


def test_a_server_that_is_not_there_or_has_another_release_is_refused_before_any_change(
    lab: Lab, bundle: Path, cut_off: None, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    copy(bundle, other)
    index = (other / "index.json").read_text().replace(RELEASE["release"], "1999.01", 1)
    (other / "index.json").unlink()
    with served(lab, other) as url:
        absent = lab.start("site.yml", *options(bundle, url))
        text = refusal(absent)
        rule = "hosts must be able to fetch index.json there (the server answers 404"
        assert f"mlstack_bundle_url = {url}: {rule}" in text
        (other / "index.json").write_text(index)
        wrong = lab.start("site.yml", *options(bundle, url))
        rule = f"it must serve release {RELEASE['release']}, and serves 1999.01"
        assert f"mlstack_bundle_url = {url}: {rule}. Copy {bundle} to the server" in refusal(wrong)
    for run in (absent, wrong):
        assert "1 problem, nothing was changed" in run.output
        assert changes(recap(run.output)) == {}


def test_one_altered_byte_on_the_server_installs_nothing(lab: Lab, bundle: Path, cut_off: None, tmp_path: Path) -> None:
    other = tmp_path / bundle.name
    copy(bundle, other)
    wanted, found = altered(other, "bin/runc")
    with served(lab, other) as url:
        run = lab.start("playbooks/cluster.yml", "--tags", "containerd", *options(bundle, url))
        text = refusal(run)
    assert f"nothing was installed: {url}/bin/runc has sha256 {found}, the bundle's index says {wanted}" in text
    assert "Copy the bundle to the server again" in text
    for host in (CONTROL_PLANE, FETCHES):
        assert lab.ssh(host, "ls /usr/local/bin/containerd /usr/local/sbin/runc").stdout == ""
    # Its Python was the first thing that it got.
    assert f"[{FETCHES}] host_python: installing python3 from the bundle" in run.output
    assert lab.told(FETCHES, "python3 --version").startswith("Python 3")


def test_one_altered_byte_of_an_image_on_the_server_is_refused_before_there_is_a_cluster(
    lab: Lab, bundle: Path, cut_off: None, tmp_path: Path
) -> None:
    other = tmp_path / bundle.name
    copy(bundle, other)
    wanted, found = altered(other, "images/pause.tar")
    with served(lab, other) as url:
        limit = ("--limit", f"{CONTROL_PLANE},{FETCHES}")
        text = refusal(lab.start("playbooks/cluster.yml", *limit, *options(bundle, url)))
    assert f"{url}/images/pause.tar has sha256 {found}, the bundle's index says {wanted}" in text
    assert "Copy the bundle to the server again" in text
    for host in (CONTROL_PLANE, FETCHES):
        assert "pause" not in lab.told(host, "ctr --namespace k8s.io images list --quiet")
        assert lab.ssh(host, "ls /etc/kubernetes/admin.conf /etc/kubernetes/kubelet.conf").stdout == ""


def test_a_disk_that_fills_up_in_the_middle_of_an_image_is_told(lab: Lab, bundle: Path, cut_off: None) -> None:
    lab.told(IS_SENT, f"systemctl stop containerd; mount -t tmpfs -o size={SMALL_DISK} tmpfs {STORE}")
    with served(lab, bundle) as url:
        run = lab.start("playbooks/cluster.yml", *options(bundle, url))
        text = refusal(run)
    image = next(entry for entry in read_index(str(bundle)).files if entry.name == "tensorflow")
    assert f"containerd could not unpack it: no room for image {image.ref} on the disk at {STORE}:" in text
    assert "Make room there and run the playbook again" in text
    counts = recap(run.output)
    assert {host: count.failed for host, count in counts.items() if count.failed} == {IS_SENT: 1}
    images = lab.told(IS_SENT, "ctr --namespace k8s.io images list --quiet")
    assert "pause" in images
    assert str(image.ref) not in images


def test_with_room_everything_comes_from_the_bundle(lab: Lab, bundle: Path, cut_off: None) -> None:
    lab.told(IS_SENT, f"mount -o remount,size={LARGE_DISK} {STORE}")
    with served(lab, bundle) as url:
        more = options(bundle, url)
        lab.converge(*more)
        counts = lab.converge(*more)
    assert changes(counts) == {}
    succeeded = "{.status.conditions[?(@.type=='Succeeded')].status}"
    job = "get tfjob tfjob-parameter-server --namespace mlstack-samples"
    assert lab.kubectl(f'{job} --output jsonpath="{succeeded}"') == "True"
    # Neither the bundle's repository nor anything that was on its way is on the hosts any more.
    left = "find /var/cache/mlstack ~/.cache/trainyard-incoming -type f 2>/dev/null || true"
    assert {host: lab.told(host, left) for host in lab.hosts} == dict.fromkeys(lab.hosts, "")


def test_packages_are_those_of_the_bundle(lab: Lab, bundle: Path) -> None:
    versions = {entry.name: entry.path for entry in read_index(str(bundle)).files if entry.kind == "package"}
    for host in sorted(lab.hosts):
        for name in LACKING:
            version = lab.told(host, f"dpkg-query --show --showformat '${{Version}}' {name}")
            assert version.split(":")[-1] == versions[name].split("_")[1]
