"""What comes back from a model as the outputs of a node that streams text (spec: nodes A8, B1)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from greenrun.workflows.llm.asking import ask
from greenrun.workflows.llm.question import Answer, File, Question, Text, Thinking, Turn
from greenrun.workflows.node import NodeContext, OutputSpec

CHUNKS = OutputSpec("chunk", "chunk", "iteration", group="stream")
THOUGHTS = OutputSpec("thinking", "chunk", "iteration", group="stream")
SOUNDS = OutputSpec("audio", "audio", "iteration", group="stream")


def chunk_value(content: str, *, done: bool = False, thinking: bool = False) -> dict[str, Any]:
    """A chunk on an edge."""
    value = {"type": "chunk", "content_type": "text", "content": content, "done": done}
    return value | {"thinking": True} if thinking else value


async def spoken(
    context: NodeContext, choice: Any, question: Question, *, thoughts: bool = False
) -> AsyncGenerator[dict[str, Any]]:
    """Partial records: ``chunk`` per piece and once with ``done``, ``text`` per finished turn, then the values of the form.

    With `thoughts` also ``thinking`` and ``audio``.
    """
    thought = False
    async with aclosing(ask(context, choice, question)) as events:
        async for event in events:
            match event:
                case Text(content):
                    context.chunk(content, handle="chunk")
                    yield {"chunk": chunk_value(content)}
                case Thinking(content) if thoughts:
                    thought = True
                    context.chunk(content, handle="thinking", thinking=True)
                    yield {"thinking": chunk_value(content, thinking=True)}
                case Turn(text):
                    yield {"text": text}
                case File(ref) if thoughts and ref["type"] == "audio":
                    yield {"audio": await context.store_asset(ref)}
                case Answer():
                    if event.cut:
                        context.log("the answer was cut off at the token limit", "warning")
                    context.chunk("", True, handle="chunk")
                    yield {"chunk": chunk_value("", done=True)}
                    if thought:
                        yield {"thinking": chunk_value("", done=True, thinking=True)}
                    if event.values:
                        yield event.values
                case _:
                    pass
