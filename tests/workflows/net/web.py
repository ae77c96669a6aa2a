"""A small web server on loopback, which sends what a test tells it to and notes what it was asked."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Raw = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Page:
    """What stands at a path. `send` writes the body piece by piece instead of `body`, without a length; `silent` never answers."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {})
    send: Raw | None = None
    silent: bool = False


@dataclass
class Web:
    port: int = 0
    pages: dict[str, Page] = field(default_factory=lambda: {})
    asked: list[Asked] = field(default_factory=lambda: [])
    connections: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=lambda: set())

    @property
    def at(self) -> tuple[str, int]:
        return "127.0.0.1", self.port

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        # Whoever asked may be gone at any time, in the middle of an answer too.
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
                while line := await reader.readline():
                    await self._asked(line, reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()
            self.tasks.discard(task)

    async def _asked(self, line: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        method, path, _ = line.decode().split(" ")
        headers: dict[str, str] = {}
        while (line := await reader.readline()).strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.asked.append(Asked(method, path, headers, body))
        page = self.pages.get(path, Page(b"nothing here", 404))
        if page.silent:
            await asyncio.Event().wait()
        await self._answer(page, method, writer)
        if page.send is not None:
            # Without a length, the end of the connection is the end of the answer.
            raise ConnectionError

    async def _answer(self, page: Page, method: str, writer: asyncio.StreamWriter) -> None:
        headers = {"content-length": str(len(page.body))} if page.send is None else {"connection": "close"}
        head = [
            f"HTTP/1.1 {page.status} Said",
            *(f"{name}: {value}" for name, value in (headers | dict(page.headers)).items()),
        ]
        writer.write("\r\n".join([*head, "", ""]).encode("latin-1"))
        if method != "HEAD":
            writer.write(page.body)
        await writer.drain()
        if page.send is not None:
            await page.send(writer)


@asynccontextmanager
async def web(pages: Mapping[str, Page] | None = None, *, context: ssl.SSLContext | None = None) -> AsyncIterator[Web]:
    """A running server; with a context, over TLS."""
    found = Web(pages=dict(pages or {}))
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0, ssl=context)
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        server.close()
        tasks = list(found.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
