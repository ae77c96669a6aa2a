"""Remarks about conditions that do not count as they are stored (spec: app-runtime 3.3 and 6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from greenrun.document.catalog import WIDGETS
from greenrun.document.components import Component
from greenrun.document.conditions import OPS, meant_op, stored_condition
from greenrun.document.diagnostics import one_of, shown
from greenrun.document.entries import Notes
from greenrun.document.findings import Place
from greenrun.document.values import is_nullish, is_record, is_text

_EFFECTS: Final = {
    "visibleWhen": "it hides nothing",
    "disabledWhen": "it disables nothing",
}
_SHAPE: Final = 'Write an object with a text "binding", an "op" and, where the op compares, a "value".'
_KEYS: Final = ("binding", "op", "value")


def note_conditions(component: Component, notes: Notes) -> None:
    """Adds what is wrong with the shape of the conditions of a component of a known type."""
    if component.type not in WIDGETS:
        return
    for name, stored in component.props.items():
        prop = _PROPS.get(_folded(name))
        if prop is None or _is_blank(stored):
            continue
        if name != prop:
            if prop not in component.props:
                message = f"{shown(name)} is no prop; {_EFFECTS[prop]}. Write {prop}."
                _note(component, name, stored, message, notes, renamed=prop)
            continue
        for message, meant in _faults(prop, stored):
            _note(component, prop, stored, message, notes, meant=meant)


def _folded(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


_PROPS: Final = {_folded(prop): prop for prop in _EFFECTS}


def _is_blank(stored: Any) -> bool:
    """Nothing, or what an editor leaves of a condition that was taken away: a blank binding and no value."""
    if is_record(stored):
        return not stored or (
            "binding" in stored and all(stored[name] in ("", None) for name in ("binding", "value") if name in stored)
        )
    return is_nullish(stored) or stored == "" or stored == []


def _faults(prop: str, stored: Any) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """What is wrong, and the condition that was most likely meant."""
    effect = _EFFECTS[prop]
    if not is_record(stored):
        meant = {"binding": stored} if is_text(stored) else None
        yield f"{prop} is {shown(stored)}, which is no condition; {effect}. {_SHAPE}", meant
        return
    if not is_text(stored.get("binding")):
        lack = f"the binding {shown(stored['binding'])}" if "binding" in stored else 'no "binding"'
        yield f"{prop} has {lack}; {effect}. {_SHAPE}", _with_binding(stored)
        return
    op = stored.get("op")
    if is_nullish(op) or op == "":
        yield from _misnamed_op(prop, stored)
    elif op not in OPS:
        near = meant_op(op) if isinstance(op, str) else None
        meant = {**stored, "op": near} if near is not None else None
        yield f"{prop} has the op {shown(op)}, which does not exist; notEmpty counts. Use {one_of(OPS)}.", meant


def _with_binding(stored: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The one text under a key that a condition does not have is its binding."""
    others = [name for name, value in stored.items() if name not in _KEYS and is_text(value)]
    if "binding" in stored or len(others) != 1:
        return None
    return {"binding" if name == others[0] else name: value for name, value in stored.items()}


def _misnamed_op(prop: str, stored: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """An op under a key that a condition does not have."""
    for name, value in stored.items():
        near = meant_op(value) if name not in _KEYS and isinstance(value, str) else None
        if near is not None:
            meant = {"op" if key == name else key: near if key == name else each for key, each in stored.items()}
            yield f"{prop} has the key {shown(name)}, which means nothing; notEmpty counts. Write op.", meant
            return


def _note(component: Component, prop: str, stored: Any, message: str, notes: Notes, **data: Any) -> None:
    condition = stored_condition(stored)
    notes.add(
        "value_changed",
        f"{component.type} {shown(component.id)}: {message}",
        Place(widget=component.id, prop=prop),
        widget=component.id,
        path=component.path,
        prop=prop,
        stored=stored,
        used=condition.effective_op if condition is not None and "renamed" not in data else None,
        choices=list(OPS),
        **data,
    )
