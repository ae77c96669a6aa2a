from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.workflows.net.addresses import parse_address, what_refuses


def kind(text: str) -> str | None:
    address = parse_address(text)
    assert address is not None
    return what_refuses(address)


@pytest.mark.parametrize("text", ["8.8.8.8", "1.1.1.1", "93.184.215.14", "2606:4700::1111", "2a00:1450:4001::8a"])
def test_public_address_is_reached(text: str) -> None:
    assert kind(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "224.0.1.1",
        "240.0.0.1",
        "255.255.255.255",
    ],
)
def test_ipv4_address_that_is_not_public_is_refused_in_every_spelling(text: str) -> None:
    number = int(parse_address(text) or 0)
    embedded = f"{number >> 16:x}:{number & 0xFFFF:x}"
    assert kind(text) is not None
    assert kind(f"::ffff:{text}") is not None
    assert kind(f"64:ff9b::{embedded}") is not None
    assert kind(f"2002:{embedded}::1") is not None
    assert kind(f"2606:4700::5efe:{embedded}") is not None


@pytest.mark.parametrize(
    "text",
    [
        "::",
        "::1",
        "::8.8.8.8",
        "::ffff:0:8.8.8.8",
        "64:ff9b:1::808:808",
        "100::1",
        "2001::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:db8::1",
        "2002:808:808::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::5efe:808:808",
        "fec0::1",
        "ff02::1",
    ],
)
def test_ipv6_address_that_is_not_public_is_refused(text: str) -> None:
    assert kind(text) is not None


@pytest.mark.parametrize("text", ["::ffff:8.8.8.8", "64:ff9b::808:808", "2606:4700::5efe:808:808"])
def test_translation_of_a_public_address_is_reached(text: str) -> None:
    assert kind(text) is None


@pytest.mark.parametrize("text", ["fe80::1%eth0", "2606:4700::1%lo", "localhost", "127.1", "", "0x7f.0.0.1", "[::1]"])
def test_names_and_zones_are_no_addresses(text: str) -> None:
    assert parse_address(text) is None


def test_kind_says_where_it_leads() -> None:
    assert kind("169.254.169.254") == "the local link"


@given(st.ip_addresses())
def test_what_python_calls_private_is_never_reached(address: object) -> None:
    found = parse_address(str(address))
    assert found is not None
    if found.is_private or found.is_loopback or found.is_link_local or found.is_multicast:
        mapped = getattr(found, "ipv4_mapped", None)
        assert what_refuses(found) is not None or mapped is not None
