"""Streamed answers of language models: one that comes from a finished answer, and a tap on one under way.

This module imports pydantic-ai.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias, cast

from pydantic_ai.messages import (
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.usage import RequestUsage

Piece: TypeAlias = tuple[int, str]
"""The number of a part of the answer, and some more of its text (or of its arguments)."""


class PiecesStream(StreamedResponse):
    """A finished answer, streamed in pieces. A part that no piece belongs to comes whole, after those before it."""

    def __init__(
        self, response: ModelResponse, pieces: Iterable[Piece], model_request_parameters: ModelRequestParameters
    ) -> None:
        super().__init__(model_request_parameters)
        self.response = response
        self.pieces = tuple(pieces)
        self.finish_reason = response.finish_reason
        self.provider_details = response.provider_details
        self.provider_response_id = response.provider_response_id
        self._done = False

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        begun: set[int] = set()
        streamed = {number for number, _ in self.pieces}
        for number, text in self.pieces:
            for earlier in range(number):
                if earlier not in begun and earlier not in streamed:
                    begun.add(earlier)
                    yield self._start(earlier)
            if number in begun:
                for event in self._more(number, text):
                    yield event
            else:
                begun.add(number)
                yield self._start(number, text)
        for number in range(len(self.response.parts)):
            if number not in begun:
                yield self._start(number)
        self._done = True

    def _start(self, number: int, text: str | None = None) -> ModelResponseStreamEvent:
        part = self.response.parts[number]
        return self._parts_manager.handle_part(
            vendor_part_id=number, part=replace(part) if text is None else _with_text(part, text)
        )

    def _more(self, number: int, text: str) -> Iterator[ModelResponseStreamEvent]:
        part = self.response.parts[number]
        if isinstance(part, TextPart):
            yield from self._parts_manager.handle_text_delta(vendor_part_id=number, content=text)
        elif isinstance(part, ThinkingPart):
            yield from self._parts_manager.handle_thinking_delta(vendor_part_id=number, content=text)
        elif (event := self._parts_manager.handle_tool_call_delta(vendor_part_id=number, args=text)) is not None:
            yield event

    async def close_stream(self) -> None:
        """Nothing is open."""

    def get(self) -> ModelResponse:
        return replace(self.response) if self._done else super().get()

    @property
    def usage(self) -> RequestUsage:
        return self.response.usage

    @property
    def model_name(self) -> str:
        return self.response.model_name or ""

    @property
    def provider_name(self) -> str | None:
        return self.response.provider_name

    @property
    def provider_url(self) -> str | None:
        return self.response.provider_url

    @property
    def timestamp(self) -> datetime:
        return self.response.timestamp


def text_of(part: ModelResponsePart) -> str | None:
    """What of a part comes in pieces; None when it comes whole."""
    if isinstance(part, (TextPart, ThinkingPart)):
        return part.content
    return part.args if isinstance(part, ToolCallPart) and isinstance(part.args, str) else None


def _with_text(part: ModelResponsePart, text: str) -> ModelResponsePart:
    if isinstance(part, (TextPart, ThinkingPart)):
        return replace(part, content=text)
    return replace(part, args=text) if isinstance(part, ToolCallPart) else replace(part)


class Pieces:
    """Notes the pieces of a stream while it is consumed."""

    def __init__(self) -> None:
        self._noted: list[Piece] = []

    def note(self, event: ModelResponseStreamEvent) -> None:
        """Note the piece that an event brings, if it brings one."""
        if isinstance(event, PartStartEvent):
            text = text_of(event.part)
            # Arguments that have not begun are no text yet.
            self._noted.append((event.index, "" if text is None else text))
        elif isinstance(event, PartDeltaEvent) and (text := _more_text(event.delta)) is not None:
            self._noted.append((event.index, text))

    def of(self, response: ModelResponse) -> tuple[Piece, ...]:
        """The pieces of a finished answer; none for a part whose pieces do not add up to it, so that it comes whole."""
        joined: dict[int, list[str]] = {}
        for number, text in self._noted:
            joined.setdefault(number, []).append(text)
        fitting = {
            number
            for number, part in enumerate(response.parts)
            if number in joined and "".join(joined[number]) == text_of(part)
        }
        return tuple(piece for piece in self._noted if piece[0] in fitting)


def _more_text(delta: Any) -> str | None:
    if isinstance(delta, (TextPartDelta, ThinkingPartDelta)):
        return delta.content_delta
    if isinstance(delta, ToolCallPartDelta) and isinstance(delta.args_delta, str):
        return delta.args_delta
    return None


def tap(
    stream: StreamedResponse,
    *,
    note: Callable[[ModelResponseStreamEvent], None] | None = None,
    failed: Callable[[Exception], Exception] | None = None,
) -> None:
    """Listen to a stream that nobody has begun to consume: `note` gets each event, `failed` turns an error into another one."""
    open_events = cast(Callable[[], AsyncGenerator[ModelResponseStreamEvent]], stream._get_event_iterator)

    async def tapped() -> AsyncIterator[ModelResponseStreamEvent]:
        try:
            async with aclosing(open_events()) as events:
                async for event in events:
                    if note is not None:
                        note(event)
                    yield event
        except Exception as error:
            # A stream that was cancelled fails on purpose, and pydantic-ai must see with what.
            if failed is None or stream.cancelled:
                raise
            raise failed(error) from None

    # The one method that a stream is made of; what is built on it, such as deadlines, stays as it is.
    setattr(stream, "_get_event_iterator", tapped)  # noqa: B010
