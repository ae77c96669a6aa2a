"""The error tree."""

from __future__ import annotations

from greenrun.document.errors import EditError, GreenrunError, JsonReadError, JsonWriteError


def test_every_error_is_a_greenrun_error_with_a_stable_code() -> None:
    errors = [JsonReadError("a", 2, 3), JsonWriteError("b"), EditError("unknown_component", "c", 1, "id")]
    assert all(isinstance(error, GreenrunError) for error in errors)
    assert [error.code for error in errors] == ["invalid_json", "unwritable_json", "unknown_component"]
    assert [str(error) for error in errors] == ["a", "b", "c"]


def test_an_edit_error_names_the_edit_and_its_field() -> None:
    error = EditError("unknown_component", "No such component.", 3, "parent_id")
    assert (error.message, error.index, error.field) == ("No such component.", 3, "parent_id")
