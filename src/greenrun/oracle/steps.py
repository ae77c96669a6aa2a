"""The interaction step: seven shapes, one published JSON Schema (spec: harness 3.4).

Route, tools and CLI validate against the same models, so a step that is accepted in one place is accepted in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError, model_validator

from greenrun.document.js import is_list
from greenrun.document.values import is_record

Check: TypeAlias = Literal["nonEmpty", "equals", "matches", "visible", "hidden", "enabled", "disabled"]

SHAPES = (
    '{"set":{"key","value","operationId"?}}',
    '{"seedResource":{"id","items":[{"id",...}]}}',
    '{"run":"<operation>"}',
    '{"cancel":"<operation>"}',
    '{"click":"<widget>"}',
    '{"change":"<widget>","value"?}',
    '{"expect":{"widget","check","value"?}}',
)


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

_MODELS: dict[str, type[BaseModel]] = {
    "set": SetStep,
    "seedResource": SeedResourceStep,
    "run": RunStep,
    "cancel": CancelStep,
    "click": ClickStep,
    "change": ChangeStep,
    "expect": ExpectStep,
}


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
        keys = ", ".join(f'"{key}"' for key in raw) or "none"
        return BadStep(number=number, raw=raw, message=_shapes(number, f"has the keys {keys}"))
    try:
        step = _MODELS[names[0]].model_validate(raw)
    except ValidationError as error:
        details = "; ".join(
            f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors(include_url=False)
        )
        return BadStep(number=number, raw=raw, message=_shapes(number, f"is not a valid {names[0]} step ({details})"))
    assert isinstance(step, (SetStep, SeedResourceStep, RunStep, CancelStep, ClickStep, ChangeStep, ExpectStep))
    return step


def parse_steps(raw: object) -> list[Step | BadStep]:
    """A whole script. Anything but a list is one `BadStep`."""
    if not isinstance(raw, tuple) and not is_list(raw):
        return [BadStep(number=1, raw=raw, message=f"The script is {_kind(raw)}, not a list of steps.")]
    items = cast("Sequence[object]", raw)
    return [parse_step(item, number) for number, item in enumerate(items, start=1)]


def _shapes(number: int, what: str) -> str:
    return f"Step {number} {what}. A step is one of: {', '.join(SHAPES)}."


def _kind(raw: object) -> str:
    kinds: dict[type[object], str] = {
        type(None): "null",
        str: "a string",
        bool: "a boolean",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(raw), "a number")
