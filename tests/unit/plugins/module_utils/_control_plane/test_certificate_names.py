# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trainyard.mlstack.plugins.module_utils._control_plane.certificate_names import (
    names_of,
    names_of_pem,
)


def certificate(folder: Path, *names: str, critical: bool = False) -> str:
    extension = f"subjectAltName={'critical,' if critical else ''}{','.join(names)}"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=test", "-keyout", str(folder / "key"), "-out", str(folder / "crt")]
    subprocess.run([*command, *(["-addext", extension] if names else [])], check=True, capture_output=True)
    return (folder / "crt").read_text(encoding="utf-8")


def test_names_and_addresses_of_both_families_are_read(tmp_path: Path) -> None:
    pem = certificate(tmp_path, "DNS:api.example.test", "DNS:kubernetes", "IP:10.0.0.1", "IP:fd00::1")
    assert names_of_pem(pem) == {"api.example.test", "kubernetes", "10.0.0.1", "fd00::1"}


def test_an_extension_that_is_critical_is_read_too(tmp_path: Path) -> None:
    assert names_of_pem(certificate(tmp_path, "DNS:a.example", critical=True)) == {"a.example"}


def test_more_names_than_one_length_byte_counts(tmp_path: Path) -> None:
    many = [f"DNS:name-{number}.example.test" for number in range(60)]
    assert len(names_of_pem(certificate(tmp_path, *many))) == 60


def test_a_certificate_without_names_has_none(tmp_path: Path) -> None:
    assert names_of_pem(certificate(tmp_path)) == frozenset()


@given(st.integers(min_value=0, max_value=2000))
def test_a_certificate_that_is_cut_never_gives_other_names(cut: int) -> None:
    der = ssl.PEM_cert_to_DER_cert(PEM)
    try:
        found = names_of(der[: max(0, len(der) - cut)])
    except ValueError:
        return
    assert found in (frozenset(), frozenset({"a.example", "10.0.0.1"}))


def test_text_that_is_no_certificate_is_refused() -> None:
    with pytest.raises(ValueError, match="PEM"):
        names_of_pem("not a certificate")


PEM = """\
-----BEGIN CERTIFICATE-----
MIIBkDCCATegAwIBAgIULJB/jna/EufH5D+UNHgk0B3MTzwwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjgwNzE3MDZaGA8yMTI2MTEwNDA3MTcw
NlowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJ4y
PPhuguvCpsJrKxVNDi1ZiXscrWfhf+kDDckKqR7WX0uEAxcGmai6RIZWAXhNhNfc
tpog8xkpvyvAHB/4duGjbzBtMB0GA1UdDgQWBBT/j96lHmY6OX9eXkLRV9opy3eN
DzAfBgNVHSMEGDAWgBT/j96lHmY6OX9eXkLRV9opy3eNDzAPBgNVHRMBAf8EBTAD
AQH/MBoGA1UdEQQTMBGCCWEuZXhhbXBsZYcECgAAATAKBggqhkjOPQQDAgNHADBE
AiAHMujOs2HJKFaMFKtOkrfOMpQgjsVNJm99n5uE5lABiAIgVhRE6faobU/UCVZR
r1C5nXKgPjXnkT08D1z1Bz3UM0I=
-----END CERTIFICATE-----
"""
