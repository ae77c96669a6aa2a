"""Which network addresses a node may reach: public ones, and none that leads inside by another spelling."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

# The tables of special-purpose addresses of IANA, and what cloud hosts keep on public ones. `ipaddress` alone is not
# enough: what its `is_global` says of shared, translated and multicast addresses differs between Python versions.
_REFUSED_V4: Final[tuple[tuple[IPv4Network, str], ...]] = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "this machine"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "a provider's shared network"),
        ("127.0.0.0/8", "this machine"),
        ("168.63.129.16/32", "a cloud host's metadata"),
        ("169.254.0.0/16", "the local link"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "a reserved network"),
        ("192.0.2.0/24", "a documentation network"),
        ("192.88.99.0/24", "a relay between IPv4 and IPv6"),
        ("192.168.0.0/16", "a private network"),
        ("198.18.0.0/15", "a test network"),
        ("198.51.100.0/24", "a documentation network"),
        ("203.0.113.0/24", "a documentation network"),
        ("224.0.0.0/4", "a multicast group"),
        ("240.0.0.0/4", "a reserved network"),
    )
)

_REFUSED_V6: Final[tuple[tuple[IPv6Network, str], ...]] = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/127", "this machine"),
        ("fc00::/7", "a private network"),
        ("fe80::/10", "the local link"),
        ("fec0::/10", "a private network"),
        ("ff00::/8", "a multicast group"),
        ("2001::/23", "a reserved network"),
        ("2001:db8::/32", "a documentation network"),
        ("2002::/16", "a relay between IPv4 and IPv6"),
        ("3fff::/20", "a documentation network"),
    )
)

_GLOBAL_V6: Final = IPv6Network("2000::/3")
_NAT64: Final = IPv6Network("64:ff9b::/96")
_ISATAP: Final = (0x0000_5EFE, 0x0200_5EFE)
"""The middle of an interface id that tunnels to the IPv4 address after it."""


def parse_address(text: str) -> Address | None:
    """An address as it is written, None for a name and for an address with a zone (``fe80::1%eth0``)."""
    if "%" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def what_refuses(address: Address) -> str | None:
    """What an address leads to that no node may reach (``a private network``); None for a public one."""
    if isinstance(address, IPv4Address):
        return _kind(address, _REFUSED_V4) or (None if address.is_global else "a reserved network")
    number = int(address)
    inner = IPv4Address(number & 0xFFFF_FFFF)
    if address.ipv4_mapped is not None or address in _NAT64:
        return what_refuses(inner)
    kind = _kind(address, _REFUSED_V6)
    if kind is None and (number >> 32) & 0xFFFF_FFFF in _ISATAP:
        kind = what_refuses(inner)
    return kind or (None if address in _GLOBAL_V6 and address.is_global else "a reserved network")


def _kind(address: Address, table: tuple[tuple[Any, str], ...]) -> str | None:
    return next((kind for network, kind in table if address in network), None)
