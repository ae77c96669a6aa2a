"""The interaction step: seven shapes, one published JSON Schema (spec: harness 3.4).

Route, tools and CLI validate against the same models, so a step that is accepted in one place is accepted in all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError, model_validator

from greenrun.document.js import is_list
from greenrun.document.nearest import nearest
from greenrun.document.values import is_record

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Check: TypeAlias = Literal["nonEmpty", "equals", "matches", "visible", "hidden", "enabled", "disabled"]

SHAPES = {
    "set": '{"set":{"key","value","operationId"?}}',
    "seedResource": '{"seedResource":{"id","items":[{"id",...}]}}',
    "run": '{"run":"<operation>"}',
    "cancel": '{"cancel":"<operation>"}',
    "click": '{"click":"<widget>"}',
    "change": '{"change":"<widget>","value"?}',
    "expect": '{"expect":{"widget","check","value"?}}',
}


class StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class SetBody(StrictModel):
    key: str
    value: JsonValue = None
    operation_id: str | None = Field(default=None, alias="operationId")


class SetStep(StrictModel):
    """Write a value by name, conditions ignored."""

    set: SetBody

    @property
    def text(self) -> str:
        return f"set {self.set.key}"


class SeedBody(StrictModel):
    id: str
    items: JsonValue


class SeedResourceStep(StrictModel):
    """Replace the collection behind a resource binding."""

    seedResource: SeedBody  # noqa: N815

    @property
    def text(self) -> str:
        return f"seedResource {self.seedResource.id}"


class RunStep(StrictModel):
    """Start an operation directly, past every widget; it proves nothing about the app's triggers."""

    run: str

    @property
    def text(self) -> str:
        return f"run {self.run}"


class CancelStep(StrictModel):
    """Cancel every live run of an operation."""

    cancel: str

    @property
    def text(self) -> str:
        return f"cancel {self.cancel}"


class ClickStep(StrictModel):
    """Click a widget, named by id, type or label."""

    click: str

    @property
    def text(self) -> str:
        return f"click {self.click}"


class ChangeStep(StrictModel):
    """Enter a value into a widget; without `value` only its events fire, null clears it."""

    change: str
    value: JsonValue = None

    @property
    def text(self) -> str:
        return f"change {self.change}"

    @property
    def has_value(self) -> bool:
        return "value" in self.model_fields_set


class ExpectBody(StrictModel):
    widget: str
    check: Check
    value: JsonValue = None

    @model_validator(mode="after")
    def _value_where_needed(self) -> ExpectBody:
        if self.check in ("equals", "matches") and "value" not in self.model_fields_set:
            raise ValueError(f'check "{self.check}" needs a value')
        return self


class ExpectStep(StrictModel):
    """State what must hold once all runs of earlier steps have settled."""

    expect: ExpectBody

    @property
    def text(self) -> str:
        return f"expect {self.expect.widget} {self.expect.check}"


Step: TypeAlias = SetStep | SeedResourceStep | RunStep | CancelStep | ClickStep | ChangeStep | ExpectStep

_MODELS: dict[str, type[StrictModel]] = {
    "set": SetStep,
    "seedResource": SeedResourceStep,
    "run": RunStep,
    "cancel": CancelStep,
    "click": ClickStep,
    "change": ChangeStep,
    "expect": ExpectStep,
}
_BODIES: dict[str, type[StrictModel]] = {"set": SetBody, "seedResource": SeedBody, "expect": ExpectBody}


class BadStep(BaseModel):
    """A step of none of the seven shapes; it becomes an error of its place in the script (GR710)."""

    number: int
    raw: Any
    message: str

    @property
    def text(self) -> str:
        return f"step {self.number}"


def step_schema() -> dict[str, Any]:
    """The JSON Schema of one step: ``oneOf`` the seven shapes, no additional keys."""
    schema = TypeAdapter(Step).json_schema(by_alias=True)
    schema["oneOf"] = schema.pop("anyOf")
    return schema


def parse_step(raw: object, number: int) -> Step | BadStep:
    """One step; `number` counts from 1 and is named in the message of a `BadStep`."""
    if not is_record(raw):
        return BadStep(number=number, raw=raw, message=_shapes(number, f"is {_kind(raw)}, not an object"))
    names = [name for name in _MODELS if name in raw]
    if len(names) != 1:
        return BadStep(number=number, raw=raw, message=_shapes(number, _keys(raw, names)))
    name = names[0]
    try:
        step = _MODELS[name].model_validate(raw)
    except ValidationError as error:
        faults = "; ".join(_fault(name, item) for item in error.errors(include_url=False))
        message = f"Step {number} is not a valid {name} step: {faults}. Its shape is {SHAPES[name]}."
        return BadStep(number=number, raw=raw, message=message)
    assert isinstance(step, (SetStep, SeedResourceStep, RunStep, CancelStep, ClickStep, ChangeStep, ExpectStep))
    return step


def parse_steps(raw: object) -> list[Step | BadStep]:
    """A whole script. Anything but a list is one `BadStep`."""
    if not isinstance(raw, tuple) and not is_list(raw):
        return [BadStep(number=1, raw=raw, message=f"The script is {_kind(raw)}, not a list of steps.")]
    items = cast("Sequence[object]", raw)
    return [parse_step(item, number) for number, item in enumerate(items, start=1)]


def _shapes(number: int, what: str) -> str:
    return f"Step {number} {what}. A step is one of: {', '.join(SHAPES.values())}."


def _keys(raw: dict[str, Any], names: Sequence[str]) -> str:
    """The keys of a step of no shape, and the shape that a misspelt one means."""
    text = "has no keys"
    if raw:
        text = f"has the key{'s' if len(raw) > 1 else ''} " + ", ".join(f'"{key}"' for key in raw)
    meant = None if names else next((name for key in raw if (name := nearest(key, _MODELS)) is not None), None)
    return text if meant is None else f'{text}. Did you mean "{meant}"? Its shape is {SHAPES[meant]}'


def _fault(name: str, error: ErrorDetails) -> str:
    """One fault of a step of the shape `name`, in our words."""
    body = _BODIES.get(name)
    path = [str(part) for part in error["loc"][: 1 if body is None else 2]]
    where = f'"{".".join(path)}"'
    given = error["input"]
    match error["type"]:
        case "extra_forbidden":
            model = body if body is not None and len(path) > 1 else _MODELS[name]
            known = [field.alias or key for key, field in model.model_fields.items()]
            return f"it has the unknown key {where}{_hint(path[-1], known)}"
        case "missing":
            return f"{where} is missing"
        case "string_type":
            return f"{where} is {_kind(given)}, not a string"
        case "model_type":
            return f"{where} is {_kind(given)}, not an object"
        case "literal_error":
            checks = get_args(Check)
            hint = _hint(given, checks) if isinstance(given, str) else ""
            return f"{where} is none of {', '.join(checks)}{hint}"
        case "value_error":
            return str(error["ctx"]["error"]) if "ctx" in error else error["msg"]
        case _:
            return f"{where} is no JSON value"


def _hint(text: str, known: Iterable[str]) -> str:
    meant = nearest(text, known)
    return "" if meant is None else f' (did you mean "{meant}"?)'


def _kind(raw: object) -> str:
    kinds: dict[type[object], str] = {
        type(None): "null",
        str: "a string",
        bool: "a boolean",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(raw), "a number")
