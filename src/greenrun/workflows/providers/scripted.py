"""Models that make up their answers: offline, free, and the same each time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from greenrun.workflows.extras import missing_extra
from greenrun.workflows.node import NodeError
from greenrun.workflows.providers import made_up_media
from greenrun.workflows.providers.calls import Call, media_call
from greenrun.workflows.providers.errors import KINDS as ERROR_KINDS
from greenrun.workflows.providers.errors import ProviderError
from greenrun.workflows.providers.interface import (
    KINDS,
    EmbeddingRequest,
    EmbeddingResult,
    ImageRequest,
    Media,
    MediaResult,
    Request,
    SpeechRequest,
    TextResult,
    TranscriptionRequest,
    VideoRequest,
)
from greenrun.workflows.providers.made_up import MadeUp

_MEMBERS: Final = ("match", "text", "thinking", "object", "tool_calls", "media", "vectors", "error", "delay_ms", "cost")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a script says to one call. What it leaves open is made up."""

    text: str | None = None
    thinking: str = ""
    object: Any = None
    tool_calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    media: Media | None = None
    vectors: tuple[tuple[float, ...], ...] | None = None
    error: ProviderError | None = None
    delay: float = 0.0
    cost: float = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the answer of a language model is left to be made up."""
        return self.text is None and self.object is None and not self.tool_calls


@dataclass(slots=True)
class _Rule:
    """Replies to the calls that `match` fits: a kind, a model, ``kind/model``, or a part of what is asked."""

    match: str
    replies: list[Reply] = field(default_factory=list)
    used: int = 0

    def fits(self, call: Call) -> bool:
        if self.match in ("", call.kind, call.name, f"{call.kind}/{call.name}"):
            return True
        return self.match not in KINDS and any(self.match in text for text in asked_texts(call))

    def next(self) -> Reply:
        reply = self.replies[min(self.used, len(self.replies) - 1)]
        self.used += 1
        return reply

    @property
    def at_end(self) -> bool:
        return self.used >= len(self.replies)


class ScriptedProviders:
    """Answers for every kind and every name of model.

    `script` maps a match to a reply, or to replies for one call after the other, the last of which repeats. A match is a kind
    (``image_model``), a model (``openai:gpt-5-mini``), ``kind/model``, or a part of the prompt; the first that fits counts. A
    reply is a text, or a record of: `text`, `thinking`, `object` (a structured answer), `tool_calls` (``[{name, args}]``), `media`
    (``{mime, data}``), `vectors`, `error` (``{kind, status?, message?}``), `delay_ms`, `cost`. A list of records with `match` is
    a script too. `calls` counts the calls.
    """

    def __init__(self, script: Mapping[str, Any] | Iterable[Mapping[str, Any]] | None = None) -> None:
        """Raises `NodeError` for a script that cannot be read."""
        self.calls = 0
        self._rules = _rules(script or {})

    def provider(self, kind: str, name: str) -> Any:
        """A model of any name (see `Providers`).

        Raises:
            NodeError: There is no such kind, or pydantic-ai is missing.
        """
        if kind not in KINDS:
            raise NodeError(f'"{kind}" is no kind of model; known: {", ".join(KINDS)}')
        if kind != "language_model":
            return _ScriptedMedia(self, kind, name)
        if missing := missing_extra("llm"):
            raise NodeError(f"a language model {missing}")
        from greenrun.workflows.providers.scripted_model import ScriptedModel

        return ScriptedModel(self, name)

    async def reply(self, call: Call, *, answered: bool = False) -> Reply:
        """Count a call, wait as the script says, and give its reply. `answered`: results of tools have just come back.

        Raises:
            ProviderError: The script says so.
        """
        self.calls += 1
        rule = next((rule for rule in self._rules if rule.fits(call)), None)
        if rule is None:
            return Reply()
        # A model that is to call tools once would call them for ever, because the last reply repeats.
        over = rule.at_end and answered and rule.replies[-1].tool_calls
        reply = Reply() if over else rule.next()
        if reply.delay:
            await asyncio.sleep(reply.delay)
        if reply.error is not None:
            raise _for(call, reply.error)
        return reply


def asked_texts(call: Call) -> list[str]:
    """The texts of a call's request."""
    found: list[str] = []
    stack: list[Any] = [dict(call.request)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, Mapping):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return found


class _ScriptedMedia:
    """Models of images, videos, speech, transcription and embeddings."""

    def __init__(self, providers: ScriptedProviders, kind: str, name: str) -> None:
        self._providers = providers
        self._kind = kind
        self._name = name

    async def generate(self, request: ImageRequest | VideoRequest) -> MediaResult:
        """A picture with the prompt on it, or a short film."""
        reply, seed = await self._reply(request)
        if reply.media is not None:
            return MediaResult(reply.media, reply.cost)
        if isinstance(request, ImageRequest):
            return MediaResult(await asyncio.to_thread(made_up_media.picture, request, seed), reply.cost)
        return MediaResult(await asyncio.to_thread(made_up_media.film, request, seed), reply.cost)

    async def speak(self, request: SpeechRequest) -> MediaResult:
        """Tones instead of words."""
        reply, seed = await self._reply(request)
        return MediaResult(reply.media or made_up_media.speech(request, seed), reply.cost)

    async def transcribe(self, request: TranscriptionRequest) -> TextResult:
        """A text that says how much there was to hear."""
        reply, seed = await self._reply(request)
        said = f"This is a sample transcript of {len(request.audio.data):,} bytes of sound."
        if request.prompt.strip():
            said = f"{said} {MadeUp(request.prompt, seed=seed).sentence(0)}"
        return TextResult(said if reply.text is None else reply.text, reply.cost)

    async def embed(self, request: EmbeddingRequest) -> EmbeddingResult:
        """Vectors that lie near each other when the texts share words."""
        reply, _ = await self._reply(request)
        made = tuple(made_up_media.vector(text) for text in request.texts)
        return EmbeddingResult(reply.vectors or made, reply.cost)

    async def _reply(self, request: Request) -> tuple[Reply, str]:
        call = media_call(self._kind, self._name, request)
        return await self._providers.reply(call), call.key


def _for(call: Call, error: ProviderError) -> ProviderError:
    provider = call.name.partition(":")[0]
    return ProviderError(error.message, kind=error.kind, provider=provider, status=error.status)


def _rules(script: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> list[_Rule]:
    if isinstance(script, Mapping):
        return [_Rule(str(match), [_reply(item) for item in _listed(given)]) for match, given in script.items()]
    rules: dict[str, _Rule] = {}
    for item in script:
        match = item.get("match", "") if isinstance(item, Mapping) else None
        if not isinstance(match, str):
            raise _unreadable('an entry is a record whose "match" is a text')
        rules.setdefault(match, _Rule(match)).replies.append(_reply(item))
    return list(rules.values())


def _listed(given: Any) -> list[Any]:
    if isinstance(given, list) and not given:
        raise _unreadable("a list of replies is empty")
    return given if isinstance(given, list) else [given]


def _reply(given: Any) -> Reply:
    if isinstance(given, str):
        return Reply(text=given)
    if not isinstance(given, Mapping):
        raise _unreadable("a reply is a text or a record")
    if unknown := [str(key) for key in given if key not in _MEMBERS]:
        raise _unreadable(f'"{unknown[0]}" is not known in a reply; known: {", ".join(_MEMBERS)}')
    try:
        return Reply(
            text=_optional_text(given.get("text")),
            thinking=str(given.get("thinking", "")),
            object=given.get("object"),
            tool_calls=tuple((call["name"], dict(call.get("args", {}))) for call in given.get("tool_calls", ())),
            media=_media(given.get("media")),
            vectors=_vectors(given.get("vectors")),
            error=_error(given.get("error")),
            delay=float(given.get("delay_ms", 0)) / 1000,
            cost=float(given.get("cost", 0)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _unreadable(f"a reply does not have the right form: {error}") from None


def _optional_text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError('"text" is no text')
    return value


def _media(value: Any) -> Media | None:
    return value if value is None or isinstance(value, Media) else Media.from_json(value)


def _vectors(value: Any) -> tuple[tuple[float, ...], ...] | None:
    return None if value is None else tuple(tuple(float(number) for number in row) for row in value)


def _error(value: Any) -> ProviderError | None:
    if value is None:
        return None
    kind = value.get("kind", "unknown")
    if kind not in ERROR_KINDS:
        raise ValueError(f'the error kind "{kind}" is not known; known: {", ".join(ERROR_KINDS)}')
    message = value.get("message") or f"the script says that this call fails ({kind})"
    return ProviderError(message, kind=kind, status=value.get("status"))


def _unreadable(why: str) -> NodeError:
    return NodeError(f"the script of made-up answers cannot be used: {why}")
