"""Diagnostics: what the parser dropped, changed or wants to remark, as data (spec: app-runtime 2.3, harness 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from greenrun.document.findings import Place
from greenrun.document.js import is_list, to_text
from greenrun.document.values import is_record

Kind: TypeAlias = Literal[
    "no_document",
    "entry_dropped",
    "mapping_dropped",
    "value_changed",
    "persist_ignored",
    "node_dropped",
    "duplicate_id",
    "duplicate_widget",
    "misplaced_widgets",
    "positional_id",
    "zone_content",
    "unaddressable_id",
    "default_mismatch",
    "recipe",
]

DIAGNOSTIC_CODES: Final[dict[Kind, str]] = {
    "no_document": "GR101",
    "entry_dropped": "GR102",
    "mapping_dropped": "GR103",
    "value_changed": "GR104",
    "persist_ignored": "GR105",
    "node_dropped": "GR106",
    "duplicate_id": "GR107",
    "duplicate_widget": "GR108",
    "misplaced_widgets": "GR109",
    "positional_id": "GR110",
    "zone_content": "GR111",
    "unaddressable_id": "GR112",
    "default_mismatch": "GR113",
    "recipe": "GR114",
}
"""The finding code of each kind, in the order of the rules (spec: harness 2.2 phase P)."""

_SHOWN_LENGTH: Final = 60


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One remark of the parser. What `data` holds depends on the kind; `index` in it always counts stored entries.

    ====================  ==============================================================================================
    no_document           step (``not_an_object``, ``version``, ``no_ui``, ``no_row``, ``no_app_doc``, ``not_json``)
    entry_dropped         list (``operations``, ``resources``, ``variables``), entry (``operation``, ...), index, id,
                          missing (``object``, ``id``, ``workflow``, ``kind``), stored, word, choices
    mapping_dropped       operation, index, side (``inputs``, ``outputs``), node, stored, key (``from``, ``to``), word,
                          choices, missing (the id that a known form lacks)
    value_changed         prop, stored, used, choices, and list, index, id for entries; for conditions widget,
                          path, and meant (the condition that was most likely meant) or renamed (its prop)
    persist_ignored       variable, index
    node_dropped          parent, slot, index, path, fault
    duplicate_id          entry, list, id, indexes
    duplicate_widget      id, types, paths
    misplaced_widgets     widget, type, prop, count, slots, path
    positional_id         id, type, path
    zone_content          zone, count, component, slot (both None when the zone names no slot that exists)
    unaddressable_id      entry (``operation``, ``resource``, ``widget``, ``node``), id, and one of index, path,
                          or operation with side
    default_mismatch      variable, index, type, default, and value when the text holds one that fits
    recipe                nothing
    ====================  ==============================================================================================
    """

    kind: Kind
    place: Place
    message: str
    data: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def code(self) -> str:
        """The code of the finding that it becomes."""
        return DIAGNOSTIC_CODES[self.kind]


def shown(value: Any) -> str:
    """A stored value as a message names it: texts in quotes and cut, lists and objects by kind only."""
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= _SHOWN_LENGTH else f'"{value[:_SHOWN_LENGTH]}…"'
    if is_list(value):
        return "a list"
    return "an object" if is_record(value) else to_text(value)


def one_of(choices: Sequence[str]) -> str:
    """Choices in words: ``"a", "b" or "c"``."""
    quoted = [f'"{choice}"' for choice in choices]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
