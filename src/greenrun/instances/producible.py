"""Which values a widget could produce; anything else is refused before it is written (spec: harness 3.4.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from greenrun.document.values import is_number, is_record

Judge: TypeAlias = Callable[[Any, Sequence[Mapping[str, Any]]], str | None]
"""Value and the options on offer (``{value, disabled?}``) -> what is wrong, or None. null, which clears, never gets here."""


def objection(widget_type: str, value: Any, options: Sequence[Mapping[str, Any]] = ()) -> str | None:
    """Why this widget could not produce `value`; None when it could. null clears and is always possible."""
    judge = _JUDGES.get(widget_type)
    if judge is None or value is None:
        return None
    return judge(value, options)


def produced(widget_type: str, value: Any, options: Sequence[Mapping[str, Any]] = ()) -> Any:
    """A value as the widget would write it: checked options in the order in which they are offered, each once."""
    if widget_type != "CheckboxGroup" or not isinstance(value, list):
        return value
    return [option.get("value") for option in options if option.get("value") in value]


def _text(value: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
    return None if isinstance(value, str) else "it produces text"


def _number(value: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
    return None if is_number(value) else "it produces a number"


def _boolean(value: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
    return None if isinstance(value, bool) else "it produces true or false"


def _offered(value: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
    if not isinstance(value, str):
        return "it produces the text of one of its options"
    names = [str(item.get("value")) for item in options]
    if value not in names:
        return f"it offers {_quoted(names)}"
    chosen = options[names.index(value)]
    return f'its option "{value}" is disabled' if chosen.get("disabled") is True else None


def _several(value: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
    if not isinstance(value, list):
        return "it produces a list of its checked options"
    names = [str(item.get("value")) for item in options]
    missing = [item for item in value if item not in names]
    return f"it offers {_quoted(names)}" if missing else None


def _decision(value: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
    return None if value in ("approved", "rejected") else 'it produces "approved" or "rejected"'


def _size(value: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
    fits = is_record(value) and is_number(value.get("width")) and is_number(value.get("height"))
    return None if fits else "it produces an object with numbers width and height"


def _typed(kind: str, *members: str) -> Judge:
    def judge(value: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
        fits = is_record(value) and all(member in value for member in ("type", *members))
        wanted = ", ".join(("type", *members))
        return None if fits else f"it produces {kind}: an object with {wanted}"

    return judge


def _media(value: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
    fits = is_record(value) and "type" in value and any(value.get(member) for member in ("uri", "asset_id", "data"))
    return None if fits else "it produces a file: an object with type and uri or asset_id"


def _list(value: Any, options: Sequence[Mapping[str, Any]]) -> str | None:
    return None if isinstance(value, list) else "it produces a list"


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names) or "nothing"


_JUDGES: dict[str, Judge] = {
    "TextInput": _text,
    "FilePathInput": _text,
    "FolderPathInput": _text,
    "DateInput": _text,
    "NumberInput": _number,
    "Slider": _number,
    "Switch": _boolean,
    "Select": _offered,
    "RadioGroup": _offered,
    "ChoiceCards": _offered,
    "Stepper": _offered,
    "CheckboxGroup": _several,
    "Approval": _decision,
    "ImageSizeInput": _size,
    "ImageInput": _media,
    "AudioInput": _media,
    "VideoInput": _media,
    "DocumentInput": _media,
    "Model3DInput": _media,
    "SketchPad": _media,
    "AudioRecorder": _media,
    "CameraCapture": _media,
    "ColorInput": _typed("a colour", "value"),
    "DataFrameInput": _typed("a table", "columns"),
    "ModelSelect": _typed("a model choice", "id"),
    "MediaListInput": _list,
}
