"""Calls to models of pictures, films, sounds and vectors: asked within the budget, counted, and told to the run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from greenrun.document.values import is_record
from greenrun.workflows.media.content import Content, make_ref
from greenrun.workflows.media.sniff import UNKNOWN, canonical_mime, extension_of, sniff
from greenrun.workflows.media.work import in_thread
from greenrun.workflows.model_choice import media_model_name
from greenrun.workflows.node import NodeContext, NodeError
from greenrun.workflows.providers.errors import ProviderError, classify
from greenrun.workflows.providers.interface import EmbeddingResult, Media, MediaResult, TextResult

UNPRICED = "unpriced"
"""The cost of a call whose price is not known."""

R = TypeVar("R", MediaResult, TextResult, EmbeddingResult)


async def predicted(
    context: NodeContext, kind: str, choice: Any, call: Callable[[Any], Awaitable[R]], *, timeout: float = 0.0
) -> R:
    """What the chosen model answers; posts a ``prediction`` message, or ``provider_call_failed`` (spec: nodes A8).

    `call` is given the provider. `timeout` in seconds, 0 for none.

    Raises:
        BudgetExceeded: The run has spent what it may; nothing is asked.
        NodeError: No model is selected, there is none of that name here, or it did not answer.
    """
    name = media_model_name(choice)
    provider = context.provider(kind, name)
    async with context.paid_call():
        context.progress(0, 1)
        return await _asked(context, name, provider, call, timeout)


async def _asked(
    context: NodeContext, name: str, provider: Any, call: Callable[[Any], Awaitable[R]], timeout: float
) -> R:
    told = _Told(context, name)
    try:
        async with asyncio.timeout(timeout if timeout > 0 else None):
            result = await call(provider)
    except asyncio.CancelledError:
        # What a call in flight has cost is not known; that it was made is.
        told.post("prediction", cost=UNPRICED, interrupted=True)
        raise
    except Exception as error:
        failure = _failure(error, name, timeout)
        if isinstance(failure, ProviderError):
            told.post("provider_call_failed", kind=failure.kind, error=failure.message)
        if failure is error:
            raise
        # Without the original, whose request may hold a key.
        raise failure from None
    if result.cost:
        context.add_cost(result.cost)
    told.post("prediction", cost=UNPRICED if result.cost is None else result.cost)
    context.progress(1, 1)
    return result


class _Told:
    """What the run is told of one call."""

    def __init__(self, context: NodeContext, name: str) -> None:
        provider, _, model = name.partition(":")
        self._context = context
        self._facts = {"node_id": context.node_id, "provider": provider, "model": model}
        self._begin = time.perf_counter()

    def post(self, kind_of_message: str, **facts: Any) -> None:
        lasted = round((time.perf_counter() - self._begin) * 1000, 3)
        self._context.message({"type": kind_of_message, **self._facts, **facts, "duration_ms": lasted})


def _failure(error: Exception, name: str, timeout: float) -> NodeError:
    if isinstance(error, NodeError):
        return error
    if isinstance(error, TimeoutError) and timeout > 0:
        text = f"{name} did not answer within {timeout:g} s; allow more time with timeout_seconds, or run again"
        return ProviderError(text, kind="timeout", provider=name.partition(":")[0])
    return classify(error, name)


def media_of(content: Content) -> Media:
    """Content as a provider takes it."""
    return Media(content.data, content.mime)


async def stored(context: NodeContext, kind: str, media: Media, choice: Any) -> dict[str, Any]:
    """The media that a provider made as a reference, kept as an asset where the host keeps assets.

    Raises:
        ProviderError: It is empty, or something else than was asked for.
    """
    mime = sniff(media.data) or canonical_mime(media.mime) or UNKNOWN
    name = media_model_name(choice)
    fits = mime.startswith((f"{kind}/", "video/" if kind == "audio" else f"{kind}/")) or mime == UNKNOWN
    if not media.data or not fits:
        got = mime if media.data else "nothing"
        raise ProviderError(
            f"{name} answered with {got} instead of {_NOUNS[kind]}; run again, or choose another model",
            kind="server",
            provider=name.partition(":")[0],
        )
    file_name = f"{kind}.{extension_of(mime)}"
    ref = await in_thread(context, lambda work: make_ref(kind, media.data, mime, file_name))
    return await context.store_asset(ref)


_NOUNS = {"audio": "a sound", "image": "a picture", "video": "a video"}


def voice_of(choice: Any) -> str:
    """The voice that was selected with a speech model, else its first one, else "" for the provider's own."""
    if not is_record(choice):
        return ""
    selected = choice.get("selected_voice")
    if isinstance(selected, str) and selected:
        return selected
    voices = choice.get("voices")
    return next((voice for voice in voices if isinstance(voice, str)), "") if isinstance(voices, list) else ""
