"""The client that nodes ask the web with: public addresses only, on every hop, within limits (decision 0016)."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final

import httpcore
import httpx

from greenrun.workflows.net.connecting import GuardedBackend, Resolve, system_addresses
from greenrun.workflows.net.errors import AddressRefused, RequestRefused, ResponseTooLarge
from greenrun.workflows.net.unpacking import ACCEPTED, Unpacker, UnpackError

__all__ = [
    "MAX_BYTES",
    "MAX_REDIRECTS",
    "TIMEOUT_S",
    "AddressRefused",
    "RequestRefused",
    "ResponseTooLarge",
    "guarded_client",
]

TIMEOUT_S: Final = 30.0
MAX_BYTES: Final = 100 * 1024 * 1024
MAX_REDIRECTS: Final = 10

_MAX_CONNECTIONS: Final = 50
_KEPT_CONNECTIONS: Final = 10

# Where a redirect leads to another host, only headers that can hold no secret go along.
_HARMLESS: Final = frozenset(
    (
        "accept",
        "accept-encoding",
        "accept-language",
        "cache-control",
        "connection",
        "content-language",
        "content-length",
        "content-type",
        "host",
        "if-modified-since",
        "if-none-match",
        "range",
        "transfer-encoding",
        "user-agent",
    )
)

# Keys of `httpx.Request.extensions`, which httpx carries over to the requests that follow redirects.
_DEADLINE: Final = "greenrun.deadline"
_ORIGIN: Final = "greenrun.origin"
MAX_BYTES_KEY: Final = "greenrun.max_bytes"
"""The extension by which a request asks for a lower limit: ``client.get(url, extensions={MAX_BYTES_KEY: 1000})``."""


def guarded_client(
    *,
    allow: Collection[tuple[str, int]] = (),
    timeout: float | None = TIMEOUT_S,
    max_bytes: int = MAX_BYTES,
    resolve: Resolve = system_addresses,
    verify: ssl.SSLContext | None = None,
    headers: Mapping[str, str] | None = None,
) -> httpx.AsyncClient:
    """A client that reaches public addresses only and follows redirects; no proxies, no cookies kept.

    `allow` holds pairs of address and port that may be reached although they are not public. `timeout` is for a whole request with
    its redirects and its answer, in seconds; `max_bytes` counts the answer on the wire and unpacked. Beside httpx's errors,
    requests raise `AddressRefused`, `RequestRefused` and `ResponseTooLarge`.
    """
    return _GuardedClient(
        total_timeout=timeout,
        transport=_GuardedTransport(GuardedBackend(allow, resolve), verify or httpx.create_ssl_context(), max_bytes),
        timeout=httpx.Timeout(timeout),
        follow_redirects=True,
        max_redirects=MAX_REDIRECTS,
        trust_env=False,
        # The client is shared by nodes of many users: what a server sets for one is not sent for another.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        headers={"accept-encoding": ACCEPTED, **(headers or {})},
    )


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _keeps_secrets(first: tuple[str, str, int | None], now: tuple[str, str, int | None]) -> bool:
    """The same origin, or the same host reached by https instead of http."""
    return first == now or (first == ("http", now[1], None) and now == ("https", now[1], None))


class _GuardedClient(httpx.AsyncClient):
    """Notes when a request must be over and where it went first; redirects inherit both."""

    def __init__(self, *, total_timeout: float | None, **options: Any) -> None:
        super().__init__(**options)
        self._total_timeout = total_timeout

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        if self._total_timeout is not None:
            request.extensions[_DEADLINE] = asyncio.get_running_loop().time() + self._total_timeout
        request.extensions[_ORIGIN] = _origin(request.url)
        return await super().send(request, **options)


_ERRORS: Final[dict[type[Exception], type[httpx.TransportError]]] = {
    httpcore.ConnectTimeout: httpx.ConnectTimeout,
    httpcore.ReadTimeout: httpx.ReadTimeout,
    httpcore.WriteTimeout: httpx.WriteTimeout,
    httpcore.PoolTimeout: httpx.PoolTimeout,
    httpcore.ConnectError: httpx.ConnectError,
    httpcore.ReadError: httpx.ReadError,
    httpcore.WriteError: httpx.WriteError,
    httpcore.LocalProtocolError: httpx.LocalProtocolError,
    httpcore.RemoteProtocolError: httpx.RemoteProtocolError,
}


@asynccontextmanager
async def _translated(deadline: float | None) -> AsyncIterator[None]:
    """What httpcore raises, as what users of httpx catch; a deadline that passed, as a time-out."""
    try:
        async with asyncio.timeout_at(deadline):
            yield
    except TimeoutError as error:
        raise httpx.ReadTimeout("there was no complete answer in time") from error
    except tuple(_ERRORS) as error:
        raise _ERRORS[type(error)](str(error)) from error


class _GuardedTransport(httpx.AsyncBaseTransport):
    """One hop: http or https, to a checked address, with a limited answer that is already unpacked."""

    def __init__(self, backend: GuardedBackend, context: ssl.SSLContext, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=_MAX_CONNECTIONS,
            max_keepalive_connections=_KEPT_CONNECTIONS,
            keepalive_expiry=5.0,
            network_backend=backend,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        if url.scheme not in ("http", "https") or not url.host:
            raise RequestRefused("this is no web address: it must start with https:// or http:// and name a host")
        if not _keeps_secrets(request.extensions.get(_ORIGIN, _origin(url)), _origin(url)):
            for name in [name for name in request.headers if name.lower() not in _HARMLESS]:
                request.headers.pop(name)
        deadline = request.extensions.get(_DEADLINE)
        assert isinstance(request.stream, httpx.AsyncByteStream)
        async with _translated(deadline):
            answer = await self._pool.handle_async_request(
                httpcore.Request(
                    method=request.method,
                    url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        headers = httpx.Headers(answer.headers)
        limit = min(self._max_bytes, request.extensions.get(MAX_BYTES_KEY, self._max_bytes))
        try:
            unpacker = self._checked(request, headers, limit)
        except (ResponseTooLarge, httpx.DecodingError):
            await answer.aclose()
            raise
        if unpacker:
            # They describe what was on the wire; the body that follows is unpacked.
            for name in ("content-encoding", "content-length"):
                headers.pop(name, None)
        return httpx.Response(
            status_code=answer.status,
            headers=headers,
            stream=_LimitedStream(answer, unpacker, limit, deadline, request),
            extensions=answer.extensions,
        )

    def _checked(self, request: httpx.Request, headers: httpx.Headers, limit: int) -> Unpacker:
        length = headers.get("content-length", "")
        if request.method != "HEAD" and length.isdecimal() and int(length) > limit:
            raise _too_large(request, limit)
        try:
            return Unpacker(headers.get("content-encoding", ""))
        except UnpackError as error:
            raise httpx.DecodingError(f"the answer cannot be read: {error}", request=request) from None

    async def aclose(self) -> None:
        await self._pool.aclose()


def _too_large(request: httpx.Request, limit: int) -> ResponseTooLarge:
    return ResponseTooLarge(f"the answer of {request.url.host} is larger than {limit} bytes, the limit here")


class _LimitedStream(httpx.AsyncByteStream):
    """The body of an answer: unpacked, counted before and after, and over by the deadline."""

    def __init__(
        self,
        answer: httpcore.Response,
        unpacker: Unpacker,
        limit: int,
        deadline: float | None,
        request: httpx.Request,
    ) -> None:
        self._answer = answer
        self._unpacker = unpacker
        self._limit = limit
        self._deadline = deadline
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        packed = unpacked = 0
        source = self._answer.aiter_stream()
        while True:
            async with _translated(self._deadline):
                data = await anext(source, None)
            if data is None:
                return
            packed += len(data)
            try:
                for piece in self._unpacker.pieces(data):
                    unpacked += len(piece)
                    if max(packed, unpacked) > self._limit:
                        raise _too_large(self._request, self._limit)
                    yield piece
            except UnpackError as error:
                raise httpx.DecodingError(f"the answer cannot be read: {error}", request=self._request) from None

    async def aclose(self) -> None:
        await self._answer.aclose()
