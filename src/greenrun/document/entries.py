"""Stored entries while they are parsed, and the notes about them (spec: app-runtime 2.3, 2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, TypeVar

from greenrun.document.diagnostics import Diagnostic, Kind, one_of, shown
from greenrun.document.findings import Place
from greenrun.document.values import is_number, is_record

EntryKind: TypeAlias = Literal["operation", "variable", "resource"]
ListName: TypeAlias = Literal["operations", "variables", "resources"]
_Choice = TypeVar("_Choice", bound=str)

LISTS: Final[dict[EntryKind, ListName]] = {
    "operation": "operations",
    "variable": "variables",
    "resource": "resources",
}
"""The list of the document that holds entries of that kind."""


@dataclass(slots=True)
class Notes:
    """Collects diagnostics while a document is parsed."""

    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def add(self, kind: Kind, message: str, place: Place | None = None, **data: Any) -> None:
        """One remark; `data` as `Diagnostic` lists it for the kind."""
        self.diagnostics.append(Diagnostic(kind, place or Place(), message, data))

    def changed(self, prop: str, stored: Any, used: Any, advice: str) -> None:
        """A value at the top of the document that was not taken as stored."""
        message = f'"{prop}" is {shown(stored)}; {_used(stored, used)}. {advice}'
        self.add("value_changed", message, Place(prop=prop), prop=prop, stored=stored, used=used, choices=[])


@dataclass(slots=True)
class Entry:
    """One stored entry with a usable id."""

    kind: EntryKind
    index: int
    stored: dict[str, Any]
    id: str
    notes: Notes

    @property
    def label(self) -> str:
        """The entry as a message names it."""
        return f"{self.kind.capitalize()} {shown(self.id)}"

    def place(self, prop: str | None = None, node: str | None = None) -> Place:
        """Where a finding about this entry points."""
        return entry_place(self.kind, self.id, prop, node)

    def changed(self, prop: str, stored: Any, used: Any, advice: str, choices: Sequence[str] = ()) -> None:
        """A value of the entry that was not taken as stored."""
        self.notes.add(
            "value_changed",
            f'{self.label}: "{prop}" is {shown(stored)}; {_used(stored, used)}. {advice}',
            self.place(prop),
            list=LISTS[self.kind],
            index=self.index,
            id=self.id,
            prop=prop,
            stored=stored,
            used=used,
            choices=list(choices),
        )

    def dropped(self, missing: str, lack: str, choices: Sequence[str] = ()) -> None:
        """The entry is left out although it has an id."""
        _note_dropped(self.notes, self.kind, self.index, self.stored, self.label, self.place(), missing, lack, choices)

    def number(self, prop: str) -> int | float | None:
        """A stored number; null and absent say nothing, anything else is reported."""
        value = self.stored.get(prop)
        if is_number(value):
            return value
        if value is not None:
            self.changed(prop, value, None, "Use a number.")
        return None

    def name(self) -> str:
        """The stored name, else the id."""
        value = self.stored.get("name")
        if isinstance(value, str):
            return value
        if value is not None:
            self.changed("name", value, self.id, "Use a text.")
        return self.id

    def choice(self, prop: str, choices: Sequence[_Choice], default: _Choice) -> _Choice:
        """One of the choices as stored, else the default; null and absent say nothing."""
        value = self.stored.get(prop)
        for choice in choices:
            if value == choice:
                return choice
        if value is not None:
            self.changed(prop, value, default, f"Use {one_of(choices)}.", choices)
        return default


def entry_place(kind: EntryKind, entry_id: str, prop: str | None = None, node: str | None = None) -> Place:
    """The place of an entry, or of a prop or a mapped node of it."""
    if kind == "operation":
        return Place(operation=entry_id, node=node, prop=prop)
    if kind == "variable":
        return Place(variable=entry_id, prop=prop)
    return Place(resource=entry_id, prop=prop)


def open_entry(kind: EntryKind, stored: Any, index: int, notes: Notes, *, empty_id: bool = True) -> Entry | None:
    """The entry when it is a record with a usable id; the reason why not is noted."""
    missing, lack = "id", 'it has no text "id"'
    if is_record(stored):
        entry_id = stored.get("id")
        if isinstance(entry_id, str) and (entry_id or empty_id):
            return Entry(kind, index, stored, entry_id, notes)
        if entry_id == "":
            lack = 'its "id" is empty'
    else:
        missing, lack = "object", f"it is {shown(stored)}, not an object"
    label = f"{kind.capitalize()} number {index + 1}"
    _note_dropped(notes, kind, index, stored, label, Place(), missing, lack, ())
    return None


def _note_dropped(
    notes: Notes,
    kind: EntryKind,
    index: int,
    stored: Any,
    label: str,
    place: Place,
    missing: str,
    lack: str,
    choices: Sequence[str],
) -> None:
    record = stored if is_record(stored) else {}
    entry_id, word = record.get("id"), record.get(missing)
    notes.add(
        "entry_dropped",
        f"{label} is left out: {lack}.",
        place,
        list=LISTS[kind],
        entry=kind,
        index=index,
        id=entry_id if isinstance(entry_id, str) else None,
        missing=missing,
        stored=stored,
        word=word if isinstance(word, str) else None,
        choices=list(choices),
    )


def _used(stored: Any, used: Any) -> str:
    if used is stored:
        return "it is kept"
    return "it is ignored" if used is None else f"{shown(used)} is used instead"
