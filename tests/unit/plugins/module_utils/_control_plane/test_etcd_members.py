# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.etcd_members import Member, parse, plan


def member(number: int, name: str = "", address: str = "") -> Member:
    address = address or f"192.0.2.1{number}"
    return Member(str(number), name or f"cp-{number}", f"https://{address}:2380", f"https://{address}:2379")


ONE, TWO, THREE = member(1), member(2), member(3)
UNNAMED = Member("2", "", "https://192.0.2.12:2380", "")


def test_reads_what_etcd_answers() -> None:
    answer = {"members": [{"ID": "7", "name": "cp-1", "peerURLs": ["https://[fd00::11]:2380"], "clientURLs": ["x"]}]}
    (found,) = parse(answer)
    assert (found.id, found.name, found.address, found.client) == ("7", "cp-1", "fd00::11", "x")
    assert parse({"members": [{"ID": "8", "peerURLs": ["https://192.0.2.12:2380"]}]})[0] == Member(
        "8", "", "https://192.0.2.12:2380", ""
    )
    assert parse({}) == []


@pytest.mark.parametrize(
    ("members", "answering", "nodes", "removed"),
    [
        pytest.param([ONE], "1", ["cp-1"], [], id="the second of two"),
        pytest.param([ONE, UNNAMED], "1", ["cp-1"], [UNNAMED], id="killed before its etcd ever started"),
        pytest.param([ONE, TWO], "12", ["cp-1", "cp-2"], [TWO], id="killed after its etcd started"),
        pytest.param([ONE, TWO, THREE], "13", ["cp-1", "cp-2", "cp-3"], [TWO], id="its host was installed anew"),
        pytest.param([ONE, member(4, "cp-2")], "1", ["cp-1"], [member(4, "cp-2")], id="came back with another address"),
        pytest.param([ONE, THREE], "1", ["cp-1"], [THREE], id="another one's node was deleted"),
        pytest.param([ONE, Member("3", "", "https://192.0.2.13:2380", "")], "1", ["cp-1", "cp-3"],
                     [Member("3", "", "https://192.0.2.13:2380", "")], id="another one's broken join"),
        pytest.param([ONE, THREE], "13", ["cp-1"], [], id="another one answers, whatever its node"),
    ],
)
def test_what_is_left_over_goes(members: list[Member], answering: str, nodes: list[str], removed: list[Member]) -> None:
    assert plan(members, answering, nodes, "cp-2", "192.0.2.12") == (removed, None)


def test_a_member_that_is_down_keeps_others_out_until_its_node_is_deleted() -> None:
    found = plan([ONE, TWO, THREE], ["1", "2"], ["cp-1", "cp-2", "cp-3"], "cp-4", "192.0.2.14")
    assert found.remove == []
    assert "cp-3 (192.0.2.13)" in (found.problem or "")
    assert "kubectl delete node cp-3" in (found.problem or "")


def test_a_living_one_of_the_same_name_is_not_thrown_out() -> None:
    found = plan([ONE, TWO], ["1", "2"], ["cp-1", "cp-2"], "cp-2", "192.0.2.99")
    assert found.remove == []
    assert "192.0.2.12" in (found.problem or "")
