"""Argument types of edits. JSON values are copied on the way in, so that a caller cannot change them afterwards."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias, cast

from pydantic import AfterValidator, AliasChoices, AliasGenerator, BaseModel, BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

from greenrun.document.json_text import MAX_DEPTH
from greenrun.document.values import is_number, is_record


def json_copy(value: Any, depth: int = MAX_DEPTH) -> Any:
    """A deep copy of a JSON value; tuples become lists.

    Raises:
        ValueError: The value holds something that JSON cannot say, or is nested deeper than `depth`.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a JSON number")
        return value
    if depth <= 0:
        raise ValueError(f"the value is nested deeper than {MAX_DEPTH} levels")
    if is_record(value):
        if not all(isinstance(key, str) for key in cast("dict[Any, Any]", value)):
            raise ValueError("the keys of an object must be text")
        return {key: json_copy(member, depth - 1) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_copy(item, depth - 1) for item in cast("Sequence[Any]", value)]
    raise ValueError(f"a {type(value).__name__} is not a JSON value")


def _decoded(value: Any) -> Any:
    """Models now and then send an object or a list as its JSON text; decode it once."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


def _number(value: Any) -> Any:
    if not is_number(value) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError("it must be a number")
    return value


Number: TypeAlias = Annotated[int | float, BeforeValidator(_number)]
Json: TypeAlias = Annotated[Any, AfterValidator(json_copy)]
JsonObject: TypeAlias = Annotated[dict[str, Any], BeforeValidator(_decoded), AfterValidator(json_copy)]
Texts: TypeAlias = Annotated[list[str], BeforeValidator(_decoded)]
Path: TypeAlias = Annotated[list[str | int], BeforeValidator(_decoded)]


def _spellings(name: str) -> AliasChoices | str:
    camel = to_camel(name)
    return name if camel == name else AliasChoices(name, camel)


class Arguments(BaseModel):
    """Base of all edits and patches: nothing unknown passes, nothing is converted, camelCase names are understood."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=AliasGenerator(validation_alias=_spellings),
        populate_by_name=True,
    )

    def given(self, name: str) -> bool:
        """True when the argument was written, null included."""
        return name in self.model_fields_set
