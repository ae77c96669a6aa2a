"""Recorded answers of models that do not belong to what is asked now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bench.faults.graph_places import node_of
from bench.faults.model_kinds import Asked, asked, failed
from bench.faults.seed import RECORDING, Bed, Fault, typo


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
    """The recording, or one call of it, is gone."""
    items = list(_recorded(bed))
    if not items:
        return
    signs = [found for item in items for found in failed(bed, item)]
    stored = json.loads(bed.app.others[RECORDING])
    yield from bed.fault("lost recording", "all of it", lambda draft: draft.others.pop(RECORDING), signs)
    for index, call in enumerate(stored["calls"]):
        kept = {**stored, "calls": [other for other in stored["calls"] if other["key"] != call["key"]]}
        yield from bed.fault(
            "lost recording",
            f"call {index}",
            lambda draft, kept=kept: draft.others.update({RECORDING: json.dumps(kept).encode()}),
            signs,
        )


def other_recorded_answer(bed: Bed) -> Iterator[Fault]:
    """A recorded answer is empty, or another one."""
    items = list(_recorded(bed))
    signs = [found for item in items for found in (*failed(bed, item), *bed.result_signs(item.operation))]
    stored = json.loads(bed.app.others[RECORDING]) if items else {"calls": []}
    for index, call in enumerate(stored["calls"]):
        parts = call["response"].get("parts") or []
        shapes: dict[str, Any] = {"empty": [], "blank": [_blank(part) for part in parts]}
        shapes["other"] = [_other(part) for part in parts]
        for what, answer in shapes.items():
            changed = {**call, "response": {**call["response"], "parts": answer}}
            kept = {**stored, "calls": [changed if other is call else other for other in stored["calls"]]}
            yield from bed.fault(
                "recorded answer of another shape",
                f"call {index} {what}",
                lambda draft, kept=kept: draft.others.update({RECORDING: json.dumps(kept).encode()}),
                signs,
            )


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
