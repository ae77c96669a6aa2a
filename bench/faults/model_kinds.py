"""What can go wrong with the models that an app asks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.faults.graph_places import graphs, node_of
from bench.faults.seed import Bed, Draft, Fault, Sign, sign
from bench.faults.server import Answer
from greenrun.workflows.registry import default_registry

CHAT = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Asked:
    """A node that asks a model. `told` is what only this node tells it, in the property `prompt`."""

    operation: str
    key: str
    node: str
    told: str
    prompt: str | None
    has_limit: bool


def asked(bed: Bed) -> Iterator[Asked]:
    """The nodes of the operations' graphs that have a language model."""
    registry = default_registry()
    for item, key, graph in graphs(bed):
        for node in graph.nodes:
            if "model" not in node.properties:
                continue
            texts = {name: node.properties.get(name) for name in ("system", "system_prompt", "prompt")}
            prompt = next((name for name, text in texts.items() if text), None)
            found = registry.get(node.type)
            has_limit = found is not None and found.property("max_tokens") is not None
            yield Asked(item.id, key, node.id, str(texts.get(prompt or "", "")), prompt, has_limit)


def failed(bed: Bed, item: Asked) -> list[Sign]:
    """The node fails, and the run with it."""
    return [sign("GR721", operation=item.operation, node=item.node), *bed.run_signs(item.operation)]


def _say(draft: Draft, item: Asked, reply: Any) -> None:
    """The model answers this node otherwise."""
    script = {item.told: reply, **{match: given for match, given in draft.world.script.items() if match != item.told}}
    draft.live_in(models="scripted", script=script)


def _scripted(bed: Bed) -> Iterator[Asked]:
    if bed.app.world.script:
        yield from asked(bed)


FAILURES: dict[str, tuple[str, int | None]] = {
    "model provider that refuses the key": ("auth", 401),
    "model provider without credit": ("payment", 402),
    "model provider that limits the rate": ("rate_limit", 429),
    "model provider that does not answer": ("timeout", None),
    "model provider that fails": ("server", 500),
    "model that does not exist": ("not_found", 404),
    "model provider that cannot be reached": ("network", None),
}
"""Kind of fault to the kind of a provider's error and its status."""


def failing(bed: Bed, kind: str) -> Iterator[Fault]:
    """The provider of a model gives an error in place of an answer."""
    error, status = FAILURES[kind]
    reply = {"error": {"kind": error, "status": status}}
    for item in _scripted(bed):
        where = f"{item.operation} {item.node}"
        yield from bed.fault(kind, where, lambda draft, item=item: _say(draft, item, reply), failed(bed, item))


def slow_model(bed: Bed) -> Iterator[Fault]:
    """A model takes longer than the operation may."""
    for item in _scripted(bed):

        def change(draft: Draft, item: Asked = item) -> None:
            _say(draft, item, {"delay_ms": 5000})
            draft.operation(item.operation)["timeoutMs"] = 150

        signs = sign("GR722", operation=item.operation)
        yield from bed.fault("model that is too slow", f"{item.operation} {item.node}", change, signs)


def _said(bed: Bed, kind: str, replies: dict[str, Any]) -> Iterator[Fault]:
    for item in _scripted(bed):
        for what, reply in replies.items():
            signs = [*failed(bed, item), *bed.result_signs(item.operation)]
            where = f"{item.operation} {item.node} {what}"
            yield from bed.fault(kind, where, lambda draft, item=item, reply=reply: _say(draft, item, reply), signs)


def empty_answer(bed: Bed) -> Iterator[Fault]:
    """A model says nothing, or only what it thought."""
    replies = {"nothing": {"text": ""}, "a blank": {"text": " "}, "thoughts": {"text": "", "thinking": "Let me see."}}
    yield from _said(bed, "model that says nothing", replies)


def error_answer(bed: Bed) -> Iterator[Fault]:
    """A model answers with the text of an error, or does not want to."""
    replies = {
        "an error": {"text": "Error: the service is overloaded"},
        "a refusal": {"text": "I cannot help with that."},
    }
    yield from _said(bed, "model that answers with an error text", replies)


def misshapen_answer(bed: Bed) -> Iterator[Fault]:
    """A structured answer has other members, or values that do not fit."""
    replies = {
        "without members": {"object": {}},
        "with other members": {"object": {"something": "else"}},
        "with misfits": {"object": {"city": None, "year": "long ago", "category": "weather"}},
        "a list": {"object": ["Lisbon", 1966]},
    }
    yield from _said(bed, "model answer of another shape", replies)


def unknown_tool_called(bed: Bed) -> Iterator[Fault]:
    """A model calls a tool that it does not have."""
    replies = {"a stranger": {"tool_calls": [{"name": "launch", "args": {}}]}}
    yield from _said(bed, "model that calls an unknown tool", replies)


def _stream(*pieces: str) -> str:
    """The beginning of a streamed answer as an OpenAI-compatible server sends it."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas = [{"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None} for piece in pieces]
    return "".join(f"data: {json.dumps({**head, 'choices': [delta]})}\n\n" for delta in deltas)


SERVED: dict[str, Answer] = {
    "half-way": Answer(200, _stream("The bridge ", "of Lis", "bon"), "text/event-stream", "cut"),
    "garbage": Answer(200, "\x00<html>data: {nonsense\n\n" * 4, "text/event-stream"),
    "a page": Answer(200, "<html>Log in to the hotel network</html>", "text/html"),
    "at once": Answer(ending="close"),
}
"""How a server of models may answer over the wire; none of these is an answer."""


def _served(bed: Bed, kind: str, *names: str) -> Iterator[Fault]:
    """The models are those of a server that answers wrongly."""
    for operation in sorted({item.operation for item in asked(bed)}):
        nodes = [item for item in asked(bed) if item.operation == operation]
        signs = [found for item in nodes for found in failed(bed, item)]
        for name in names:

            def change(draft: Draft, name: str = name) -> None:
                draft.live_in(models="served")
                draft.answer(CHAT, SERVED[name])

            yield from bed.fault(kind, f"{operation} {name}", change, signs)


def garbage(bed: Bed) -> Iterator[Fault]:
    """What comes from the server of models is no answer."""
    yield from _served(bed, "model provider that sends garbage", "garbage", "a page")


def hanging_up(bed: Bed) -> Iterator[Fault]:
    """The server of models closes the connection, at once or in the middle of the answer."""
    yield from _served(bed, "model provider that hangs up", "half-way", "at once")


def missing_key(bed: Bed) -> Iterator[Fault]:
    """No key is set for the provider of a model."""
    for item in asked(bed):
        where = f"{item.operation} {item.node}"
        signs = failed(bed, item)
        yield from bed.fault(
            "missing key of a model provider", where, lambda draft: draft.live_in(models="configured"), signs
        )


def unselected_model(bed: Bed) -> Iterator[Fault]:
    """A node has no model, or one of a provider that does not exist."""
    choices = {
        "none": {"type": "language_model", "provider": "empty", "id": "", "name": ""},
        "a stranger": {"type": "language_model", "provider": "opanai", "id": "gpt-5-mini", "name": ""},
    }
    for item in asked(bed):
        for what, choice in choices.items():
            found = sign("GR605", operation=item.operation, node=item.node)
            yield from bed.fault(
                "node without a usable model",
                f"{item.operation} {item.node} {what}",
                lambda draft, item=item, choice=choice: node_of(draft, item.key, item.node)["data"].update(
                    model=choice
                ),
                [found, *failed(bed, item)],
            )
