# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names and addresses that a certificate is good for. Python 3.8, standard library only, which has no reader."""

from __future__ import annotations

import ipaddress
import ssl
from typing import FrozenSet, Iterator, Tuple

# The extension subjectAltName, 2.5.29.17, as it stands in a certificate.
_OID = bytes((0x06, 0x03, 0x55, 0x1D, 0x11))
_BOOLEAN, _OCTETS, _SEQUENCE = 0x01, 0x04, 0x30
_DNS_NAME, _ADDRESS = 0x82, 0x87


def names_of_pem(pem: str) -> FrozenSet[str]:
    """Return names and addresses of a certificate in PEM form. Raises ValueError when it is none."""
    return names_of(ssl.PEM_cert_to_DER_cert(pem.strip()))


def names_of(der: bytes) -> FrozenSet[str]:
    """Return names and addresses of a certificate in DER form, none when it names none. Raises ValueError."""
    at = der.find(_OID)
    if at < 0:
        return frozenset()
    at += len(_OID)
    tag, value, end = _element(der, at)
    if tag == _BOOLEAN:  # whether the extension is critical
        tag, value, end = _element(der, end)
    if tag != _OCTETS:
        raise ValueError("the extension subjectAltName holds no octets")
    tag, names, end = _element(value, 0)
    if tag != _SEQUENCE:
        raise ValueError("the extension subjectAltName holds no list")
    return frozenset(_names(names))


def _names(data: bytes) -> Iterator[str]:
    at = 0
    while at < len(data):
        tag, value, at = _element(data, at)
        if tag == _DNS_NAME:
            yield value.decode("ascii", "replace")
        elif tag == _ADDRESS:
            yield str(ipaddress.ip_address(value))


def _element(data: bytes, at: int) -> Tuple[int, bytes, int]:
    """Return tag and value of the element at a place, and where the next one begins."""
    try:
        tag, length, start = data[at], data[at + 1], at + 2
        if length & 0x80:
            count = length & 0x7F
            length, start = int.from_bytes(data[start : start + count], "big"), start + count
    except IndexError:
        raise ValueError("the certificate ends too early") from None
    if start + length > len(data):
        raise ValueError("the certificate ends too early")
    return tag, data[start : start + length], start + length
