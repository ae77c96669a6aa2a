"""Requests to the web (spec: nodes B2, ``lib.http.*``); every one goes through the guarded client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Final, TypeVar
from urllib.parse import unquote

from pydantic import BeforeValidator

from greenrun.document.values import is_record
from greenrun.workflows.net.texts import decoded
from greenrun.workflows.node import Effects, Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.nodes.files import media_ref
from greenrun.workflows.nodes.json_values import read_value
from greenrun.workflows.ports import Anything, PortType, RequiredText, to_plain_text

T = TypeVar("T")

MAX_TEXT_BYTES: Final = 20 * 1024 * 1024

_AT_ONCE_BYTES: Final = 100_000
"""A body up to this size is read in less time than a thread would take to start."""

_STATUS: Final = OutputSpec("status", "int")


def _to_header_text(value: Any) -> str:
    return json.dumps(value) if is_record(value) else to_plain_text(value)


HeaderText = Annotated[str, PortType("str"), BeforeValidator(_to_header_text)]


def read_headers(text: str) -> dict[str, str]:
    """Headers from a JSON record, their names in small letters; anything else means none (spec: nodes B2)."""
    try:
        found = json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        return {}
    if not is_record(found):
        return {}
    return {name.lower(): to_plain_text(value) for name, value in found.items() if value is not None}


class _Request(Node):
    """Base of the requests."""

    method: ClassVar[str] = "GET"
    max_bytes: ClassVar[int] = MAX_TEXT_BYTES

    url: RequiredText = ""
    headers: HeaderText = ""

    def body_bytes(self, headers: Mapping[str, str]) -> bytes | None:
        """What is sent beside the headers; None for nothing."""
        return None

    async def answer(self, context: NodeContext, **defaults: str) -> Any:
        """The answer to the request, read to its end; `defaults` are headers that are sent when no other value is given.

        Raises:
            NodeError: There is no address, it is not allowed, or there is no answer.
        """
        import httpx

        from greenrun.workflows.net.client import MAX_BYTES_KEY

        url = self.url.strip()
        if not url:
            raise NodeError("there is no URL; give one such as https://example.com/data.json")
        headers = read_headers(self.headers)
        try:
            answer = await context.http().request(
                self.method,
                url,
                content=self.body_bytes(headers),
                headers={name.replace("_", "-"): text for name, text in defaults.items()} | headers,
                extensions={MAX_BYTES_KEY: self.max_bytes},
            )
        except httpx.InvalidURL as error:
            raise NodeError(f'"{url[:200]}" is no URL: {error}') from None
        except (httpx.LocalProtocolError, UnicodeError):
            # The reason would quote the header, and with it a key perhaps.
            raise NodeError("a header has a name or a value that cannot be sent; use plain letters") from None
        except httpx.TimeoutException:
            raise NodeError(f"{host_of(url)} did not answer in time; try again later") from None
        except httpx.TooManyRedirects:
            raise NodeError(f"{host_of(url)} redirects too often; give the address that it leads to") from None
        except httpx.HTTPError as error:
            raise NodeError(f"the request to {host_of(url)} failed: {error or type(error).__name__}") from None
        if not answer.is_success:
            # Not an error of the node (spec: nodes B2), and still something that whoever judges the run has to know.
            context.message(
                {
                    "type": "provider_call_failed",
                    "node_id": context.node_id,
                    "provider": host_of(url),
                    "kind": "server" if answer.is_server_error else "client",
                    "status": answer.status_code,
                }
            )
        return answer


async def read_body(answer: Any, read: Callable[[str], T]) -> T:
    """What `read` makes of the text of an answer; a large one is decoded and read in a thread."""
    data: bytes = answer.content
    content_type = answer.headers.get("content-type", "")
    if len(data) <= _AT_ONCE_BYTES:
        return read(decoded(data, content_type))
    return await asyncio.to_thread(lambda: read(decoded(data, content_type)))


def host_of(url: str) -> str:
    """The host of an address for messages: what stands beside it may be secret."""
    rest = url.partition("://")[2] or url
    return rest.partition("/")[0].partition("?")[0].rpartition("@")[2][:100]


class GetText(_Request):
    """The text at an address."""

    node_type: ClassVar[str] = "lib.http.GetText"
    title: ClassVar[str] = "HTTP GET Text"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "str"), _STATUS)

    async def process(self, context: NodeContext) -> dict[str, Any]:
        answer = await self.answer(context)
        return {"output": await read_body(answer, str), "status": answer.status_code}


class GetJSON(_Request):
    """The JSON value at an address."""

    node_type: ClassVar[str] = "lib.http.GetJSON"
    title: ClassVar[str] = "HTTP GET JSON"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output"), _STATUS)

    async def process(self, context: NodeContext) -> dict[str, Any]:
        answer = await self.answer(context, accept="application/json")
        source = f"the answer of {host_of(self.url.strip())} (status {answer.status_code})"
        value = await read_body(answer, lambda text: read_value(text, source))
        return {"output": value, "status": answer.status_code}


class GetBytes(_Request):
    """What an address holds, as a document, picture, sound or video, whatever it is."""

    node_type: ClassVar[str] = "lib.http.GetBytes"
    title: ClassVar[str] = "HTTP GET Bytes"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "document"), _STATUS)
    max_bytes: ClassVar[int] = 100 * 1024 * 1024

    async def process(self, context: NodeContext) -> dict[str, Any]:
        answer = await self.answer(context)
        mime = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        name = unquote(answer.url.path.rpartition("/")[2]) or None
        ref = await context.store_asset(media_ref(answer.content, mime=mime, name=name))
        return {"output": ref, "status": answer.status_code}


class _Sender(_Request):
    """Base of what sends a value: as JSON, or as it is when it is a text and the headers name another content type."""

    effects: ClassVar[Effects] = "external"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output"), _STATUS)

    body: Anything = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        answer = await self.answer(context, content_type="application/json")
        return {"output": await read_body(answer, _value_or_text), "status": answer.status_code}

    def body_bytes(self, headers: Mapping[str, str]) -> bytes | None:
        if self.body is None:
            return None
        if isinstance(self.body, str) and "json" not in headers.get("content-type", "json").lower():
            return self.body.encode("utf-8", "replace")
        try:
            return json.dumps(self.body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        except (TypeError, ValueError, RecursionError) as error:
            raise NodeError(f"the body cannot be written as JSON: {error}") from None


def _value_or_text(text: str) -> Any:
    """The value of a JSON text, any other one as it is."""
    try:
        return read_value(text)
    except NodeError:
        return text


class Post(_Sender):
    """Sends a value as JSON by POST, and gives the answer."""

    node_type: ClassVar[str] = "lib.http.Post"
    title: ClassVar[str] = "HTTP POST"
    method: ClassVar[str] = "POST"
    retry_safe: ClassVar[bool] = False


class Put(_Sender):
    """Sends a value as JSON by PUT, and gives the answer."""

    node_type: ClassVar[str] = "lib.http.Put"
    title: ClassVar[str] = "HTTP PUT"
    method: ClassVar[str] = "PUT"


class Patch(_Sender):
    """Sends a value as JSON by PATCH, and gives the answer."""

    node_type: ClassVar[str] = "lib.http.Patch"
    title: ClassVar[str] = "HTTP PATCH"
    method: ClassVar[str] = "PATCH"
    retry_safe: ClassVar[bool] = False


class Delete(_Request):
    """Deletes what an address stands for; `output` says whether the server agreed."""

    node_type: ClassVar[str] = "lib.http.Delete"
    title: ClassVar[str] = "HTTP DELETE"
    method: ClassVar[str] = "DELETE"
    effects: ClassVar[Effects] = "external"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "bool"), _STATUS)

    async def process(self, context: NodeContext) -> dict[str, Any]:
        answer = await self.answer(context)
        return {"output": answer.is_success, "status": answer.status_code}


NODES: tuple[type[Node], ...] = (GetText, GetJSON, GetBytes, Post, Put, Patch, Delete)
