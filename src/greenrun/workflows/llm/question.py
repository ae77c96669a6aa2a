"""A question to a language model, and what comes back while it is answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from greenrun.workflows.llm.forms import Form

ANSWER_SECONDS: Final = 300.0
"""How long one answer may take where the node has no limit of its own."""

RETRIES: Final = 2
"""How often a model may correct an answer that does not fit."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that the model may call. `parameters` is a JSON Schema of an object; `call` gets the arguments by name."""

    name: str
    description: str
    parameters: dict[str, Any]
    call: Callable[[dict[str, Any]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one question. `turns` counts requests, `dollars` what they cost together; None means no bound.

    `names` are the properties of the node that set them, for messages: ``{"turns": "max_turns"}``.
    """

    max_tokens: int | None = None
    turns: int | None = 1 + RETRIES
    dollars: float | None = None
    seconds: float | None = ANSWER_SECONDS
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `media` are references that are shown with the prompt; `history` are messages from before it.

    `thread` holds what was said in the same thread of this run, in the model library's form; the exchange is added to it. With a
    `form` the answer is values, else text. `partial` asks for `Partial` events while values come in.
    """

    prompt: str
    system: str = ""
    media: tuple[Mapping[str, Any], ...] = ()
    history: tuple[Mapping[str, Any], ...] = ()
    thread: list[Any] | None = None
    tools: tuple[Tool, ...] = ()
    form: Form | None = None
    partial: bool = False
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer."""

    content: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of what the model thought."""

    content: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The whole text of a finished turn that has any."""

    text: str


@dataclass(frozen=True, slots=True)
class File:
    """A file that the model made, as a media reference."""

    ref: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Partial:
    """The values so far, as they were sent: the last one may be incomplete. `attempt` tells the answers apart, from 1."""

    values: dict[str, Any]
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """The end: the last text, and the values where a form was asked for. `cut`: it ended at the token limit."""

    text: str
    values: dict[str, Any] = field(default_factory=dict)
    cut: bool = False


Event: TypeAlias = Text | Thinking | Turn | File | Partial | Answer
