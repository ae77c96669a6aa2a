"""A function read as ports: parameters in, return type and yields out (spec: app-runtime 12).

Runs in the worker, next to the user's code; standard library and `greenrun.sdk` only.
"""

from __future__ import annotations

import ast
import collections.abc
import contextlib
import inspect
import textwrap
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from greenrun.sdk import Chunk, Progress, options_of
from greenrun.workflows.functions import type_metadata as read
from greenrun.workflows.functions.conversion import ConversionError, check_bounds, convert, is_empty
from greenrun.workflows.functions.results import ResultError, kind_named, to_json

RESULT = "result"

_STREAMS: tuple[Any, ...] = (
    collections.abc.Generator,
    collections.abc.AsyncGenerator,
    collections.abc.Iterator,
    collections.abc.AsyncIterator,
)
_TEXT: dict[str, Any] = {"type": "str", "type_args": [], "optional": False}
_ANY: dict[str, Any] = {"type": "any", "type_args": [], "optional": False}
_BOUND_BY_NAME = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One input. `default` is `type_metadata.EMPTY` when there is none."""

    name: str
    annotation: Any
    default: Any
    positional: bool

    @property
    def place(self) -> str:
        return f'parameter "{self.name}"'

    @property
    def optional(self) -> bool:
        base = read.peel(self.annotation)[0]
        return not read.is_anything(base) and read.describe(base)["optional"]


@dataclass(frozen=True, slots=True)
class Signature:
    """What a call needs.

    `spread` says that the members of what is returned are outputs of their own, `whole` that it is the output `result`.
    A generator that is neither returns a mapping of outputs, or nothing.
    """

    parameters: tuple[Parameter, ...]
    outputs: dict[str, dict[str, Any]]
    spread: bool
    whole: bool
    streaming: bool

    def arguments(self, params: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Positional and named arguments for a call.

        Raises:
            ConversionError: A value does not fit, is missing, or names no parameter.
        """
        unknown = [name for name in params if name not in {parameter.name for parameter in self.parameters}]
        if unknown:
            raise ConversionError(f'there is no parameter "{unknown[0]}"')
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in self.parameters:
            value = _argument(parameter, params)
            if parameter.positional:
                positional.append(value)
            elif value is not read.EMPTY:
                named[parameter.name] = value
        return positional, named

    def results(self, value: Any) -> dict[str, Any]:
        """The final value of each output, as JSON.

        Raises:
            ResultError: A value has no JSON, or is not what the return type promises.
        """
        if value is None and (self.spread or self.streaming):
            return {}
        if self.spread:
            return self._members(value)
        if self.streaming and not self.whole:
            return self.yielded(value)
        return {RESULT: to_json(value, f'output "{RESULT}"')} if self.whole else {}

    def yielded(self, value: Any) -> dict[str, Any]:
        """The outputs that one yielded value adds to.

        Raises:
            ResultError: A value has no JSON.
        """
        if isinstance(value, Mapping) or _is_structure(type(value)):
            return self._members(value)
        return {RESULT: to_json(value, f'output "{RESULT}"')}

    def _members(self, value: Any) -> dict[str, Any]:
        if isinstance(value, Mapping):
            members: Mapping[Any, Any] = value
        else:
            described = read.fields(type(value)) if _is_structure(type(value)) else None
            if described is None:
                promised = ", ".join(f'"{name}"' for name in self.outputs)
                raise ResultError(f"the function returned {kind_named(value)}, its outputs are {promised}")
            members = {field.name: getattr(value, field.name) for field in described}
        return {str(name): to_json(item, f'output "{name}"') for name, item in members.items()}


def read_signature(function: Callable[..., Any]) -> Signature:
    """Parameters and outputs of a function.

    Raises:
        UnreadableType: A parameter has a type that an app cannot fill, metadata that means nothing, or an annotation
            that cannot be resolved.
    """
    bare = inspect.unwrap(function)
    hints = read.type_hints(bare)
    parameters = tuple(
        Parameter(
            item.name,
            hints.get(item.name, read.EMPTY),
            read.EMPTY if item.default is inspect.Parameter.empty else item.default,
            item.kind is inspect.Parameter.POSITIONAL_ONLY,
        )
        for item in inspect.signature(bare).parameters.values()
        if item.kind in _BOUND_BY_NAME
    )
    for parameter in parameters:
        try:
            read.describe(parameter.annotation)
            read.constraints(parameter.annotation)
            _refuse_field_as_default(parameter.default)
        except read.UnreadableType as error:
            raise read.UnreadableType(f"{parameter.place}: {error}") from error
    returned = hints.get("return", read.EMPTY)
    generator = inspect.isgeneratorfunction(bare) or inspect.isasyncgenfunction(bare)
    if generator or typing.get_origin(returned) in _STREAMS:
        return _streamed(parameters, bare, returned)
    outputs, spread = _returned_outputs(returned)
    return Signature(parameters, outputs, spread, whole=bool(outputs) and not spread, streaming=False)


def ports(function: Callable[..., Any]) -> dict[str, Any]:
    """The function's ports as JSON.

    Raises:
        UnreadableType: As `read_signature`.
    """
    signature = read_signature(function)
    options = options_of(function)
    bare = inspect.unwrap(function)
    return {
        "inputs": [_input_port(parameter) for parameter in signature.parameters],
        "outputs": [_output_port(name, meta) for name, meta in signature.outputs.items()],
        "effects": options.effects,
        "retry_safe": options.retry_safe,
        "title": options.title,
        "description": inspect.cleandoc(bare.__doc__ or "").split("\n\n")[0],
        "streaming": signature.streaming,
    }


def _refuse_field_as_default(default: Any) -> None:
    """Only a Pydantic model turns `Field(...)` into a default; a plain function would be called with the object itself."""
    if type(default).__name__ == "FieldInfo":
        raise read.UnreadableType("its default is Field(...); write Annotated[<type>, Field(...)] = <default> instead")


def _argument(parameter: Parameter, params: Mapping[str, Any]) -> Any:
    base = read.peel(parameter.annotation)[0]
    value = params.get(parameter.name, read.EMPTY)
    if value is read.EMPTY or (is_empty(value, read.without_none(base)[0]) and not read.is_anything(base)):
        if value is not read.EMPTY and parameter.optional:
            return None
        if parameter.default is not read.EMPTY:
            return parameter.default if parameter.positional else read.EMPTY
        if parameter.optional:
            return None
        raise ConversionError(f"{parameter.place} has no value")
    converted = convert(value, parameter.annotation, parameter.place)
    check_bounds(converted, read.constraints(parameter.annotation), parameter.place)
    return converted


def _returned_outputs(annotation: Any) -> tuple[dict[str, dict[str, Any]], bool]:
    base, _ = read.without_none(read.peel(annotation)[0])
    if base is None or base is type(None):
        return {}, False
    described = None if read.is_anything(base) else read.fields(base)
    if described is not None:
        return {field.name: _described(field.annotation) for field in described}, True
    return {RESULT: _described(annotation)}, False


def _streamed(parameters: tuple[Parameter, ...], function: Any, annotation: Any) -> Signature:
    arguments = typing.get_args(annotation) if typing.get_origin(annotation) is not None else ()
    returned = arguments[2] if len(arguments) > 2 else type(None)
    outputs, spread = {}, False
    if not _is_mapping(returned) and not read.is_anything(returned):
        outputs, spread = _returned_outputs(returned)
    whole = bool(outputs) and not spread
    chunks, records = _named_in_source(function)
    for name in chunks:
        outputs.setdefault(name, _TEXT)
    for kind in _yield_kinds(arguments):
        if kind is Chunk:
            if not chunks:
                outputs.setdefault(RESULT, _TEXT)
        elif kind is not Progress and not _is_mapping(kind) and not read.is_anything(kind):
            for name, meta in _returned_outputs(kind)[0].items():
                outputs.setdefault(name, meta)
    for name in records:
        outputs.setdefault(name, _ANY)
    return Signature(parameters, outputs or {RESULT: _ANY}, spread, whole, streaming=True)


def _yield_kinds(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    if not arguments:
        return ()
    base = read.peel(arguments[0])[0]
    return tuple(read.peel(member)[0] for member in read.union_members(base) or (base,))


def _is_mapping(base: Any) -> bool:
    return (typing.get_origin(base) or base) in read.MAPPINGS


def _is_structure(kind: type) -> bool:
    return kind not in (Chunk, Progress) and read.fields(kind) is not None


def _described(annotation: Any) -> dict[str, Any]:
    """Type metadata of an output; what has no name for an app is any, since its value may still have a JSON form."""
    try:
        return read.describe(annotation)
    except read.UnreadableType:
        return _ANY


def _named_in_source(function: Any) -> tuple[list[str], list[str]]:
    """The outputs that a generator names literally: in `Chunk(...)`, and in the dicts that it yields or returns."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return [], []
    chunks: list[str] = []
    records: list[str] = []
    for node in _own_nodes(tree.body[0]):
        if isinstance(node, ast.Call) and _called(node) == "Chunk":
            named = [keyword.value for keyword in node.keywords if keyword.arg == "output"] or node.args[1:2]
            chunks += _constants(named) if named else [RESULT]
        elif isinstance(node, (ast.Yield, ast.Return)) and isinstance(node.value, ast.Dict):
            records += _constants([key for key in node.value.keys if key is not None])
    return list(dict.fromkeys(chunks)), list(dict.fromkeys(records))


def _own_nodes(function: ast.AST) -> list[ast.AST]:
    """The nodes of the body in source order, without those of functions inside."""
    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            found += [child, *_own_nodes(child)]
    return found


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _constants(nodes: list[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _input_port(parameter: Parameter) -> dict[str, Any]:
    meta = read.describe(parameter.annotation)
    limits = read.constraints(parameter.annotation)
    port: dict[str, Any] = {
        "name": parameter.name,
        "type": meta,
        "required": parameter.default is read.EMPTY and not parameter.optional,
        "label": limits.title or parameter.name,
        "description": limits.description or "",
        "options": None if limits.options is None else to_json(limits.options, parameter.place),
        "minimum": limits.minimum,
        "maximum": limits.maximum,
        "max_length": limits.max_length,
        "multiline": limits.multiline,
    }
    if parameter.default is not read.EMPTY:
        # A default without JSON form stays the function's own business: the call leaves the argument out.
        with contextlib.suppress(ResultError):
            port["default"] = to_json(parameter.default, parameter.place)
    return port


def _output_port(name: str, meta: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "type": meta, "label": name}
