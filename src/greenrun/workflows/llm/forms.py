"""Structured answers: what a model is asked to fill in, and how what it sent is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from greenrun.document.values import ABSENT, is_record
from greenrun.workflows.ports import kind_of
from greenrun.workflows.type_meta import ANY, TypeMeta, as_type, canonical, convert, fits, json_schema, type_text

SUBMIT_RESULT: Final = "submit_result"
"""The tool by which a model hands in values and ends its work (spec: nodes B1, Agent)."""


class Unfit(Exception):
    """What the model sent does not fit. The text tells the model what to change."""


@dataclass(frozen=True, slots=True)
class Form:
    """A structured answer. `schema` is a JSON Schema of an object; `read` turns what was sent into values.

    `read` raises `Unfit`. `asked_for` says in few words what the form asks for, for people.
    """

    schema: dict[str, Any]
    read: Callable[[Mapping[str, Any]], dict[str, Any]]
    asked_for: str
    name: str = SUBMIT_RESULT
    description: str = "Hand in the result. Call it once, when the result is complete."


@dataclass(frozen=True, slots=True)
class FormField:
    """One value of a form."""

    name: str
    type: TypeMeta
    description: str = ""

    @property
    def optional(self) -> bool:
        return self.type.get("optional") is True

    def schema(self) -> dict[str, Any]:
        schema = json_schema(self.type)
        return schema | {"description": self.description} if self.description else schema


def declared_fields(outputs: Mapping[str, Any]) -> tuple[FormField, ...]:
    """The dynamic outputs of a graph as fields (spec: nodes A1.2)."""
    return tuple(
        FormField(name, as_type(declared) or ANY, _description(declared)) for name, declared in outputs.items()
    )


def _description(declared: Any) -> str:
    text = declared.get("description") if is_record(declared) else None
    return text if isinstance(text, str) else ""


def fields_form(fields: Iterable[FormField], *, description: str = "") -> Form:
    """A form of named values of given types; all must be filled in, optional ones with null if need be."""
    known = {field.name: field for field in fields}

    def read(values: Mapping[str, Any]) -> dict[str, Any]:
        missing = [name for name, field in known.items() if name not in values and not field.optional]
        if missing:
            raise Unfit(f"these values are missing: {', '.join(missing)}")
        return {name: fitted(field.type, values.get(name), name) for name, field in known.items()}

    schema = object_schema({name: field.schema() for name, field in known.items()})
    form = Form(schema, read, asked_for=", ".join(known))
    return form if not description else Form(schema, read, form.asked_for, description=description)


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """A JSON Schema of a record with exactly these members."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def fitted(meta: TypeMeta, value: Any, name: str) -> Any:
    """The value as the type has it.

    Lists and records that arrive as JSON text are decoded once; a text stays a text, whatever it holds.

    Raises:
        Unfit: It is of another kind.
    """
    kind = canonical(meta)["type"]
    if value is None and meta.get("optional") is True:
        return None
    if isinstance(value, str):
        if choices := meta.get("values"):
            return _chosen(choices, value, name)
        if kind in ("list", "dict"):
            value = _decoded(value)
    if kind == "int" and isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list) and kind == "list" and meta.get("type_args"):
        return [fitted(meta["type_args"][0], item, f"{name}[{place}]") for place, item in enumerate(value)]
    if fits(meta, value):
        return value
    converted = convert(meta, value)
    if converted is ABSENT:
        raise Unfit(f'"{name}" must be {type_text(meta)}, not {kind_of(value)}')
    return converted


def _chosen(choices: list[Any], value: str, name: str) -> str:
    """One of the choices; case and surrounding space do not matter."""
    wanted = value.strip().casefold()
    for choice in choices:
        if str(choice).casefold() == wanted:
            return choice
    raise Unfit(f'"{name}" must be one of {", ".join(map(str, choices))}, not "{value[:80]}"')


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
