"""A scripted OpenAI-compatible server on loopback: chat (whole or streamed), images, speech, transcription, embeddings.

    with OpenAIServer(text("Hello"), failure(429)) as server:
        env = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "k"}
        ...
        assert server.requests[0].body["model"] == "gpt-5-mini"

Replies are used up in order and the last one repeats; without any the server says hello. A client that tries again uses up
another one. Where a reply does not fit the endpoint, a plausible one of the right shape is sent.
"""

from __future__ import annotations

import base64
import email
import email.policy
import json
import select
import socket
import threading
import time
import wave
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from types import TracebackType
from typing import Any, Final, Literal, Self, TypeAlias

LONGEST_STALL: Final = 20.0
HELLO: Final = "Hello from the model."


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a multipart request."""

    name: str
    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Received:
    """A request that reached the server. `body` is the JSON, or the fields and uploads of a form by name."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def stream(self) -> bool:
        """Whether a streamed answer was asked for."""
        return self.body.get("stream") is True

    @property
    def texts(self) -> list[str]:
        """The plain texts of all chat messages, in order."""
        found: list[str] = []
        for message in self.body.get("messages", ()):
            content = message.get("content")
            parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
            found.extend(part["text"] for part in parts if part.get("type") == "text" and part["text"])
        return found

    @property
    def tools(self) -> list[str]:
        """The names of the offered tools."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted answer. `pieces` are the parts of a streamed text; `per_byte` seconds are waited before each byte."""

    text: str | None = None
    pieces: tuple[str, ...] = ()
    thinking: str = ""
    calls: tuple[tuple[str, dict[str, Any] | str], ...] = ()
    value: Any = None
    tool: str | None = None
    media: bytes | None = None
    vectors: tuple[tuple[float, ...], ...] | None = None
    status: int = 200
    message: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    fault: Literal["", "stall", "garbage", "cut"] = ""
    per_byte: float = 0.0
    usage: tuple[int, int] | None = None
    finish: str | None = None
    raw: bytes | None = None


Answer: TypeAlias = Reply | Callable[[Received], Reply]


def text(
    content: str, *, pieces: Sequence[str] = (), thinking: str = "", usage: tuple[int, int] | None = None
) -> Reply:
    """A chat answer (or a transcript); streamed word by word unless `pieces` are given. `usage` is tokens in and out."""
    return Reply(text=content or "".join(pieces), pieces=tuple(pieces), thinking=thinking, usage=usage)


def calls(*called: tuple[str, dict[str, Any] | str], content: str | None = None) -> Reply:
    """Tool calls: pairs of a name and its arguments (a text is sent as it is, such as broken JSON)."""
    return Reply(text=content, calls=called)


def value(answer: Any, *, tool: str | None = None) -> Reply:
    """A structured answer, in the way that the request asks for it: by its output tool, or as JSON text."""
    return Reply(value=answer, tool=tool, text=json.dumps(answer))


def failure(status: int, message: str = "scripted failure", *, headers: dict[str, str] | None = None) -> Reply:
    """An HTTP error with OpenAI's error body."""
    return Reply(status=status, message=message, headers=tuple((headers or {}).items()))


def stall() -> Reply:
    """No answer at all, until the client gives up or the server is closed."""
    return Reply(fault="stall")


def garbage() -> Reply:
    """Bytes that are no JSON and no event stream."""
    return Reply(fault="garbage")


def cut(content: str = HELLO) -> Reply:
    """The connection closes half-way through the answer."""
    return Reply(text=content, fault="cut")


def slow(content: str = HELLO, per_byte: float = 0.05) -> Reply:
    """An answer that comes byte by byte."""
    return Reply(text=content, per_byte=per_byte)


def media(data: bytes) -> Reply:
    """The bytes of an image or of speech."""
    return Reply(media=data)


def vectors(*rows: Sequence[float]) -> Reply:
    """Embeddings, one row per text."""
    return Reply(vectors=tuple(tuple(row) for row in rows))


def raw(data: bytes, *, status: int = 200) -> Reply:
    """A body as it is."""
    return Reply(raw=data, status=status)


class OpenAIServer:
    """The server; a context manager. `requests` are what reached it, `hangups` how often a client left during a stall."""

    def __init__(self, *replies: Answer) -> None:
        self.requests: list[Received] = []
        self.hangups = 0
        self._replies = list(replies)
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def base_url(self) -> str:
        """``http://127.0.0.1:<port>/v1``."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def reply(self, *replies: Answer) -> None:
        """Use these replies from now on."""
        with self._changed:
            self._replies = list(replies)

    def close(self) -> None:
        """Stop; connections in flight end. Closing twice is fine."""
        if not self._closing.is_set():
            self._closing.set()
            self._server.shutdown()
            self._server.server_close()
            self._thread.join(5)

    def wait_for(self, requests: int = 0, *, hangups: int = 0, timeout: float = 5.0) -> None:
        """Block until so many requests came and so many clients left (in a test: ``await asyncio.to_thread(...)``)."""
        with self._changed:
            reached = self._changed.wait_for(
                lambda: len(self.requests) >= requests and self.hangups >= hangups, timeout
            )
        assert reached, f"{len(self.requests)} requests and {self.hangups} hang-ups after {timeout} s"

    def take(self, request: Received) -> Reply:
        """Note a request and take the reply to it."""
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
            replies = self._replies
            answer = (replies.pop(0) if len(replies) > 1 else replies[0]) if replies else Reply(text=HELLO)
        return answer(request) if callable(answer) else answer

    def hung_up(self, connection: socket.socket) -> bool:
        """Wait until the client leaves (true), or the server is closed or the longest stall is over."""
        deadline = time.monotonic() + LONGEST_STALL
        while not self._closing.is_set() and time.monotonic() < deadline:
            readable, _, _ = select.select([connection], [], [], 0.02)
            if readable:
                with self._changed:
                    self.hangups += 1
                    self._changed.notify_all()
                return True
        return False

    def pause(self, seconds: float) -> bool:
        """Wait; false when the server is closing."""
        return not self._closing.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: OpenAIServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves early is part of the tests, not worth a traceback."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing on stderr."""

    def do_GET(self) -> None:
        self._respond({})

    def do_POST(self) -> None:
        self._respond(_body(self.headers.get("Content-Type", ""), self.rfile.read(int(self.headers["Content-Length"]))))

    def _respond(self, body: dict[str, Any]) -> None:
        owner = self.server.owner  # type: ignore[attr-defined]
        request = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        reply = owner.take(request)
        self.close_connection = True
        if reply.fault == "stall":
            owner.hung_up(self.connection)
            return
        if reply.status >= 400:
            error = {"error": {"message": reply.message, "type": "scripted", "code": None, "param": None}}
            self._send(reply, _json(error), "application/json")
            return
        data, mime, streamed = _answer(request, reply)
        self._send(reply, data, mime, chunked=streamed)

    def _send(self, reply: Reply, data: bytes, mime: str, *, chunked: bool = False) -> None:
        owner = self.server.owner  # type: ignore[attr-defined]
        self.send_response(reply.status)
        self.send_header("Content-Type", mime)
        self.send_header("Connection", "close")
        for name, content in reply.headers:
            self.send_header(name, content)
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        sent = data[: len(data) // 2] if reply.fault == "cut" else data
        size = 1 if reply.per_byte else max(len(sent), 1)
        for start in range(0, len(sent), size):
            if reply.per_byte and not owner.pause(reply.per_byte):
                return
            piece = sent[start : start + size]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            self.wfile.flush()
        if chunked and reply.fault != "cut":
            self.wfile.write(b"0\r\n\r\n")


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _body(mime: str, data: bytes) -> dict[str, Any]:
    if not mime.startswith("multipart/form-data"):
        try:
            return json.loads(data) if data else {}
        except ValueError:
            return {"": data}
    form = email.message_from_bytes(b"Content-Type: " + mime.encode() + b"\r\n\r\n" + data, policy=email.policy.HTTP)
    found: dict[str, Any] = {}
    for part in form.iter_parts():  # type: ignore[attr-defined]
        name = str(part.get_param("name", header="content-disposition"))
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        file = part.get_filename()
        item = content.decode() if file is None else Upload(file, part.get_content_type(), content)
        found[name] = [*_as_list(found[name]), item] if name in found else item
    return found


def _as_list(item: Any) -> list[Any]:
    return item if isinstance(item, list) else [item]


def _answer(request: Received, reply: Reply) -> tuple[bytes, str, bool]:
    """The body, its type, and whether it is sent as a stream."""
    endpoint = request.path.partition("?")[0].removeprefix("/v1/")
    streamed = request.stream and endpoint == "chat/completions"
    mime = "text/event-stream" if streamed else "application/json"
    if reply.fault == "garbage":
        return b"\xff\xfe<html>data: {nonsense\n\n" * 4, mime, streamed
    if reply.raw is not None:
        return reply.raw, mime, streamed
    if endpoint == "chat/completions":
        reply = _shaped(request, reply)
        if streamed:
            return b"".join(_events(request, reply)), mime, True
        return _json(_completion(request, reply)), mime, False
    if endpoint == "audio/speech":
        return (_wav() if reply.media is None else reply.media), "audio/wav", False
    return _json(_OTHERS[endpoint](request, reply)), mime, False


def _shaped(request: Received, reply: Reply) -> Reply:
    if reply.text is None and not reply.calls:
        return replace(reply, text=HELLO)
    if reply.value is None or not request.tools:
        return reply
    tool = reply.tool or next((name for name in request.tools if "result" in name), request.tools[-1])
    return replace(reply, text=None, calls=((tool, reply.value),))


def _usage(request: Received, reply: Reply) -> dict[str, int]:
    said = reply.text or json.dumps(reply.calls)
    into, out = reply.usage or (sum(len(item.split()) for item in request.texts), len(said.split()))
    return {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}


def _tool_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{index}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for index, (name, given) in enumerate(reply.calls)
    ]


def _finish(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def _head(request: Received, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": request.body.get("model", "model")}


def _completion(request: Received, reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = _tool_calls(reply)
    return {
        **_head(request, "chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(reply)}],
        "usage": _usage(request, reply),
    }


def _events(request: Received, reply: Reply) -> Iterator[bytes]:
    head = _head(request, "chat.completion.chunk")

    def event(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield event({"role": "assistant", "content": ""})
    if reply.thinking:
        yield event({"reasoning_content": reply.thinking})
    for piece in reply.pieces or _words(reply.text or ""):
        yield event({"content": piece})
    for index, call in enumerate(_tool_calls(reply)):
        given = call["function"]["arguments"]
        yield event({"tool_calls": [{"index": index, **call, "function": {**call["function"], "arguments": ""}}]})
        for half in (given[: len(given) // 2], given[len(given) // 2 :]):
            yield event({"tool_calls": [{"index": index, "function": {"arguments": half}}]})
    yield event({}, _finish(reply))
    if request.body.get("stream_options", {}).get("include_usage"):
        yield _event({**head, "choices": [], "usage": _usage(request, reply)})
    yield b"data: [DONE]\n\n"


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + _json(data) + b"\n\n"


def _words(content: str) -> list[str]:
    words = content.split(" ")
    return [word if index == 0 else f" {word}" for index, word in enumerate(words)] if content else []


def _image(request: Received, reply: Reply) -> dict[str, Any]:
    data = _png() if reply.media is None else reply.media
    return {"created": 1_700_000_000, "data": [{"b64_json": base64.b64encode(data).decode()}]}


def _transcript(request: Received, reply: Reply) -> dict[str, Any]:
    return {"text": HELLO if reply.text is None else reply.text}


def _embeddings(request: Received, reply: Reply) -> dict[str, Any]:
    texts = _as_list(request.body["input"])
    rows = reply.vectors or [(float(len(item)), 0.5, -1.0) for item in texts]
    data = [{"object": "embedding", "index": index, "embedding": list(row)} for index, row in enumerate(rows)]
    tokens = sum(len(str(item).split()) for item in texts)
    return {
        "object": "list",
        "data": data,
        "model": request.body.get("model"),
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _models(request: Received, reply: Reply) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": "gpt-5-mini", "object": "model", "created": 1, "owned_by": "test"}]}


_OTHERS: Final[dict[str, Callable[[Received, Reply], dict[str, Any]]]] = {
    "images/generations": _image,
    "images/edits": _image,
    "audio/transcriptions": _transcript,
    "embeddings": _embeddings,
    "models": _models,
}


def _png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = (2).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    rows = zlib.compress((b"\0" + b"\x33\x66\x99" * 2) * 2)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _wav() -> bytes:
    target = BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * 800)
    return target.getvalue()
