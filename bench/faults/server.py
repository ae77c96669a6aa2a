"""A server on the loopback interface that answers as it is told, for apps that send requests."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Answer:
    """How one path is answered.

    `ending` "close" hangs up without a word, "cut" in the middle, "never" keeps silent. A request whose body does not hold
    the text `wants` is answered with 422.
    """

    status: int = 200
    body: str = ""
    content_type: str = "text/plain; charset=utf-8"
    ending: Literal["whole", "close", "cut", "never"] = "whole"
    wants: str = ""

    @property
    def data(self) -> bytes:
        body = self.body.encode()
        head = f"HTTP/1.1 {self.status} Told\r\nContent-Type: {self.content_type}\r\nContent-Length: {len(body)}\r\n"
        return head.encode() + b"Connection: close\r\n\r\n" + body


def json_answer(value: Any, status: int = 200, wants: str = "") -> Answer:
    """An answer whose body is JSON."""
    return Answer(status, json.dumps(value), "application/json", wants=wants)


class Server:
    """HTTP/1.1, one request a connection; a path without an answer is 404. Close it."""

    def __init__(self) -> None:
        self.answers: Mapping[str, Answer] = {}
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Take a free port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)

    @property
    def address(self) -> tuple[str, int]:
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()[:2]
        return str(host), int(port)

    @property
    def url(self) -> str:
        return "http://{}:{}".format(*self.address)

    async def aclose(self) -> None:
        """Free the port and let go of whoever still waits for an answer."""
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._answer(reader, writer)
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        lengths = [line.partition(":")[2] for line in head.split("\r\n") if line.lower().startswith("content-length:")]
        body = await reader.readexactly(int(lengths[0]) if lengths else 0)
        path = head.split(" ")[1].partition("?")[0]
        answer = self.answers.get(path, Answer(404, "there is nothing here"))
        if answer.wants.encode() not in body:
            answer = json_answer({"error": "that is not what is wanted"}, 422)
        if answer.ending == "never":
            await reader.read()
        elif answer.ending != "close":
            writer.write(answer.data if answer.ending == "whole" else answer.data[:-4])
            await writer.drain()
