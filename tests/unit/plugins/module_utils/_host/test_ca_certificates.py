# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates: one file each, and a bundle that follows them."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

import pytest

from ansible_collections.trainyard.mlstack.plugins.module_utils._common.command import Runner
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.host import Host
from ansible_collections.trainyard.mlstack.plugins.module_utils._common.owned_files import apply
from ansible_collections.trainyard.mlstack.plugins.module_utils._host import ca_certificates as ca


def pem(body: str) -> str:
    """Return a PEM text around the body."""
    return f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"


ONE, TWO, BOTH = pem("QUFB\nQkJC"), pem("Q0ND"), "issuer=x\n" + pem("QUFB\r\nQkJC") + "\n" + pem("Q0ND")


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host whose bundle trusts nobody."""
    (tmp_path / "etc/ssl/certs").mkdir(parents=True)
    (tmp_path / "etc/ssl/certs/ca-certificates.crt").write_text("")
    return Host(str(tmp_path))


def update(host: Host) -> Runner:
    """Return what plays update-ca-certificates: it follows the files, but leaves links to files that are gone."""

    def run(argv: Sequence[str]) -> tuple[int, str, str]:
        assert argv == ["update-ca-certificates"]
        texts = []
        for path in Path(host.path(ca.FOLDER)).glob("*.crt"):
            texts.append(path.read_text())
            link = Path(host.path(f"{ca.LINKS}/{path.stem}.pem"))
            if not link.is_symlink():
                link.symlink_to(path)
        Path(host.path(ca.BUNDLE)).write_text("".join(texts))
        return 0, "", ""

    return run


def test_one_file_for_each_certificate_whatever_the_order(host: Host) -> None:
    names = {file["path"] for file in ca.wanted_files(host, [BOTH])}
    assert len(names) == 2
    assert {file["path"] for file in ca.wanted_files(host, [TWO, ONE, ONE])} == names


def test_trusts_then_changes_nothing(host: Host) -> None:
    assert ca.stale(host, [BOTH])
    ca.carry_out(host, update(host), ca.make_plan(host, [BOTH]))
    assert ca.make_plan(host, [TWO, ONE]) == []
    assert not ca.stale(host, [TWO, ONE])


def test_a_run_killed_before_the_update_is_noticed(host: Host) -> None:
    apply(ca.make_plan(host, [ONE]))
    assert ca.make_plan(host, [ONE]) == []
    assert ca.stale(host, [ONE])


def test_what_is_no_longer_given_goes(host: Host) -> None:
    foreign = Path(host.path(ca.FOLDER)) / "other.crt"
    ca.carry_out(host, update(host), ca.make_plan(host, [BOTH]))
    foreign.write_text(TWO)
    changes = ca.make_plan(host, [ONE])
    assert [change.after for change in changes] == [None]
    apply(changes)
    assert ca.stale(host, [ONE]), "a killed run has removed the file, the bundle still names it"
    ca.carry_out(host, update(host), [])
    assert not ca.stale(host, [ONE])
    assert foreign.exists()
    assert len(list(Path(host.path(ca.LINKS)).glob("mlstack-*"))) == 1
