"""A host more, weeks later: a run limited to it is enough, and nothing else is touched."""

from __future__ import annotations

import pytest

from tests.lab.conftest import WITHOUT_SAMPLES
from tests.lab.support.lab import Lab, recap

pytestmark = [pytest.mark.lab, pytest.mark.long]

FILES = "find /etc /opt/cni /usr/local -xdev -type f -newer /root/before | grep -v '^/etc/mtab' | sort"


def test_a_host_joins_by_a_run_limited_to_it(fresh_lab: Lab) -> None:
    first, second = fresh_lab.groups["kube_node"][:2]
    (control_plane,) = fresh_lab.groups["kube_control_plane"]
    fresh_lab.run("playbooks/cluster.yml", "--limit", f"{control_plane},{first}")
    for host in (control_plane, first):
        fresh_lab.told(host, "touch /root/before")
    # Every token of the first run is gone, as it would be after its hour.
    fresh_lab.kubectl("-n kube-system delete secret -l '' --field-selector type=bootstrap.kubernetes.io/token")

    output = fresh_lab.run("playbooks/cluster.yml", "--limit", second)
    counts = recap(output)
    assert counts[second].changed > 0
    assert control_plane not in counts
    assert first not in counts
    fresh_lab.kubectl(f"wait --for=condition=Ready --timeout=50s node/{second}")
    for host in (control_plane, first):
        assert fresh_lab.told(host, FILES) == "", host
    tokens = fresh_lab.told(control_plane, "kubeadm token list -o jsonpath='{.token}'").split()
    assert tokens
    assert not [token for token in tokens if token in output]

    counts = fresh_lab.converge(*WITHOUT_SAMPLES)
    assert {host: counts[host].changed for host in fresh_lab.hosts - {control_plane}} == {first: 0, second: 0}
