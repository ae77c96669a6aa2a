"""Recorded answers of models that do not belong to what is asked now."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bench.faults.graph_places import node_of
from bench.faults.model_kinds import Asked, asked, failed
from bench.faults.seed import RECORDING, Bed, Draft, Fault, typo


def _recorded(bed: Bed) -> Iterator[Asked]:
    if RECORDING in bed.app.others:
        yield from asked(bed)


def other_prompt(bed: Bed) -> Iterator[Fault]:
    """What a model is told was changed after its answer was recorded."""
    for item in _recorded(bed):
        if item.prompt is not None:
            yield from bed.fault(
                "prompt changed after recording",
                f"{item.operation} {item.node}",
                lambda draft, item=item: node_of(draft, item.key, item.node)["data"].update(
                    {str(item.prompt): f"{item.told} Be brief."}
                ),
                failed(bed, item),
            )


def other_model(bed: Bed) -> Iterator[Fault]:
    """Another model is asked than the one whose answer was recorded."""
    for item in _recorded(bed):
        for model in ("gpt-5", "gpt-4o-mini"):
            yield from bed.fault(
                "model changed after recording",
                f"{item.operation} {item.node} {model}",
                lambda draft, item=item, model=model: node_of(draft, item.key, item.node)["data"]["model"].update(
                    id=model
                ),
                failed(bed, item),
            )


def other_setting(bed: Bed) -> Iterator[Fault]:
    """A node that asks a model was set otherwise after the answer was recorded."""
    for item in _recorded(bed):
        if not item.has_limit:
            continue
        yield from bed.fault(
            "node changed after recording",
            f"{item.operation} {item.node} max_tokens",
            lambda draft, item=item: node_of(draft, item.key, item.node)["data"].update(max_tokens=77),
            failed(bed, item),
        )


def lost_recording(bed: Bed) -> Iterator[Fault]:
    """The recording, or what one question was answered, is gone."""
    items = list(_recorded(bed))
    if not items:
        return
    signs = [found for item in items for found in failed(bed, item)]
    calls = _calls(bed)
    yield from bed.fault("lost recording", "all of it", lambda draft: draft.others.pop(RECORDING), signs)
    for key in dict.fromkeys(call["key"] for call in calls):
        kept = [call for call in calls if call["key"] != key]
        yield from bed.fault("lost recording", f"call {key[:8]}", partial(_keep, kept), signs)


def other_recorded_answer(bed: Bed) -> Iterator[Fault]:
    """What a question was answered is empty, or something else, each time that it was asked."""
    items = list(_recorded(bed))
    signs = [found for item in items for found in (*failed(bed, item), *bed.result_signs(item.operation))]
    calls = _calls(bed) if items else []
    for key in dict.fromkeys(call["key"] for call in calls):
        for what, turned in {"empty": None, "blank": _blank, "other": _other}.items():
            kept = [_answered(call, turned) if call["key"] == key else call for call in calls]
            where = f"call {key[:8]} {what}"
            yield from bed.fault("recorded answer of another shape", where, partial(_keep, kept), signs)


def _calls(bed: Bed) -> list[dict[str, Any]]:
    return json.loads(bed.app.others[RECORDING])["calls"]


def _keep(calls: list[dict[str, Any]], draft: Draft) -> None:
    """The recording holds these calls only."""
    stored = json.loads(draft.others[RECORDING])
    draft.others[RECORDING] = json.dumps({**stored, "calls": calls}).encode()


def _answered(call: dict[str, Any], turned: Callable[[dict[str, Any]], dict[str, Any]] | None) -> dict[str, Any]:
    parts = call["response"].get("parts") or []
    answer = [turned(part) for part in parts] if turned is not None else []
    return {**call, "response": {**call["response"], "parts": answer}}


def _blank(part: dict[str, Any]) -> dict[str, Any]:
    return {**part, **{name: type(part[name])() for name in ("content", "args") if name in part}}


def _other(part: dict[str, Any]) -> dict[str, Any]:
    """A part with another text, or with members of other names."""
    if isinstance(part.get("content"), str):
        return {**part, "content": part["content"][::-1]}
    args = part.get("args")
    members = json.loads(args) if isinstance(args, str) else dict(args or {})
    renamed = {typo(name): value for name, value in members.items()}
    return {**part, "args": json.dumps(renamed) if isinstance(args, str) else renamed}
