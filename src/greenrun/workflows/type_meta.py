"""Type metadata of ports: ``{"type": "list", "type_args": [{"type": "str", ...}], "optional": false}``.

Canonical spellings, agreement of two types, what a value of a type looks like, and the type that a Python annotation
means.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

from greenrun.document.js import number_text, trim
from greenrun.document.values import ABSENT, Value, is_integer, is_number, is_record

TypeMeta: TypeAlias = dict[str, Any]

ALIASES: Final[dict[str, str]] = {
    "integer": "int",
    "long": "int",
    "double": "float",
    "decimal": "float",
    "string": "str",
    "boolean": "bool",
    "object": "dict",
    "record": "dict",
    "map": "dict",
    "array": "list",
    "tuple": "list",
    "null": "any",
    "none": "any",
    "undefined": "any",
    "unknown": "any",
    "void": "any",
}
"""Spellings that are understood but not canonical (spec: harness appendix B, slot_type_alias)."""

SCALARS: Final = frozenset({"str", "int", "float", "bool"})
MEDIA: Final = frozenset({"image", "audio", "video", "document", "model_3d"})
REFERENCE_KEYS: Final = ("uri", "asset_id", "temp_id", "data")
"""A media value with none of these set refers to nothing (spec: harness appendix B, GR606)."""

_OPEN: Final = frozenset({"any", "object", "union", "list", "dict", ""})
_SAME: Final[dict[str, str]] = {"int": "float", "enum": "str", "cv": "chunk"}
_EMPTY_PROVIDERS: Final = frozenset({"", "empty"})
_PYTHON: Final[dict[object, str]] = {
    str: "str",
    int: "int",
    float: "float",
    bool: "bool",
    list: "list",
    tuple: "list",
    set: "list",
    frozenset: "list",
    Sequence: "list",
    dict: "dict",
    Mapping: "dict",
}
_JSON: Final[dict[str, dict[str, Any]]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "enum": {"type": "string"},
    "dict": {"type": "object"},
    "any": {},
    "": {},
}


def make_type(name: str, *type_args: TypeMeta, optional: bool = False) -> TypeMeta:
    """Type metadata with all three members."""
    return {"type": name, "type_args": list(type_args), "optional": optional}


ANY: Final = make_type("any")


def parse_type(text: str) -> TypeMeta:
    """``list[str]``, ``dict[str, int]``, ``int | str`` or ``image?`` as metadata; spellings stay as they are.

    Brackets that do not match are kept as part of the name, so that nothing is lost.
    """
    text = trim(text)
    alternatives = _split(text, "|")
    if len(alternatives) > 1:
        members = [parse_type(part) for part in alternatives]
        present = [member for member in members if member["type"].lower() not in ("none", "null")]
        optional = len(present) < len(members)
        if len(present) == 1:
            return present[0] | {"optional": True}
        return make_type("union", *present, optional=optional)
    if text.endswith("?"):
        return parse_type(text[:-1]) | {"optional": True}
    if text.endswith("]") and (opening := text.find("[")) > 0:
        arguments = [parse_type(part) for part in _split(text[opening + 1 : -1], ",") if trim(part)]
        return make_type(trim(text[:opening]), *arguments)
    return make_type(text)


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators that stand outside brackets."""
    parts: list[str] = []
    depth = start = 0
    for position, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == separator and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def as_type(value: Value) -> TypeMeta | None:
    """Metadata from any stored form: text, metadata, or a declaration whose ``type`` is one of both; None without."""
    if isinstance(value, str):
        return parse_type(value) if trim(value) else None
    if not is_record(value):
        return None
    kind = value.get("type")
    if is_record(kind):
        return as_type(kind)
    if not isinstance(kind, str) or not trim(kind):
        return None
    parsed = parse_type(kind)
    arguments = value.get("type_args")
    if isinstance(arguments, list) and arguments:
        parsed["type_args"] = [as_type(item) or make_type("any") for item in arguments]
    if value.get("optional") is True:
        parsed["optional"] = True
    for extra in ("values", "type_name"):
        if extra in value:
            parsed[extra] = value[extra]
    return parsed


def canonical(meta: TypeMeta) -> TypeMeta:
    """The same type with canonical spellings, type arguments included."""
    name = meta["type"]
    return meta | {
        "type": ALIASES.get(name.lower(), name),
        "type_args": [canonical(item) for item in meta.get("type_args", ())],
    }


def canonical_stored(value: Value) -> Value:
    """A stored type in its own form with canonical spellings; equal to the value when nothing is to change."""
    if isinstance(value, str):
        return type_text(canonical(parse_type(value))) if _has_alias(value) else value
    if not is_record(value):
        return value
    changed = dict(value)
    if "type" in value:
        changed["type"] = canonical_stored(value["type"])
    if isinstance(value.get("type_args"), list):
        changed["type_args"] = [canonical_stored(item) for item in value["type_args"]]
    return changed


def _has_alias(text: str) -> bool:
    meta = parse_type(text)
    return canonical(meta) != meta


def type_text(meta: TypeMeta | None) -> str:
    """``list[str]`` for people; "any" for None."""
    if meta is None:
        return "any"
    arguments = [type_text(item) for item in meta.get("type_args", ())]
    optional = "?" if meta.get("optional") else ""
    if meta["type"] == "union" and arguments:
        return " | ".join(arguments) if not optional else " | ".join([*arguments, "none"])
    inner = f"[{', '.join(arguments)}]" if arguments else ""
    return f"{meta['type']}{inner}{optional}"


def agree(source: TypeMeta | None, target: TypeMeta | None) -> bool:
    """False only when both types are concrete and different (spec: harness appendix B, type_mismatch)."""
    if source is None or target is None:
        return True
    left, right = _concrete(source), _concrete(target)
    return left is None or right is None or left == right


def _concrete(meta: TypeMeta) -> str | None:
    name: str = meta["type"]
    name = ALIASES.get(name.lower(), name)
    if name in _OPEN or meta.get("type_args") or (len(name) == 1 and name.isupper()):
        return None
    return _SAME.get(name, name)


def is_list_type(meta: TypeMeta | None) -> bool:
    """True for a list, and for a union that has one."""
    if meta is None:
        return False
    name = canonical(meta)["type"]
    return name == "list" or (name == "union" and any(is_list_type(item) for item in meta["type_args"]))


def is_model_type(meta: TypeMeta | None) -> bool:
    """True for the types of model choices: ``language_model``, ``tts_model``, ... (spec: nodes A9)."""
    return meta is not None and meta["type"].endswith("_model")


def is_media_type(meta: TypeMeta | None) -> bool:
    """True for image, audio, video, document and 3D model references."""
    return meta is not None and meta["type"] in MEDIA


def is_selected_model(value: Value) -> bool:
    """True for a model choice with a provider other than "empty" and an id (spec: nodes A9)."""
    if not is_record(value):
        return False
    provider, model = value.get("provider"), value.get("id")
    return isinstance(provider, str) and provider not in _EMPTY_PROVIDERS and isinstance(model, str) and model != ""


def refers_to_media(value: Value) -> bool:
    """True for a reference with a uri, asset id, temporary id or data, and for a non-blank text."""
    if isinstance(value, str):
        return trim(value) != ""
    return is_record(value) and any(value.get(key) not in (None, "") for key in REFERENCE_KEYS)


def fits(meta: TypeMeta | None, value: Value) -> bool:
    """True when the value can be of the type; unknown type names accept everything."""
    if meta is None or value is ABSENT:
        return True
    name = canonical(meta)["type"]
    arguments = meta.get("type_args", [])
    if value is None:
        return name == "any" or meta.get("optional") is True
    match name:
        case "str" | "enum":
            return isinstance(value, str)
        case "int":
            return is_integer(value)
        case "float":
            return is_number(value)
        case "bool":
            return isinstance(value, bool)
        case "list":
            return isinstance(value, list) and (not arguments or all(fits(arguments[0], item) for item in value))
        case "dict":
            return is_record(value)
        case "union":
            return not arguments or any(fits(item, value) for item in arguments)
        case _ if name in MEDIA or name in ("dataframe", "color", "record_type", "chunk") or is_model_type(meta):
            return is_record(value) and value.get("type", name) == name
        case _:
            return True


def convert(meta: TypeMeta, value: Value) -> Value:
    """The value as the type has it, when nothing is lost by that; else `ABSENT`."""
    name = canonical(meta)["type"]
    if name == "str":
        if isinstance(value, bool):
            return "true" if value else "false"
        return number_text(value) if is_number(value) else ABSENT
    if name in ("int", "float"):
        return _number(value, whole=name == "int")
    if name == "bool":
        return {"true": True, "false": False}.get(trim(value).lower(), ABSENT) if isinstance(value, str) else ABSENT
    if name == "list" and not is_record(value):
        return [value] if fits(meta, [value]) else ABSENT
    return ABSENT


def _number(value: Value, *, whole: bool) -> Value:
    if not isinstance(value, str):
        return ABSENT
    try:
        return int(value)
    except ValueError:
        pass
    try:
        number = float(value)
    except ValueError:
        return ABSENT
    if not math.isfinite(number):
        return ABSENT
    if whole:
        return int(number) if number.is_integer() else ABSENT
    return number


def type_of(annotation: object) -> TypeMeta:
    """The type that a Python annotation means; a `Literal` of texts becomes an enum with its values."""
    if annotation is None or annotation is Any or annotation is inspect.Parameter.empty:
        return make_type("any")
    if isinstance(annotation, TypeVar):
        return make_type("any")
    origin = get_origin(annotation)
    if origin is Annotated:
        marker = next(
            (item for item in get_args(annotation)[:0:-1] if isinstance(getattr(item, "type", None), dict)), None
        )
        return dict(marker.type) if marker is not None else type_of(get_args(annotation)[0])
    if origin is Literal:
        return _literal(get_args(annotation))
    if origin is Union or origin is types.UnionType:
        return _union(get_args(annotation))
    name = _PYTHON.get(origin or annotation)
    if name is None:
        return make_type("dict" if hasattr(annotation, "__annotations__") else "any")
    arguments = [type_of(item) for item in get_args(annotation) if item is not Ellipsis]
    return make_type(name, *(arguments[:1] if name == "list" else arguments))


def _literal(values: tuple[Any, ...]) -> TypeMeta:
    if all(isinstance(value, str) for value in values):
        return make_type("enum") | {"values": list(values)}
    kinds = {type(value) for value in values}
    return make_type(_PYTHON.get(kinds.pop(), "any") if len(kinds) == 1 else "any") | {"values": list(values)}


def _union(members: tuple[Any, ...]) -> TypeMeta:
    present = [type_of(member) for member in members if member is not type(None)]
    optional = len(present) < len(members)
    if len(present) == 1:
        return present[0] | {"optional": optional}
    return make_type("union", *present, optional=optional)


def json_schema(meta: TypeMeta | None) -> dict[str, Any]:
    """A JSON Schema of the values of a type."""
    if meta is None:
        return {}
    name = canonical(meta)["type"]
    arguments = meta.get("type_args", [])
    if name == "union" and arguments:
        schema: dict[str, Any] = {"anyOf": [json_schema(item) for item in arguments]}
    elif name == "list":
        schema = {"type": "array"} | ({"items": json_schema(arguments[0])} if arguments else {})
    elif name == "dict" and len(arguments) == 2:
        schema = {"type": "object", "additionalProperties": json_schema(arguments[1])}
    else:
        # A reference type: an object that says its type in `type`.
        schema = dict(_JSON.get(name, {"type": "object", "properties": {"type": {"const": name}}}))
    if meta.get("values"):
        schema["enum"] = list(meta["values"])
    if meta.get("optional") and schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return schema
