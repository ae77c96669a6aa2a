"""Connections that go to the very address that was checked (decision 0016)."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any, Final, TypeAlias

import httpcore

from greenrun.workflows.net.addresses import Address, parse_address, what_refuses
from greenrun.workflows.net.errors import AddressRefused

Resolve: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""The addresses of a host name, as text, in the order in which to try them."""

FIRST_TRIES_S: Final = 5.0
"""What an address may take to connect while there is another one to try, in seconds."""


async def system_addresses(host: str, port: int) -> list[str]:
    """The addresses that the system's resolver has for a name.

    Raises:
        OSError: There are none.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    # The zone of an IPv6 address stands apart from it and would be lost with the rest.
    return list(dict.fromkeys(f"{at[0]}%{at[3]}" if len(at) == 4 and at[3] else str(at[0]) for *_, at in found))


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a name once, refuses it unless all its addresses are public, and connects to one of those.

    The name stays what TLS and the Host header know. `allow` holds pairs of address and port that are let through although they
    are not public.
    """

    def __init__(self, allow: Collection[tuple[str, int]], resolve: Resolve) -> None:
        self._allow = frozenset((parse_address(host), port) for host, port in allow)
        self._resolve = resolve
        self._backend: Any = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            async with asyncio.timeout(timeout) as limit:
                addresses = await self.addresses(host, port)
                return await self._connect(addresses, port, limit.when(), local_address, socket_options)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"no connection to {host}:{port} within {timeout:g} s") from error

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise AddressRefused(
            "a socket of this machine is not reached from a workflow; use the address of a public host"
        )

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def addresses(self, host: str, port: int) -> list[Address]:
        """The addresses to connect to.

        Raises:
            AddressRefused: The host has an address that is not public.
            httpcore.ConnectError: There is no such host.
        """
        try:
            texts = await self._resolve(host, port)
        except (OSError, UnicodeError):
            raise httpcore.ConnectError(f'there is no host "{host}"') from None
        found = [(text, parse_address(text)) for text in texts]
        granted = [address for _, address in found if address is not None and (address, port) in self._allow]
        if granted:
            return granted
        for text, address in found:
            kind = "the local link" if address is None else what_refuses(address)
            if kind is not None:
                where = f"{host} ({text})" if host != text else host
                raise AddressRefused(f"{where} is not public: it leads to {kind}; use the address of a public host")
        return [address for _, address in found if address is not None]

    async def _connect(
        self,
        addresses: list[Address],
        port: int,
        deadline: float | None,
        local_address: str | None,
        socket_options: Iterable[Any] | None,
    ) -> httpcore.AsyncNetworkStream:
        failure: Exception = httpcore.ConnectError("the host has no address")
        for place, address in enumerate(addresses, 1):
            left = None if deadline is None else max(deadline - asyncio.get_running_loop().time(), 0)
            is_last = place == len(addresses)
            share = left if is_last else FIRST_TRIES_S if left is None else min(FIRST_TRIES_S, left)
            try:
                return await self._backend.connect_tcp(str(address), port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure
