from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs pydantic-ai")

from pydantic_ai import BinaryContent
from pydantic_ai.messages import (
    FilePart,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import ModelRequestParameters

from greenrun.workflows.providers.streams import Piece, Pieces, PiecesStream

FILE = FilePart(BinaryContent(b"\x89PNG", media_type="image/png"))


def stream(*parts: Any, pieces: list[Piece]) -> PiecesStream:
    return PiecesStream(ModelResponse(parts=list(parts), model_name="m"), pieces, ModelRequestParameters())


async def told(answer: PiecesStream) -> list[tuple[int, Any]]:
    """The number of a part and what of it came, piece by piece."""
    found: list[tuple[int, Any]] = []
    async for event in answer:
        if isinstance(event, PartStartEvent):
            part = event.part
            found.append((event.index, part.args if isinstance(part, ToolCallPart) else part.content))  # type: ignore[union-attr]
        elif isinstance(event, PartDeltaEvent):
            delta = event.delta
            found.append(
                (event.index, delta.args_delta if isinstance(delta, ToolCallPartDelta) else delta.content_delta)
            )
    return found


async def test_every_kind_of_part_comes_in_its_pieces() -> None:
    parts = (ThinkingPart("hmm"), TextPart("one two"), ToolCallPart("f", '{"a": 1}', "c1"))
    pieces = [(0, "h"), (0, "mm"), (1, "one"), (1, " two"), (2, '{"a"'), (2, ": 1}")]
    answer = stream(*parts, pieces=pieces)
    assert await told(answer) == pieces
    assert list(answer.get().parts) == list(parts)


async def test_parts_without_pieces_come_whole_and_in_their_place() -> None:
    answer = stream(FILE, TextPart("one two"), TextPart("end"), pieces=[(1, "one"), (1, " two")])
    assert await told(answer) == [(0, FILE.content), (1, "one"), (1, " two"), (2, "end")]


async def test_arguments_that_are_no_text_come_whole() -> None:
    answer = stream(ToolCallPart("f", {"a": 1}, "c1"), pieces=[])
    assert await told(answer) == [(0, {"a": 1})]


async def test_what_has_come_so_far_can_be_seen() -> None:
    answer = stream(TextPart("one two"), pieces=[(0, "one"), (0, " two")])
    async for _ in answer:
        break
    assert answer.get().parts == [TextPart("one")]
    assert answer.get().state == "incomplete"


async def test_a_stream_that_is_cancelled_says_so() -> None:
    answer = stream(TextPart("one two"), pieces=[(0, "one"), (0, " two")])
    async for _ in answer:
        break
    await answer.cancel()
    assert answer.get().state == "interrupted"


async def test_it_says_what_the_answer_says_of_itself() -> None:
    answer = stream(TextPart("x"), pieces=[])
    assert (answer.model_name, answer.provider_name, answer.provider_url) == ("m", None, None)
    assert answer.timestamp == answer.response.timestamp
    assert answer.usage is answer.response.usage


def test_pieces_are_noted_as_they_come() -> None:
    noted = Pieces()
    for event in (
        PartStartEvent(index=0, part=ThinkingPart("h")),
        PartDeltaEvent(index=0, delta=ThinkingPartDelta(content_delta="m")),
        PartDeltaEvent(index=0, delta=ThinkingPartDelta(signature_delta="sig")),
        PartStartEvent(index=1, part=ToolCallPart("f", None, "c1")),
        PartDeltaEvent(index=1, delta=ToolCallPartDelta(args_delta='{"a"')),
        PartDeltaEvent(index=1, delta=ToolCallPartDelta(args_delta=": 1}")),
    ):
        noted.note(event)
    response = ModelResponse(parts=[ThinkingPart("hm"), ToolCallPart("f", '{"a": 1}', "c1")])
    assert noted.of(response) == ((0, "h"), (0, "m"), (1, ""), (1, '{"a"'), (1, ": 1}"))


def test_pieces_that_do_not_add_up_to_their_part_are_forgotten() -> None:
    noted = Pieces()
    noted.note(PartStartEvent(index=0, part=TextPart("o")))
    noted.note(PartDeltaEvent(index=0, delta=TextPartDelta(content_delta="ne")))
    noted.note(PartStartEvent(index=1, part=ToolCallPart("f", {"a": 1}, "c1")))
    noted.note(PartDeltaEvent(index=1, delta=ToolCallPartDelta(args_delta={"b": 2})))
    response = ModelResponse(parts=[TextPart("other"), ToolCallPart("f", {"a": 1, "b": 2}, "c1")])
    assert noted.of(response) == ()
