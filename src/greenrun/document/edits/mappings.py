"""Mappings as they may be written by an edit (spec: app-runtime 2.2, O-28; harness 7.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from greenrun.document.diagnostics import shown
from greenrun.document.edits.models import Side
from greenrun.document.errors import EditError
from greenrun.document.operations import INPUT_FORMS, OUTPUT_FORMS
from greenrun.document.values import is_record, is_text


@dataclass(frozen=True, slots=True)
class _Forms:
    """What one side accepts: the deciding key, the id that each form needs, and all forms in words."""

    key: str
    needs: dict[str, str | None]
    words: str


_FORMS: Final[dict[Side, _Forms]] = {
    "inputs": _Forms(
        "from",
        INPUT_FORMS,
        '{"from": "widget"}, {"from": "variable", "variableId": ...}, {"from": "constant", "value": ...} or '
        '{"from": "resource", "resourceBindingId": ...}',
    ),
    "outputs": _Forms("to", OUTPUT_FORMS, '{"to": "display"} or {"to": "variable", "variableId": ...}'),
}
_LISTED_BY: Final = {"variableId": "variables", "resourceBindingId": "resources"}


def checked_mapping(side: Side, node: str, mapping: Any, stored: Any, field: str) -> dict[str, Any]:
    """The mapping with the keys of its form and those unknown ones that are stored already.

    Raises:
        EditError: It is none of the accepted forms (`invalid_mapping`).
    """
    forms = _FORMS[side]
    place = f'{side}["{node}"]'
    word = mapping.get(forms.key) if is_record(mapping) else None
    if not is_record(mapping) or not isinstance(word, str) or word not in forms.needs:
        raise _invalid(place, mapping, f"it is {forms.words}", field)
    needed = forms.needs[word]
    if needed is not None and not is_text(mapping.get(needed)):
        what = f'"{forms.key}": "{word}" needs a text "{needed}", the id of one of the {_LISTED_BY[needed]}'
        raise _invalid(place, mapping, what, field)
    if word == "constant" and "value" not in mapping:
        raise _invalid(place, mapping, '"from": "constant" needs a "value"', field)
    current: dict[str, Any] = stored if is_record(stored) else {}
    own = (forms.key, "value" if word == "constant" else needed)
    known = {name: value for name, value in mapping.items() if name in own or name in current}
    return {**current, **known} if current.get(forms.key) == word else known


def merged_mappings(side: Side, stored: Any, given: dict[str, Any], field: str) -> dict[str, Any]:
    """The stored mappings with the given ones over them, node by node.

    Raises:
        EditError: A given one is of no accepted form.
    """
    current: dict[str, Any] = stored if is_record(stored) else {}
    checked = {node: checked_mapping(side, node, raw, current.get(node), field) for node, raw in given.items()}
    return {**current, **checked}


def _invalid(place: str, mapping: Any, what: str, field: str) -> EditError:
    value = shown(mapping) if not is_record(mapping) else _as_json(mapping)
    return EditError(
        "invalid_mapping",
        f"{place} is {value}, which is no mapping: {what}.",
        field=field,
        next_action=f"Write {place} in one of the accepted forms.",
    )


def _as_json(mapping: dict[str, Any]) -> str:
    return "{" + ", ".join(f'"{key}": {shown(value)}' for key, value in mapping.items()) + "}"
